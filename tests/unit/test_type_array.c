/* test_type_array.c -- pl.Array. */
#include "annot_case.h"

START_TEST(arrays) {
  ANNOT_SAME("pl.Array[16, pl.INT32]");
  ANNOT_SAME("pl.Array[4, pl.TASK_ID]");
  ANNOT_SAME("pl.Array[4, pl.BOOL]");
  ANNOT_SAME("pl.Array[4, pl.UINT8]");
  annot_prints("pl.Array[TILE, pl.INT32]", "pl.Array[32, pl.INT32]");
  annot_fails("pl.Array[16, pl.FP32]", "holds integers, BOOL or TASK_ID, not FP32");
  annot_fails("pl.Array[0, pl.INT32]", "at least 1");
  annot_fails("pl.Array[-4, pl.INT32]", "at least 1");
  annot_fails("pl.Array[n, pl.INT32]", "integer constant");
  annot_fails("pl.Array[M, pl.INT32]", "integer constant");
  annot_fails("pl.Array[16]", "is written [extent, dtype]");
}
END_TEST

Suite *suite_type_array(void) {
  Suite *s = suite_create("array types");
  TCase *t = tcase_create("annotations");
  tcase_add_test(t, arrays);
  suite_add_tcase(s, t);
  return s;
}
