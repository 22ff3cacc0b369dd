/* test_well_formed_types.c -- VoidType is never a value; ill-formed types are found wherever they stand. */
#include <string.h>

#include "passes/pass.h"
#include "unit.h"

static Fixture f;

static void setup(void) { fixture_init(&f); }
static void teardown(void) { fixture_free(&f); }

static Expr *void_call(void) {
  AttrList none = {0};
  return expr_call_func(&f.ir, ir_name(&f.ir, "g"), NULL, 0, none, none, type_void(&f.ir), NO_SPAN);
}

/* A program of one function with this statement; a message that holds `part`, or none if NULL. */
static void statement(Stmt *s, const char *part) {
  Function *fn = NEW(&f.arena, Function);
  fn->name = ir_name(&f.ir, "f");
  fn->body = block_of(&f.ir, &s, 1);
  Program *p = program_new(&f.ir, fn->name, &fn, 1, NO_SPAN);
  CompileOptions opts = {0};
  PassCtx ctx = {.ir = &f.ir, .opts = &opts};
  ck_assert_int_eq(verify_well_formed_types(&ctx, p), part == NULL);
  if (part) ck_assert_msg(strstr(fixture_messages(&f), part) != NULL, "%s", fixture_messages(&f));
}

START_TEST(void_alone) { statement(stmt_eval(&f.ir, void_call(), NO_SPAN), NULL); }
END_TEST

START_TEST(void_bound) {
  Expr *v = expr_var(&f.ir, ir_name(&f.ir, "v"), type_void(&f.ir), NO_SPAN);
  statement(stmt_assign(&f.ir, v, void_call(), NO_SPAN), "cannot be bound");
}
END_TEST

START_TEST(void_operand) {
  Expr *v = void_call(), *call = void_call();
  call->u.call.args = &v;
  call->u.call.nargs = 1;
  statement(stmt_eval(&f.ir, call, NO_SPAN), "cannot be an operand");
}
END_TEST

START_TEST(void_in_arithmetic) {
  Expr *sum = expr_binary(&f.ir, EXPR_ADD, expr_index(&f.ir, 1), void_call(), DT_INDEX, NO_SPAN);
  statement(stmt_eval(&f.ir, sum, NO_SPAN), "cannot be an operand");
}
END_TEST

START_TEST(void_in_tuple) {
  Expr *v = void_call();
  statement(stmt_eval(&f.ir, expr_tuple(&f.ir, &v, 1, NO_SPAN), NO_SPAN),
            "cannot stand in a tuple");
}
END_TEST

START_TEST(void_yielded) {
  Expr *v = void_call();
  statement(stmt_yield(&f.ir, &v, 1, NO_SPAN), "cannot be yielded");
}
END_TEST

START_TEST(void_returned) {
  Expr *v = void_call();
  statement(stmt_return(&f.ir, &v, 1, NO_SPAN), "cannot be returned");
}
END_TEST

START_TEST(void_attribute) {
  Expr *call = void_call();
  call->u.call.attrs =
      attr_with(&f.ir, (AttrList){0}, ir_name(&f.ir, "size"), attr_of_expr(void_call()));
  statement(stmt_eval(&f.ir, call, NO_SPAN), "an attribute needs a value");
}
END_TEST

START_TEST(ill_formed_type_inside) {
  Expr *lanes = expr_index(&f.ir, 64);
  const Type *reg =
      type_intern(&f.ir, &(Type){.kind = TYPE_REG, .dtype = DT_BOOL, .shape = &lanes, .rank = 1});
  const Type *tuple = type_tuple(&f.ir, &reg, 1);
  Expr *v = expr_var(&f.ir, ir_name(&f.ir, "v"), tuple, NO_SPAN);
  statement(stmt_assign(&f.ir, v, expr_index(&f.ir, 0), NO_SPAN), "a VecReg cannot hold BOOL");
}
END_TEST

Suite *suite_well_formed_types(void) {
  Suite *s = suite_create("well-formed types");
  TCase *t = tcase_create("verifier");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, void_alone);
  tcase_add_test(t, void_bound);
  tcase_add_test(t, void_operand);
  tcase_add_test(t, void_in_arithmetic);
  tcase_add_test(t, void_in_tuple);
  tcase_add_test(t, void_yielded);
  tcase_add_test(t, void_returned);
  tcase_add_test(t, void_attribute);
  tcase_add_test(t, ill_formed_type_inside);
  suite_add_tcase(s, t);
  return s;
}
