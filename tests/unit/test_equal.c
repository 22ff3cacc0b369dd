/* test_equal.c -- equality up to the names of variables. */
#include "ir/equal.h"

#include <string.h>

#include "unit.h"

static Fixture f;

static void setup(void) { fixture_init(&f); }
static void teardown(void) { fixture_free(&f); }

/* def f(A, B): C = A + k * B; return RET, as a program; `swap` returns B instead of C. */
static Program *make(const char *a, const char *b, const char *c, int64_t k, bool swap) {
  const Type *t = type_scalar(&f.ir, DT_INDEX);
  Expr *params[] = {expr_var(&f.ir, ir_name(&f.ir, a), t, NO_SPAN),
                    expr_var(&f.ir, ir_name(&f.ir, b), t, NO_SPAN)};
  Expr *sum = expr_var(&f.ir, ir_name(&f.ir, c), t, NO_SPAN);
  Expr *product = expr_binary(&f.ir, EXPR_MUL, expr_index(&f.ir, k), params[1], DT_INDEX, NO_SPAN);
  Expr *value = expr_binary(&f.ir, EXPR_ADD, params[0], product, DT_INDEX, (Span){(uint32_t)k, 1});
  StmtList body = {0};
  vec_push(&body, stmt_assign(&f.ir, sum, value, NO_SPAN));
  vec_push(&body, stmt_return(&f.ir, swap ? &params[1] : &sum, 1, NO_SPAN));
  Function *fn = NEW(&f.arena, Function);
  fn->name = ir_name(&f.ir, "f");
  fn->params = COPY_ARRAY(&f.arena, Expr *, params, 2);
  fn->dirs = NEW_ARRAY(&f.arena, ParamDir, 2);
  fn->nparams = 2;
  fn->body = block_take(&f.ir, &body);
  return program_new(&f.ir, ir_name(&f.ir, "P"), &fn, 1, NO_SPAN);
}

static void same(Program *a, Program *b) {
  Buf why = {0};
  ck_assert_msg(program_equal(&f.ir, a, b, &why), "%s", buf_str(&why));
  ck_assert(program_hash(a) == program_hash(b));
  buf_free(&why);
}

static void different(Program *a, Program *b, const char *wanted) {
  Buf why = {0};
  ck_assert(!program_equal(&f.ir, a, b, &why));
  ck_assert_str_eq(buf_str(&why), wanted);
  buf_free(&why);
}

START_TEST(names_do_not_count) {
  same(make("a", "b", "c", 3, false), make("x", "y", "z", 3, false));
  same(make("a", "b", "c", 3, false), make("a", "a", "a", 3, false));
}
END_TEST

START_TEST(first_difference_has_a_path) {
  different(make("a", "b", "c", 3, false), make("a", "b", "c", 4, false),
            "f.body[0].value.rhs.lhs: 3 and 4");
  different(make("a", "b", "c", 3, false), make("a", "b", "c", 3, true),
            "f.body[1].values[0]: variables 'c' and 'b', which stand for others");
}
END_TEST

START_TEST(attributes_have_no_order) {
  Program *a = make("a", "b", "c", 3, false), *b = make("a", "b", "c", 3, false);
  Name x = ir_name(&f.ir, "x"), y = ir_name(&f.ir, "y");
  a->funcs[0]->attrs =
      attr_with(&f.ir, attr_with(&f.ir, (AttrList){0}, x, attr_of_int(1)), y, attr_of_bool(true));
  b->funcs[0]->attrs =
      attr_with(&f.ir, attr_with(&f.ir, (AttrList){0}, y, attr_of_bool(true)), x, attr_of_int(1));
  same(a, b);
  b->funcs[0]->attrs = attr_with(&f.ir, b->funcs[0]->attrs, x, attr_of_int(2));
  different(a, b, "f.attrs.x: 1 and 2");
}
END_TEST

Suite *suite_equal(void) {
  Suite *s = suite_create("equal");
  TCase *t = tcase_create("structure");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, names_do_not_count);
  tcase_add_test(t, first_difference_has_a_path);
  tcase_add_test(t, attributes_have_no_order);
  suite_add_tcase(s, t);
  return s;
}
