/* test_lanes.c -- how tiles are divided between the two vector cores, and the copies of pipeline loops. */
#include "passes/util/lanes.h"

#include <string.h>

#include "ir/op.h"
#include "ir/print.h"
#include "ir/view.h"
#include "passes/split_axis/part.h"
#include "passes/util/loop_copies.h"
#include "unit.h"

static Fixture f;

static void setup(void) { fixture_init(&f); }
static void teardown(void) { fixture_free(&f); }

/* An FP32 tile in Vec of which [valid, cols] are valid. */
static const Type *tile(int64_t rows, int64_t cols, int64_t valid) {
  Expr *shape[] = {expr_index(&f.ir, rows), expr_index(&f.ir, cols)};
  const Type *t = type_tile(&f.ir, shape, 2, DT_FP32, MEM_VEC);
  return valid == rows ? t : type_with_valid(&f.ir, t, 0, expr_index(&f.ir, valid));
}

static int code(const Type *whole, SplitMode mode, int64_t stride, bool to_vector) {
  return transfer_code(&f.ir, &(Transfer){to_vector, whole, mode, stride, NO_SPAN});
}

START_TEST(codes) {
  ck_assert_int_eq(code(tile(16, 64, 16), SPLIT_NONE, 0, true), 0);
  ck_assert_int_eq(code(tile(16, 64, 16), SPLIT_UP_DOWN, 0, true), 1);
  ck_assert_int_eq(code(tile(16, 64, 16), SPLIT_LEFT_RIGHT, 0, true), 2);
  ck_assert_int_eq(code(tile(17, 64, 17), SPLIT_UP_DOWN, 0, true), 3);  /* 9 and 8 */
  ck_assert_int_eq(code(tile(16, 64, 15), SPLIT_UP_DOWN, 0, true), 3);  /* 8 and 7 */
  ck_assert_int_eq(code(tile(16, 33, 16), SPLIT_LEFT_RIGHT, 0, true), 4);
  ck_assert_int_eq(code(tile(16, 64, 7), SPLIT_UP_DOWN, 0, true), 1);   /* 7 and nothing */
  ck_assert_int_eq(code(tile(16, 64, 13), SPLIT_UP_DOWN, 7, true), 3);  /* 7 and 6 */
  ck_assert_int_eq(code(tile(16, 64, 14), SPLIT_UP_DOWN, 7, true), 1);
  ck_assert_int_eq(code(tile(16, 64, 13), SPLIT_UP_DOWN, 0, true), -1); /* 8 and 5 */
  ck_assert_ptr_nonnull(strstr(fixture_messages(&f), "parts are 8 and 5 rows of the tile"));
}
END_TEST

START_TEST(codes_back) {
  ck_assert_int_eq(code(tile(16, 64, 16), SPLIT_UP_DOWN, 0, false), 1);
  ck_assert_int_eq(code(tile(16, 64, 8), SPLIT_UP_DOWN, 0, false), 1);
  ck_assert_int_eq(code(tile(15, 64, 15), SPLIT_UP_DOWN, 0, false), -1);
  ck_assert_ptr_nonnull(strstr(fixture_messages(&f), "pad to 16"));
}
END_TEST

static int64_t value(const Expr *e) {
  int64_t n = 0;
  if (expr_const_int(e, &n)) return n;
  int64_t a = value(e->u.bin.lhs), b = value(e->u.bin.rhs);
  switch (e->kind) {
    case EXPR_ADD: return a + b;
    case EXPR_SUB: return a - b;
    case EXPR_MUL: return a * b;
    case EXPR_MIN: return a < b ? a : b;
    case EXPR_MAX: return a > b ? a : b;
    default: ck_abort_msg("no index expression");
  }
}

/* Whatever is valid, both cores together have all of it, each from where its part begins. */
START_TEST(parts_cover) {
  for (int64_t extent = 1; extent <= 24; extent++) {
    for (int64_t valid = 0; valid <= extent; valid++) {
      for (int64_t step = 0; step <= (extent + 1) / 2; step++) {
        if (step > 0 && 2 * step < valid) continue; /* a cut that loses something */
        Expr *e = expr_index(&f.ir, extent), *v = expr_index(&f.ir, valid), *half = half_extent(&f.ir, e);
        int64_t end = 0, all = 0;
        for (int core = 0; core < 2; core++) {
          Lane l = {&f.ir, expr_index(&f.ir, core), step ? expr_index(&f.ir, step) : NULL};
          int64_t from = value(lane_offset(&l, expr_index(&f.ir, 0), half)), n = value(lane_valid(&l, v, e, half));
          ck_assert(n >= 0 && n <= value(half) && from <= value(half));
          if (n > 0 && core == 1) ck_assert_int_eq(from, end);
          end = from + n;
          all += n;
        }
        ck_assert_int_eq(all, valid);
      }
    }
  }
}
END_TEST

