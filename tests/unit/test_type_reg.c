/* test_type_reg.c -- pl.Reg. */
#include "annot_case.h"
#include "ir/print.h"
#include "ir/type_rules.h"

START_TEST(registers) {
  ANNOT_SAME("pl.Reg[64, pl.FP32]");
  ANNOT_SAME("pl.Reg[64, pl.BOOL, pl.RegKind.MaskReg]");
  ANNOT_SAME("pl.Reg[7, pl.INT8]"); /* lanes have nothing to do with the width of the hardware */
  annot_prints("pl.Reg[TILE, HALF, pl.RegKind.VecReg]", "pl.Reg[32, pl.FP16]");
  annot_fails("pl.Reg[0, pl.FP32]", "at least 1");
  annot_fails("pl.Reg[-8, pl.FP32]", "at least 1");
  annot_fails("pl.Reg[n, pl.FP32]", "integer constant");
  annot_fails("pl.Reg[[64], pl.FP32]", "integer constant");
  annot_fails("pl.Reg[64, pl.BOOL]", "a VecReg cannot hold BOOL");
  annot_fails("pl.Reg[64, pl.FP32, pl.RegKind.MaskReg]", "a MaskReg holds BOOL, not FP32");
  annot_fails("pl.Reg[64, pl.FP32, pl.RegKind.VectorReg]", "not a pl.RegKind value");
  annot_fails("pl.Reg[64, pl.FP99]", "unknown element type");
  annot_fails("pl.Reg[64]", "a Reg is written");
}
END_TEST

START_TEST(built_registers) {
  AnnotCase c;
  annot_case_init(&c);
  Expr *lanes = expr_index(&c.f.ir, 0);
  Type t = {.kind = TYPE_REG, .dtype = DT_FP32, .shape = &lanes, .rank = 1};
  ck_assert_ptr_nonnull(type_problem(&c.f.ir, &t));
  lanes = expr_index(&c.f.ir, 64);
  ck_assert_ptr_null(type_problem(&c.f.ir, &t));
  ck_assert_ptr_eq(type_intern(&c.f.ir, &t), annot_case_read(&c, "pl.Reg[64, pl.FP32]"));
  annot_case_free(&c);
}
END_TEST

Suite *suite_type_reg(void) {
  Suite *s = suite_create("register types");
  TCase *t = tcase_create("annotations");
  tcase_add_test(t, registers);
  tcase_add_test(t, built_registers);
  suite_add_tcase(s, t);
  return s;
}
