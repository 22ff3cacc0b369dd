/* test_print.c -- the printed form, of IR that is built by hand. */
#include "ir/print.h"

#include <string.h>

#include "ir/op.h"

#include "unit.h"

static Fixture f;

static void setup(void) { fixture_init(&f); }
static void teardown(void) { fixture_free(&f); }

static Name nm(const char *s) { return ir_name(&f.ir, s); }
static Expr *index_var(const char *s) {
  return expr_var(&f.ir, nm(s), type_scalar(&f.ir, DT_INDEX), NO_SPAN);
}
static Expr *num(int64_t i) { return expr_index(&f.ir, i); }
static Expr *bin(ExprKind k, Expr *a, Expr *b) {
  return expr_binary(&f.ir, k, a, b, DT_INDEX, NO_SPAN);
}
static Expr *neg(Expr *a) { return expr_unary(&f.ir, EXPR_NEG, a, DT_INDEX, NO_SPAN); }

static void prints(Expr *e, const char *wanted) { ck_assert_str_eq(expr_str(&f.ir, e), wanted); }

START_TEST(parentheses) {
  Expr *a = index_var("a"), *b = index_var("b");
  Expr *sum = bin(EXPR_ADD, a, b), *product = bin(EXPR_MUL, a, b), *power = bin(EXPR_POW, a, b);
  prints(bin(EXPR_MUL, sum, b), "(a + b) * b");
  prints(bin(EXPR_ADD, product, b), "a * b + b");
  prints(bin(EXPR_SUB, sum, sum), "a + b - (a + b)");
  prints(bin(EXPR_POW, power, b), "(a ** b) ** b");
  prints(bin(EXPR_POW, a, power), "a ** a ** b");
  prints(bin(EXPR_FLOOR_MOD, a, product), "a % (a * b)");
  prints(neg(sum), "-(a + b)");
  prints(neg(power), "-a ** b");
  prints(bin(EXPR_POW, neg(a), b), "(-a) ** b");
  prints(bin(EXPR_LT, sum, bin(EXPR_BIT_OR, a, b)), "a + b < a | b");
  prints(bin(EXPR_AND, bin(EXPR_OR, a, b), bin(EXPR_EQ, a, b)), "(a or b) and a == b");
  prints(expr_unary(&f.ir, EXPR_NOT, bin(EXPR_AND, a, b), DT_BOOL, NO_SPAN), "not (a and b)");
  prints(bin(EXPR_MIN, sum, bin(EXPR_MAX, a, num(2))), "pl.min(a + b, pl.max(a, 2))");
  prints(expr_unary(&f.ir, EXPR_ABS, sum, DT_INDEX, NO_SPAN), "abs(a + b)");
  prints(expr_cast(&f.ir, sum, DT_FP32, NO_SPAN), "pl.cast(a + b, pl.FP32)");
}
END_TEST

/* What would be folded when read keeps the type of its constants. */
START_TEST(constants) {
  Expr *a = index_var("a");
  prints(num(42), "42");
  prints(expr_int(&f.ir, -3, DT_INT64, NO_SPAN), "pl.const(-3, pl.INT64)");
  prints(bin(EXPR_ADD, num(3), num(4)), "pl.const(3, pl.INDEX) + pl.const(4, pl.INDEX)");
  prints(bin(EXPR_ADD, a, bin(EXPR_MUL, num(3), num(4))),
         "a + pl.const(3, pl.INDEX) * pl.const(4, pl.INDEX)");
  prints(bin(EXPR_MUL, bin(EXPR_ADD, a, num(3)), num(4)), "(a + 3) * 4");
  prints(expr_bool(&f.ir, true, NO_SPAN), "True");
  static const struct {
    double v;
    const char *text;
  } floats[] = {{4, "4.0"},
                {0.5, "0.5"},
                {0.1, "0.10000000000000001"},
                {1e20, "1e+20"},
                {-3.4028234663852886e38, "-3.4028234663852886e+38"},
                {1e-7, "9.9999999999999995e-08"}};
  for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
    prints(expr_float(&f.ir, floats[i].v, DT_FP32, NO_SPAN), floats[i].text);
  prints(expr_float(&f.ir, 1, DT_BF16, NO_SPAN), "pl.const(1.0, pl.BF16)");
}
END_TEST

/* ---- whole programs ---- */

static Function *func(const char *name, Expr **params, int n, StmtList *body) {
  Function *fn = NEW(&f.arena, Function);
  fn->name = nm(name);
  fn->params = COPY_ARRAY(&f.arena, Expr *, params, n);
  fn->dirs = NEW_ARRAY(&f.arena, ParamDir, n);
  fn->nparams = n;
  fn->body = block_take(&f.ir, body);
  return fn;
}