static void part_is(const Type *t, int axis, const char *wanted) {
  Lane l = {&f.ir, expr_var(&f.ir, ir_name(&f.ir, "c"), type_scalar(&f.ir, DT_INDEX), NO_SPAN), NULL};
  ck_assert_str_eq(type_str(&f.ir, lane_type(&l, t, axis)), wanted);
}

START_TEST(types) {
  part_is(tile(16, 64, 16), 0, "pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec]");
  part_is(tile(16, 64, 16), 1, "pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec]");
  part_is(tile(16, 64, 9), 1, "pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[9, 32])]");
  const Type *odd = tile(15, 64, 15), *half = tile(8, 64, 8);
  Lane l = {&f.ir, expr_index(&f.ir, 1), NULL};
  int n;
  ck_assert_int_eq(value(type_valid_shape(lane_type(&l, odd, 0), &n)[0]), 7);
  ck_assert_int_eq(value(type_valid_shape(lane_shard_type(&l, half, odd, 0), &n)[0]), 7);
  ck_assert_ptr_eq(lane_shard_type(&l, half, tile(16, 64, 16), 0), half);
}
END_TEST

static Expr *call(OpId id, const Type *operand, int axis1, int axis2) {
  Expr *args[] = {expr_var(&f.ir, ir_name(&f.ir, "x"), operand, NO_SPAN), expr_index(&f.ir, axis1),
                  expr_index(&f.ir, axis2)};
  int n = id == OP_TILE_TRANSPOSE ? 3 : 1;
  return expr_call_op(&f.ir, op_get(&f.ir, id), args, n, (AttrList){0}, operand, NO_SPAN);
}

START_TEST(axes) {
  ck_assert_int_eq(reduced_axis(call(OP_TILE_ROW_SUM, tile(16, 64, 16), 0, 0)), 1);
  ck_assert_int_eq(reduced_axis(call(OP_TILE_COL_MAX, tile(16, 64, 16), 0, 0)), 0);
  ck_assert_int_eq(reduced_axis(call(OP_TILE_EXP, tile(16, 64, 16), 0, 0)), -1);
  ck_assert(swaps_axis(call(OP_TILE_TRANSPOSE, tile(16, 64, 16), 0, 1), 0));
  ck_assert(!swaps_axis(call(OP_TILE_TRANSPOSE, tile(1, 64, 1), 0, 1), 0));
  ck_assert(!swaps_axis(call(OP_TILE_TRANSPOSE, tile(16, 64, 16), 1, 2), 0));
  ck_assert(!swaps_axis(call(OP_TILE_EXP, tile(16, 64, 16), 0, 1), 0));
}
END_TEST

START_TEST(copies) {
  int64_t made = 0;
  ck_assert(may_copy(&f.ir, &made, 1000, 1000, NO_SPAN));
  ck_assert_int_eq(made, 1000000);
  ck_assert(!may_copy(&f.ir, &made, 50000, 1, NO_SPAN));
  ck_assert(!may_copy(&f.ir, &made, INT64_MAX, 2, NO_SPAN));
  ck_assert(may_copy(&f.ir, &made, 10, 0, NO_SPAN)); /* an empty body counts as one statement */
  ck_assert_int_eq(made, 1000010);
  Expr *i = expr_var(&f.ir, ir_name(&f.ir, "i"), type_scalar(&f.ir, DT_INDEX), NO_SPAN);
  ck_assert_str_eq(expr_str(&f.ir, index_behind(&f.ir, i, 3, NO_SPAN)), "i + 3");
  ck_assert_ptr_eq(index_behind(&f.ir, i, 0, NO_SPAN), i);
  ck_assert_str_eq(expr_str(&f.ir, index_behind(&f.ir, expr_index(&f.ir, 8), -1, NO_SPAN)), "7");
}
END_TEST

Suite *suite_lanes(void) {
  Suite *s = suite_create("lanes");
  TCase *c = tcase_create("all");
  tcase_add_checked_fixture(c, setup, teardown);
  tcase_add_test(c, codes);
  tcase_add_test(c, codes_back);
  tcase_add_test(c, parts_cover);
  tcase_add_test(c, types);
  tcase_add_test(c, axes);
  tcase_add_test(c, copies);
  suite_add_tcase(s, c);
  return s;
}
