/* test_type_tuple.c -- pl.Tuple, and tuple[...] behind an arrow; VoidType, which stands in none. */
#include <string.h>

#include "annot_case.h"
#include "ir/type_rules.h"

START_TEST(tuples) {
  ANNOT_SAME("pl.Tuple[()]");
  ANNOT_SAME("pl.Tuple[pl.Scalar[pl.INT64], pl.Scalar[pl.FP32]]");
  ANNOT_SAME("pl.Tuple[pl.Tuple[pl.Scalar[pl.INT64]], pl.Scalar[pl.FP32]]");
  ANNOT_SAME("pl.Tuple[pl.Tensor[[4], pl.FP32], pl.Scalar[pl.TASK_ID]]");
  annot_prints("pl.Tuple([pl.Scalar[pl.INT64]])", "pl.Tuple[pl.Scalar[pl.INT64]]");
  annot_fails("pl.Tuple[pl.Scalar[pl.INT64], 3]", "is not a type");
  annot_fails("pl.Tuple[pl.VoidType]", "gives no value");
}
END_TEST

static void returns(const char *text, int wanted, const char *part) {
  AnnotCase c;
  int n = -1;
  annot_case_init(&c);
  const Type **types = annot_returns(&c.annot, annot_case_syntax(&c, text), &n);
  if (part)
    ck_assert(!types && strstr(fixture_messages(&c.f), part) != NULL);
  else
    ck_assert(types != NULL && n == wanted);
  annot_case_free(&c);
}

START_TEST(return_types) {
  returns("pl.Tensor[[4], pl.FP32]", 1, NULL);
  returns("tuple[pl.Tensor[[4], pl.FP32], pl.Scalar[pl.FP32]]", 2, NULL);
  returns("tuple[pl.Tensor[[4], pl.FP32]]", 1, NULL);
  returns("None", 0, NULL);
  returns("pl.VoidType", 0, "cannot return VoidType");
  returns("tuple[pl.Scalar[pl.FP32], pl.VoidType]", 0, "cannot return VoidType");
  returns("tuple[pl.Scalar[pl.FP32], 3]", 0, "is not a type");
}
END_TEST

START_TEST(void_is_no_value) {
  AnnotCase c;
  ParamDir dir;
  annot_case_init(&c);
  const Type *v = type_void(&c.f.ir);
  ck_assert_ptr_ne(v, type_unknown(&c.f.ir));
  ck_assert_ptr_nonnull(type_problem(&c.f.ir, type_tuple(&c.f.ir, &v, 1)));
  ck_assert_ptr_null(annot_param(&c.annot, annot_case_syntax(&c, "pl.VoidType"), &dir));
  annot_case_free(&c);
}
END_TEST

Suite *suite_type_tuple(void) {
  Suite *s = suite_create("tuple types");
  TCase *t = tcase_create("annotations");
  tcase_add_test(t, tuples);
  tcase_add_test(t, return_types);
  tcase_add_test(t, void_is_no_value);
  suite_add_tcase(s, t);
  return s;
}
