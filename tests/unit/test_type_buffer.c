/* test_type_buffer.c -- BufferType and MultiBufferType, which only passes make. */
#include <string.h>

#include "ir/print.h"
#include "ir/type_rules.h"
#include "unit.h"

typedef struct Made {
  Fixture f;
  Expr *shape[2], *valid[2];
  TileView view;
  Type type;
} Made;

static void made_init(Made *m, int64_t rows, int64_t cols, int64_t valid_rows, int64_t valid_cols) {
  memset(m, 0, sizeof *m);
  fixture_init(&m->f);
  int64_t dims[] = {rows, cols}, valid[] = {valid_rows, valid_cols};
  for (int i = 0; i < 2; i++) {
    m->shape[i] = expr_int(&m->f.ir, dims[i], DT_INDEX, NO_SPAN);
    m->valid[i] = expr_int(&m->f.ir, valid[i], DT_INDEX, NO_SPAN);
  }
  m->view = (TileView){
      .valid_shape = m->valid, .nvalid = 2, .blayout = TILE_LAYOUT_ROW_MAJOR, .fractal = 512};
  m->type = (Type){.kind = TYPE_BUFFER,
                   .dtype = DT_FP32,
                   .space = MEM_VEC,
                   .shape = m->shape,
                   .rank = 2,
                   .tile_view = &m->view};
}

static void shape_case(int64_t rows, int64_t cols, int64_t vr, int64_t vc, const char *part) {
  Made m;
  made_init(&m, rows, cols, vr, vc);
  const char *problem = type_problem(&m.f.ir, &m.type);
  if (part)
    ck_assert_msg(problem && strstr(problem, part), "%s", problem ? problem : "accepted");
  else
    ck_assert_msg(!problem, "%s", problem);
  fixture_free(&m.f);
}

START_TEST(shapes) {
  shape_case(32, 64, 32, 64, NULL);
  shape_case(32, 64, -1, 64, NULL);
  shape_case(32, 64, 0, 64, NULL);
  shape_case(32, 64, 33, 64, "between 0 and 32");
  shape_case(32, 64, 32, 65, "between 0 and 64");
  shape_case(32, 64, -2, 64, "must be -1");
  shape_case(0, 64, 0, 64, "positive constants");
  shape_case(-1, 64, 0, 64, "positive constants");
}
END_TEST

START_TEST(fields) {
  Made m;
  made_init(&m, 32, 64, 32, 64);
  m.type.rank = 0;
  ck_assert_ptr_nonnull(type_problem(&m.f.ir, &m.type));
  m.type.rank = 2;
  m.view.nvalid = 1;
  ck_assert_ptr_nonnull(type_problem(&m.f.ir, &m.type));
  m.view.nvalid = 2;
  for (int space = MEM_NONE; space < MEM_COUNT; space++) {
    bool off_chip = space == MEM_NONE || space == MEM_DDR || space == MEM_SCALAR_LOCAL;
    m.type.space = (MemSpace)space;
    ck_assert_int_eq(type_problem(&m.f.ir, &m.type) != NULL, off_chip);
  }
  m.type.space = MEM_VEC;
  m.type.dtype = DT_TASK_ID;
  ck_assert_ptr_nonnull(type_problem(&m.f.ir, &m.type));
  m.type.dtype = DT_FP32;
  m.view.blayout = TILE_LAYOUT_NONE_BOX;
  ck_assert_ptr_nonnull(type_problem(&m.f.ir, &m.type));
  m.view.blayout = TILE_LAYOUT_COL_MAJOR;
  m.view.fractal = 0;
  ck_assert_ptr_nonnull(type_problem(&m.f.ir, &m.type));
  fixture_free(&m.f);
}
END_TEST

START_TEST(print) {
  Made m;
  made_init(&m, 32, 64, -1, 48);
  m.type.space = MEM_MAT;
  m.view.pad = PAD_ZERO;
  m.view.compact = COMPACT_NORMAL;
  m.view.fractal = 1024;
  const Type *t = type_intern(&m.f.ir, &m.type);
  ck_assert_str_eq(
      type_str(&m.f.ir, t),
      "pypto.ir.BufferType([32, 64], pypto.DataType.FP32, pypto.ir.Mem.Mat, "
      "valid_shape=[-1, 48], blayout=pypto.ir.TileLayout.row_major, "
      "slayout=pypto.ir.TileLayout.none_box, fractal=1024, pad=pypto.ir.PadValue.zero, "
      "compact=pypto.ir.CompactMode.normal)");
  Type multi = {.kind = TYPE_MULTI_BUFFER, .elems = &t, .nelems = 1};
  ck_assert_ptr_nonnull(type_problem(&m.f.ir, &multi));
  multi.slots = 3;
  ck_assert_ptr_null(type_problem(&m.f.ir, &multi));
  const char *text = type_str(&m.f.ir, type_intern(&m.f.ir, &multi));
  ck_assert(strncmp(text, "pypto.ir.MultiBufferType(pypto.ir.BufferType(", 45) == 0);
  ck_assert(strstr(text, ", slot_count=3)") != NULL);
  fixture_free(&m.f);
}
END_TEST

Suite *suite_type_buffer(void) {
  Suite *s = suite_create("buffer types");
  TCase *t = tcase_create("rules");
  tcase_add_test(t, shapes);
  tcase_add_test(t, fields);
  tcase_add_test(t, print);
  suite_add_tcase(s, t);
  return s;
}
