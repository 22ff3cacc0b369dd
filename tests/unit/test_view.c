/* test_view.c -- strides, valid shapes and boxes. */
#include "ir/view.h"

#include <string.h>

#include "ir/print.h"
#include "unit.h"

static Fixture f;

static void setup(void) { fixture_init(&f); }
static void teardown(void) { fixture_free(&f); }

/* "8, 4, 1" for the packed strides, "none" where there are none. */
static void strides(TensorLayout layout, Expr **shape, int rank, const char *wanted) {
  Buf text = {0};
  Expr **s = packed_strides(&f.ir, shape, rank, layout);
  for (int i = 0; s && i < rank; i++)
    buf_printf(&text, "%s%s", i ? ", " : "", expr_str(&f.ir, s[i]));
  ck_assert_str_eq(s ? buf_str(&text) : "none", wanted);
  buf_free(&text);
}

START_TEST(packed) {
  Expr *m = expr_var(&f.ir, ir_name(&f.ir, "M"), type_scalar(&f.ir, DT_INDEX), NO_SPAN);
  Expr *a[] = {expr_index(&f.ir, 2), expr_index(&f.ir, 3), expr_index(&f.ir, 4),
               expr_index(&f.ir, 5)};
  Expr *dynamic[] = {expr_index(&f.ir, 2), m, expr_index(&f.ir, 4)};
  Expr *huge[] = {expr_index(&f.ir, 2), expr_index(&f.ir, INT64_MAX), expr_index(&f.ir, 3)};
  strides(LAYOUT_ND, a, 4, "60, 20, 5, 1");
  strides(LAYOUT_ND, a, 1, "1");
  strides(LAYOUT_MX_A_ZZ, a, 2, "3, 1");
  strides(LAYOUT_DN, a, 2, "1, 2");
  strides(LAYOUT_DN, a, 3, "12, 1, 3");
  strides(LAYOUT_DN, a, 4, "60, 20, 1, 4");
  strides(LAYOUT_DN, a, 1, "none");
  strides(LAYOUT_NZ, a, 2, "none");
  strides(LAYOUT_ND, dynamic, 3, "4 * M, 4, 1");
  strides(LAYOUT_DN, dynamic, 3, "M * 4, 1, M");
  strides(LAYOUT_ND, huge, 3, "none");
}
END_TEST

START_TEST(boxes) {
  TileView v = {.slayout = TILE_LAYOUT_ROW_MAJOR, .fractal = 512};
  int64_t rows, cols;
  ck_assert(tile_view_box(&v, DT_FP16, &rows, &cols) && rows == 16 && cols == 16);
  ck_assert(tile_view_box(&v, DT_FP32, &rows, &cols) && rows == 16 && cols == 8);
  ck_assert(tile_view_box(&v, DT_FP4, &rows, &cols) && rows == 16 && cols == 64);
  v.slayout = TILE_LAYOUT_COL_MAJOR;
  ck_assert(tile_view_box(&v, DT_INT8, &rows, &cols) && rows == 32 && cols == 16);
  v.fractal = 1024;
  ck_assert(tile_view_box(&v, DT_FP32, &rows, &cols) && rows == 16 && cols == 16);
  v.fractal = 32;
  ck_assert(tile_view_box(&v, DT_FP8E8M0, &rows, &cols) && rows == 2 && cols == 16);
  v.fractal = 100;
  ck_assert(!tile_view_box(&v, DT_FP32, &rows, &cols));
  v.slayout = TILE_LAYOUT_NONE_BOX;
  v.fractal = 512;
  ck_assert(!tile_view_box(&v, DT_FP32, &rows, &cols));
}
END_TEST

START_TEST(valid_shape_defaults_to_the_shape) {
  Expr *dims[] = {expr_index(&f.ir, 8), expr_index(&f.ir, 4)},
       *valid[] = {expr_index(&f.ir, 3), dims[1]};
  const Type *t = type_tile(&f.ir, dims, 2, DT_FP32, MEM_VEC);
  int n;
  ck_assert_ptr_eq(type_valid_shape(t, &n)[0], t->shape[0]);
  ck_assert_int_eq(n, 2);
  TileView v = tile_view_of(&f.ir, t);
  v.valid_shape = valid;
  const Type *part = type_with_tile_view(&f.ir, t, &v);
  ck_assert_ptr_ne(part, t);
  ck_assert_ptr_eq(type_valid_shape(part, &n)[0], valid[0]);
  v.valid_shape = dims;
  ck_assert_ptr_eq(type_with_tile_view(&f.ir, t, &v), t);
}
END_TEST

/* `text` is the layout and strides of a tensor [4, 8]; `part` of the problem, or NULL. */
static void view_case(TensorLayout layout, int64_t s0, int64_t s1, bool written, const char *part) {
  Expr *shape[] = {expr_index(&f.ir, 4), expr_index(&f.ir, 8)};
  Expr *stride[] = {expr_index(&f.ir, s0), expr_index(&f.ir, s1)};
  TensorView v = {.layout = layout, .stride = stride, .nstride = s0 ? 2 : 0};
  Type t = {.kind = TYPE_TENSOR, .dtype = DT_FP32, .shape = shape, .rank = 2, .tensor_view = &v};
  const char *problem = tensor_view_problem(&f.ir, &t, written);
  if (part)
    ck_assert_msg(problem && strstr(problem, part), "%s", problem ? problem : "accepted");
  else
    ck_assert_msg(!problem, "%s", problem);
}

START_TEST(canonical_views) {
  view_case(LAYOUT_ND, 8, 1, true, NULL);
  view_case(LAYOUT_ND, 100, 1, true, NULL);
  view_case(LAYOUT_ND, 7, 1, true, "stride 0 is smaller");
  view_case(LAYOUT_ND, 1, 4, true, "stride 1 in dimension 1");
  view_case(LAYOUT_DN, 1, 4, true, NULL);
  view_case(LAYOUT_DN, 1, 3, true, "the last stride of layout DN");
  view_case(LAYOUT_DN, 8, 1, true, "stride 1 in dimension 0");
  view_case(LAYOUT_MX_A_ZZ, 8, 1, true, NULL);
  view_case(LAYOUT_DN, 0, 0, false, NULL);
  view_case(LAYOUT_DN, 0, 0, true, "not written out");
  view_case(LAYOUT_NZ, 0, 0, false, "must be blocked");
}
END_TEST

START_TEST(blocked_nz_is_a_view) {
  int64_t dims[] = {1, 4, 2, 16, 8}, strides[] = {1024, 256, 128, 8, 1};
  Expr *shape[5], *stride[5];
  for (int i = 0; i < 5; i++) {
    shape[i] = expr_index(&f.ir, dims[i]);
    stride[i] = expr_index(&f.ir, strides[i]);
  }
  TensorView v = {.layout = LAYOUT_NZ, .stride = stride, .nstride = 5};
  Type t = {.kind = TYPE_TENSOR, .dtype = DT_FP32, .shape = shape, .rank = 5, .tensor_view = &v};
  ck_assert_ptr_null(tensor_view_problem(&f.ir, &t, true));
  t.dtype = DT_FP16;
  ck_assert_ptr_nonnull(tensor_view_problem(&f.ir, &t, true));
}
END_TEST

Suite *suite_view(void) {
  Suite *s = suite_create("view");
  TCase *t = tcase_create("views");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, packed);
  tcase_add_test(t, boxes);
  tcase_add_test(t, canonical_views);
  tcase_add_test(t, blocked_nz_is_a_view);
  tcase_add_test(t, valid_shape_defaults_to_the_shape);
  suite_add_tcase(s, t);
  return s;
}
