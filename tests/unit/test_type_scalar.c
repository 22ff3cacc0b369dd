/* test_type_scalar.c -- pl.Scalar, element types with their widths and packing, marker types. */
#include <string.h>

#include "annot_case.h"

START_TEST(scalars) {
  for (int t = DT_NONE + 1; t < DT_COUNT; t++) {
    char text[64];
    snprintf(text, sizeof text, "pl.Scalar[pl.%s]", dtype_name((DType)t));
    ANNOT_SAME(text);
  }
  annot_prints("Scalar[HALF]", "pl.Scalar[pl.FP16]");
  annot_prints("pl.Scalar(pl.FP32)", "pl.Scalar[pl.FP32]");
  annot_prints("pl.TaskId", "pl.Scalar[pl.TASK_ID]");
  annot_fails("pl.Scalar", "needs its shape or element type");
  annot_fails("pl.Scalar[pl.FLOAT]", "unknown element type");
  annot_fails("pl.Scalar[pl.FP32, pl.FP16]", "is written [dtype]");
  annot_fails("pl.Scalar[SHAPE]", "is not an element type");
  annot_fails("pl.INT64", "pl.Scalar[pl.INT64]");
  annot_fails("int", "is not a type");
}
END_TEST

/* Four-bit types lie two to a byte whatever their name; a single element takes a whole one. */
START_TEST(widths) {
  static const struct {
    DType t;
    int bits, byte, of_seven;
  } rows[] = {{DT_BOOL, 1, 1, 7},      {DT_INT4, 4, 1, 4},     {DT_UINT4, 4, 1, 4},
              {DT_FP4, 4, 1, 4},       {DT_HF4, 4, 1, 4},      {DT_INT8, 8, 1, 7},
              {DT_FP8E4M3FN, 8, 1, 7}, {DT_FP8E5M2, 8, 1, 7},  {DT_FP8E8M0, 8, 1, 7},
              {DT_HF8, 8, 1, 7},       {DT_FP16, 16, 2, 14},   {DT_BF16, 16, 2, 14},
              {DT_FP32, 32, 4, 28},    {DT_INT64, 64, 8, 56},  {DT_INDEX, 64, 8, 56},
              {DT_TASK_ID, 64, 8, 56}, {DT_UINT16, 16, 2, 14}, {DT_FP64, 64, 8, 56}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ck_assert_int_eq(dtype_bits(rows[i].t), rows[i].bits);
    ck_assert_int_eq(dtype_get_byte(rows[i].t), rows[i].byte);
    ck_assert_int_eq((int)dtype_bytes(rows[i].t, 7), rows[i].of_seven);
  }
}
END_TEST

START_TEST(index_is_not_int64) {
  AnnotCase c;
  annot_case_init(&c);
  ck_assert_ptr_ne(annot_case_read(&c, "pl.Scalar[pl.INDEX]"),
                   annot_case_read(&c, "pl.Scalar[pl.INT64]"));
  annot_case_free(&c);
}
END_TEST

START_TEST(markers) {
  ANNOT_SAME("pl.Ptr");
  ANNOT_SAME("pl.PrefetchAsyncContext");
  ANNOT_SAME("pl.AsyncEvent");
  ANNOT_SAME("pl.AsyncSession");
  ANNOT_SAME("pld.CommCtxType");
  ANNOT_SAME("pld.WindowBufferType");
  ANNOT_SAME("pl.UnknownType");
  annot_prints("pl.AsyncEventType", "pl.AsyncEvent");
  annot_prints("pld.CommCtx", "pld.CommCtxType");
  annot_prints("\"Later\"", "pl.UnknownType");
}
END_TEST

START_TEST(directions) {
  AnnotCase c;
  ParamDir dir;
  annot_case_init(&c);
  ck_assert_ptr_nonnull(
      annot_param(&c.annot, annot_case_syntax(&c, "pl.Out[pl.Tensor[[4], pl.FP32]]"), &dir));
  ck_assert_int_eq(dir, PARAM_OUT);
  ck_assert_ptr_nonnull(
      annot_param(&c.annot, annot_case_syntax(&c, "pl.InOut[pl.Tensor[[4], pl.FP32]]"), &dir));
  ck_assert_int_eq(dir, PARAM_INOUT);
  ck_assert_ptr_nonnull(annot_param(&c.annot, annot_case_syntax(&c, "pl.Scalar[pl.FP32]"), &dir));
  ck_assert_int_eq(dir, PARAM_IN);
  ck_assert_ptr_null(
      annot_param(&c.annot, annot_case_syntax(&c, "pl.InOut[pl.Scalar[pl.FP32]]"), &dir));
  ck_assert(strstr(fixture_messages(&c.f), "cannot be InOut") != NULL);
  annot_case_free(&c);
}
END_TEST

Suite *suite_type_scalar(void) {
  Suite *s = suite_create("scalar types");
  TCase *t = tcase_create("annotations");
  tcase_add_test(t, scalars);
  tcase_add_test(t, widths);
  tcase_add_test(t, index_is_not_int64);
  tcase_add_test(t, markers);
  tcase_add_test(t, directions);
  suite_add_tcase(s, t);
  return s;
}