static void program_prints(Function **funcs, int n, const char *wanted) {
  Buf out = {0};
  Program *p = program_new(&f.ir, nm("P"), funcs, n, NO_SPAN);
  print_program(&out, &f.ir, p, &(PrintOptions){0});
  ck_assert_str_eq(buf_str(&out), wanted);
  buf_free(&out);
}

static Stmt *assign(Expr *var, Expr *value) { return stmt_assign(&f.ir, var, value, NO_SPAN); }

START_TEST(names_of_one_text) {
  Expr *x = index_var("x"), *x2 = index_var("x"), *x_1 = index_var("x_1"), *x3 = index_var("x");
  StmtList body = {0};
  vec_push(&body, assign(x2, bin(EXPR_ADD, x, num(1))));
  vec_push(&body, assign(x_1, x2));
  vec_push(&body, assign(x3, x_1));
  vec_push(&body, stmt_return(&f.ir, &x3, 1, NO_SPAN));
  Function *fn = func("f", &x, 1, &body);
  program_prints(&fn, 1,
                 "# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\nclass P:\n"
                 "    @pl.function\n    def f(self, x: pl.Scalar[pl.INDEX]):\n"
                 "        x_2: pl.Scalar[pl.INDEX] = x + 1\n"
                 "        x_1: pl.Scalar[pl.INDEX] = x_2\n"
                 "        x_3: pl.Scalar[pl.INDEX] = x_1\n"
                 "        return x_3");
}
END_TEST

START_TEST(leaked_variable_is_marked) {
  Expr *stray = index_var("t");
  StmtList body = {0};
  vec_push(&body, stmt_return(&f.ir, &stray, 1, NO_SPAN));
  Function *fn = func("f", NULL, 0, &body);
  program_prints(&fn, 1,
                 "# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\nclass P:\n"
                 "    @pl.function\n    def f(self):\n        return t__FREE_VAR");
}
END_TEST

START_TEST(callees_come_first) {
  StmtList calls = {0}, empty = {0}, more = {0};
  const Type *unknown = type_unknown(&f.ir);
  AttrList none = {0};
  vec_push(&calls,
           stmt_eval(&f.ir, expr_call_func(&f.ir, nm("z"), NULL, 0, none, none, unknown, NO_SPAN),
                     NO_SPAN));
  vec_push(&more,
           stmt_eval(&f.ir, expr_call_func(&f.ir, nm("a"), NULL, 0, none, none, unknown, NO_SPAN),
                     NO_SPAN));
  Function *funcs[] = {func("a", NULL, 0, &calls), func("z", NULL, 0, &empty),
                       func("m", NULL, 0, &more)};
  program_prints(funcs, 3,
                 "# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\nclass P:\n"
                 "    @pl.function\n    def z(self):\n        pass\n"
                 "    @pl.function\n    def a(self):\n        self.z()\n"
                 "    @pl.function\n    def m(self):\n        self.a()");
}
END_TEST

START_TEST(cycles_go_by_name) {
  StmtList calls = {0}, back = {0};
  const Type *unknown = type_unknown(&f.ir);
  AttrList none = {0};
  vec_push(&calls,
           stmt_eval(&f.ir, expr_call_func(&f.ir, nm("z"), NULL, 0, none, none, unknown, NO_SPAN),
                     NO_SPAN));
  vec_push(&back,
           stmt_eval(&f.ir, expr_call_func(&f.ir, nm("a"), NULL, 0, none, none, unknown, NO_SPAN),
                     NO_SPAN));
  Function *funcs[] = {func("z", NULL, 0, &back), func("a", NULL, 0, &calls)};
  program_prints(funcs, 2,
                 "# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\nclass P:\n"
                 "    @pl.function\n    def a(self):\n        self.z()\n"
                 "    @pl.function\n    def z(self):\n        self.a()");
}
END_TEST

START_TEST(dynamic_dimensions_are_declared) {
  Expr *n = index_var("N"), *m = index_var("M"), *dims[2];
  dims[0] = bin(EXPR_MUL, n, num(2));
  dims[1] = m;
  Expr *x = expr_var(&f.ir, nm("x"), type_tensor(&f.ir, dims, 2, DT_FP32), NO_SPAN);
  StmtList body = {0};
  Function *fn = func("f", &x, 1, &body);
  fn->type = FUNC_INCORE;
  fn->role = ROLE_SUB_WORKER;
  fn->dirs[0] = PARAM_OUT;
  fn->returns = NEW_ARRAY(&f.arena, const Type *, 1);
  fn->returns[0] = x->type;
  fn->nreturns = 1;
  program_prints(&fn, 1,
                 "# pypto.program: P\nimport pypto.language as pl\n\n"
                 "M = pl.dynamic(\"M\")\nN = pl.dynamic(\"N\")\n\n@pl.program\nclass P:\n"
                 "    @pl.function(type=pl.FunctionType.InCore, role=pl.Role.SubWorker)\n"
                 "    def f(x: pl.Out[pl.Tensor[[N * pl.const(2, pl.INDEX), M], pl.FP32]]) -> "
                 "pl.Tensor[[N * pl.const(2, pl.INDEX), M], pl.FP32]:\n        pass");
}
END_TEST

START_TEST(loops_and_results) {
  Expr *init = index_var("x"), *i = index_var("i"), *res = index_var("out");
  Expr *it = expr_iter_arg(&f.ir, nm("acc"), init->type, init, NO_SPAN);
  Expr *next = bin(EXPR_ADD, it, i);
  StmtList inner = {0}, body = {0};
  vec_push(&inner, stmt_yield(&f.ir, &next, 1, NO_SPAN));
  Stmt *loop = stmt_new(&f.ir, STMT_FOR, NO_SPAN);
  loop->u.loop.var = i;
  loop->u.loop.start = num(0);
  loop->u.loop.stop = num(8);
  loop->u.loop.step = num(2);
  loop->u.loop.iter_args = COPY_ARRAY(&f.arena, Expr *, &it, 1);
  loop->u.loop.results = COPY_ARRAY(&f.arena, Expr *, &res, 1);
  loop->u.loop.ncarried = loop->u.loop.nresults = 1;
  loop->u.loop.policy = HW_LOOP_REQUIRE;
  loop->u.loop.body = block_take(&f.ir, &inner);
  loop->comments = COPY_ARRAY(&f.arena, Name, (Name[]){nm("sum them up")}, 1);
  loop->ncomments = 1;
  vec_push(&body, loop);
  vec_push(&body, stmt_return(&f.ir, &res, 1, NO_SPAN));
  Function *fn = func("f", &init, 1, &body);
  program_prints(&fn, 1,
                 "# pypto.program: P\nimport pypto.language as pl\n\n@pl.program\nclass P:\n"
                 "    @pl.function\n    def f(self, x: pl.Scalar[pl.INDEX]):\n"
                 "        # sum them up\n"
                 "        for i, (acc,) in pl.range(0, 8, 2, init_values=(x,), "
                 "hardware_loop_policy=pl.HardwareLoopPolicy.Require):\n"
                 "            out: pl.Scalar[pl.INDEX] = pl.yield_(acc + i)\n"
                 "        return out");
}
END_TEST

/* The operators that are written in a form of their own, and no others. */
START_TEST(operators_with_a_form) {
  static const struct {
    const char *name;
    OpPrint form;
  } rows[] = {{"tile.alloc", PRINT_ALLOC},
              {"tensor.alloc", PRINT_ALLOC},
              {"tile.full", PRINT_FULL},
              {"tensor.full", PRINT_FULL},
              {"tensor.add", PRINT_ADDS},
              {"tile.reinterpret_view", PRINT_REINTERPRET},
              {"tensor.reinterpret_view", PRINT_REINTERPRET},
              {"system.syncall", PRINT_SYNCALL},
              {"system.task_dummy", PRINT_TASK_DUMMY},
              {"tile.gather_row", PRINT_GATHER_ROW},
              {"tensor.gather_row", PRINT_GATHER_ROW},
              {"tile.mgather", PRINT_MGATHER},
              {"pld.tensor.alloc_window_buffer", PRINT_NO_NAME},
              {"tile.aiv_shard", PRINT_NO_SPLIT},
              {"tile.aic_gather", PRINT_NO_SPLIT},
              {"tensor.aiv_shard", PRINT_NO_SPLIT},
              {"tensor.aic_gather", PRINT_NO_SPLIT},
              {"pld.tile.remote_load", PRINT_REMOTE_LOAD}};
  int with_form = 0, n = sizeof rows / sizeof *rows;
  for (int i = 0; i < n; i++) {
    const Op *op = op_by_name(&f.ir, nm(rows[i].name));
    ck_assert_msg(op != NULL, "%s", rows[i].name);
    ck_assert_msg(op->print == rows[i].form, "%s", rows[i].name);
  }
  for (int id = OP_NONE + 1; id < OP_COUNT; id++)
    with_form += op_get(&f.ir, (OpId)id)->print != PRINT_CALL;
  ck_assert_int_eq(with_form, n);
}
END_TEST

Suite *suite_print(void) {
  Suite *s = suite_create("print");
  TCase *t = tcase_create("printed form");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, parentheses);
  tcase_add_test(t, constants);
  tcase_add_test(t, names_of_one_text);
  tcase_add_test(t, leaked_variable_is_marked);
  tcase_add_test(t, callees_come_first);
  tcase_add_test(t, cycles_go_by_name);
  tcase_add_test(t, dynamic_dimensions_are_declared);
  tcase_add_test(t, loops_and_results);
  tcase_add_test(t, operators_with_a_form);
  suite_add_tcase(s, t);
  return s;
}
