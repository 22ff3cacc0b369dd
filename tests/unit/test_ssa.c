#include "passes/pass.h"
#include "passes/util/auto_name.h"
#include "unit.h"

START_TEST(auto_names_are_taken_apart) {
  Fixture f;
  fixture_init(&f);
  Ir *ir = &f.ir;
  AutoName n = auto_name_parse(ir, ir_name(ir, "acc__l0_iter_v12"));
  ck_assert_str_eq(n.base, "acc");
  ck_assert_str_eq(n.qualifier, "l0");
  ck_assert_str_eq(n.role, "iter");
  ck_assert_int_eq(n.version, 12);
  n = auto_name_parse(ir, ir_name(ir, "vv1"));
  ck_assert(!n.suffixed && !n.role && n.version < 0);
  ck_assert_str_eq(auto_name_version(ir, ir_name(ir, "x__ssa_v3"), "rv", 0), "x__rv_v0");
  ck_assert_str_eq(auto_name_version(ir, ir_name(ir, "_"), "idx", 1), "___idx_v1");
  ck_assert_ptr_null(auto_name_version(ir, ir_name(ir, "bad__x"), "ssa", 0));
  ck_assert_str_eq(auto_name_qualify(ir, ir_name(ir, "x__l0_ssa_v1"), "rm"), "x__rm_l0_ssa_v1");
  Map used = {0};
  map_set(&used, ir_name(ir, "buf__ssa_v1"), NULL);
  ck_assert_str_eq(auto_name_fresh(ir, ir_name(ir, "buf__ssa_v0"), &used, NULL), "buf__ssa_v2");
  ck_assert_str_eq(auto_name_fresh(ir, ir_name(ir, "buf"), &used, NULL), "buf__ssa_v0");
  map_free(&used);
  fixture_free(&f);
}
END_TEST

/* A program of one function without parameters. */
static Program *program_of(Ir *ir, StmtList *body) {
  Function f = {.name = ir_name(ir, "main"), .body = block_take(ir, body)};
  Function *funcs[] = {func_copy(ir, &f)};
  return program_new(ir, ir_name(ir, "P"), funcs, 1, NO_SPAN);
}

static Expr *index_var(Ir *ir, const char *name) {
  return expr_var(ir, ir_name(ir, name), type_scalar(ir, DT_INDEX), NO_SPAN);
}

static Stmt *add_to(Ir *ir, Expr *var, Expr *by) {
  return stmt_assign(ir, var, expr_binary(ir, EXPR_ADD, var, by, DT_INDEX, NO_SPAN), NO_SPAN);
}

static Stmt *loop_over(Ir *ir, Expr *var, StmtList *body) {
  Stmt *s = stmt_new(ir, STMT_FOR, NO_SPAN);
  s->u.loop.var = var;
  s->u.loop.start = expr_index(ir, 0);
  s->u.loop.stop = expr_index(ir, 4);
  s->u.loop.step = expr_index(ir, 1);
  s->u.loop.body = block_take(ir, body);
  return s;
}

START_TEST(loop_carries_what_it_changes) {
  Fixture f;
  fixture_init(&f);
  Ir *ir = &f.ir;
  Expr *sum = index_var(ir, "sum"), *i = index_var(ir, "i");
  StmtList inner = {0}, body = {0};
  vec_push(&inner, add_to(ir, sum, i));
  vec_push(&body, stmt_assign(ir, sum, expr_index(ir, 0), NO_SPAN));
  vec_push(&body, loop_over(ir, i, &inner));
  vec_push(&body, stmt_return(ir, &sum, 1, NO_SPAN));
  PassCtx ctx = {.ir = ir};
  Program *p = convert_to_ssa(&ctx, program_of(ir, &body));
  ck_assert_ptr_nonnull(p);
  Block b = p->funcs[0]->body;
  const Stmt *loop = b.items[1];
  ck_assert_int_eq(loop->u.loop.ncarried, 1);
  ck_assert_str_eq(loop->u.loop.iter_args[0]->u.var.name, "sum__iter_v1");
  ck_assert_ptr_eq(loop->u.loop.iter_args[0]->u.var.init, b.items[0]->u.assign.var);
  ck_assert_str_eq(loop->u.loop.var->u.var.name, "i__idx_v0");
  ck_assert_str_eq(loop->u.loop.body.items[0]->u.assign.var->u.var.name, "sum__ssa_v3");
  ck_assert_int_eq(loop->u.loop.body.items[1]->kind, STMT_YIELD);
  ck_assert_ptr_eq(b.items[2]->u.ret.values[0], loop->u.loop.results[0]);
  ck_assert_str_eq(loop->u.loop.results[0]->u.var.name, "sum__rv_v2");
  fixture_free(&f);
}
END_TEST

START_TEST(branches_merge) {
  Fixture f;
  fixture_init(&f);
  Ir *ir = &f.ir;
  Expr *x = index_var(ir, "x");
  StmtList then_body = {0}, body = {0};
  vec_push(&then_body, add_to(ir, x, expr_index(ir, 1)));
  Stmt *branch = stmt_new(ir, STMT_IF, NO_SPAN);
  branch->u.if_.cond = expr_binary(ir, EXPR_LT, x, expr_index(ir, 3), DT_BOOL, NO_SPAN);
  branch->u.if_.then_body = block_take(ir, &then_body);
  vec_push(&body, stmt_assign(ir, x, expr_index(ir, 0), NO_SPAN));
  vec_push(&body, branch);
  vec_push(&body, stmt_return(ir, &x, 1, NO_SPAN));
  PassCtx ctx = {.ir = ir};
  Program *p = convert_to_ssa(&ctx, program_of(ir, &body));
  Block b = p->funcs[0]->body;
  const Stmt *s = b.items[1];
  ck_assert(s->u.if_.has_else);
  ck_assert_int_eq(s->u.if_.nresults, 1);
  ck_assert_str_eq(s->u.if_.results[0]->u.var.name, "x__phi_v2");
  ck_assert_ptr_eq(s->u.if_.else_body.items[0]->u.ret.values[0], b.items[0]->u.assign.var);
  ck_assert_ptr_eq(b.items[2]->u.ret.values[0], s->u.if_.results[0]);
  fixture_free(&f);
}
END_TEST

START_TEST(nested_calls_get_temporaries) {
  Fixture f;
  fixture_init(&f);
  Ir *ir = &f.ir;
  const Type *index = type_scalar(ir, DT_INDEX);
  Name callee = ir_name(ir, "g");
  Expr *x = index_var(ir, "x");
  Expr *inner = expr_call_func(ir, callee, NULL, 0, (AttrList){0}, (AttrList){0}, index, NO_SPAN);
  Expr *args[] = {expr_binary(ir, EXPR_ADD, inner, expr_index(ir, 1), DT_INDEX, NO_SPAN), inner};
  Expr *outer = expr_call_func(ir, callee, args, 2, (AttrList){0}, (AttrList){0}, index, NO_SPAN);
  StmtList body = {0};
  vec_push(&body, stmt_assign(ir, x, outer, NO_SPAN));
  vec_push(&body, stmt_return(ir, &outer, 1, NO_SPAN));
  PassCtx ctx = {.ir = ir};
  Program *p = flatten_call_expr(&ctx, program_of(ir, &body));
  Block b = p->funcs[0]->body;
  ck_assert_int_eq(b.len, 7);
  ck_assert_str_eq(b.items[0]->u.assign.var->u.var.name, "t__tmp_v0");
  ck_assert_ptr_eq(b.items[2]->u.assign.var, x);
  ck_assert_str_eq(b.items[5]->u.assign.var->u.var.name, "t__tmp_v4");
  ck_assert_ptr_eq(b.items[6]->u.ret.values[0], b.items[5]->u.assign.var);
  fixture_free(&f);
}
END_TEST

/* for i in range(n, carrying x from 0): x + 1; the result is returned. */
static Program *counting_loop(Ir *ir, int64_t n, LoopPolicy policy) {
  const Type *index = type_scalar(ir, DT_INDEX);
  Expr *x = expr_iter_arg(ir, ir_name(ir, "x"), index, expr_index(ir, 0), NO_SPAN);
  Expr *next = expr_binary(ir, EXPR_ADD, x, expr_index(ir, 1), DT_INDEX, NO_SPAN);
  Expr *result = index_var(ir, "result");
  StmtList inner = {0}, body = {0};
  vec_push(&inner, stmt_yield(ir, &next, 1, NO_SPAN));
  Stmt *loop = loop_over(ir, index_var(ir, "i"), &inner);
  loop->u.loop.stop = expr_index(ir, n);
  loop->u.loop.policy = policy;
  loop->u.loop.iter_args = COPY_ARRAY(ir->arena, Expr *, &x, 1);
  loop->u.loop.results = COPY_ARRAY(ir->arena, Expr *, &result, 1);
  loop->u.loop.ncarried = loop->u.loop.nresults = 1;
  vec_push(&body, loop);
  vec_push(&body, stmt_return(ir, &result, 1, NO_SPAN));
  return program_of(ir, &body);
}

START_TEST(short_loops_go) {
  Fixture f;
  fixture_init(&f);
  PassCtx ctx = {.ir = &f.ir};
  for (int policy = HW_LOOP_AUTO; policy <= HW_LOOP_REQUIRE; policy++) {
    Block b = simplify(&ctx, counting_loop(&f.ir, 0, (LoopPolicy)policy))->funcs[0]->body;
    ck_assert_int_eq(b.items[0]->kind, STMT_ASSIGN);
    ck_assert_int_eq(b.items[0]->u.assign.value->u.i, 0);
    b = simplify(&ctx, counting_loop(&f.ir, 1, (LoopPolicy)policy))->funcs[0]->body;
    ck_assert_int_eq(b.len, policy == HW_LOOP_REQUIRE ? 2 : 1);
    b = simplify(&ctx, counting_loop(&f.ir, 2, (LoopPolicy)policy))->funcs[0]->body;
    ck_assert_int_eq(b.len, 2);
  }
  Block b = simplify(&ctx, counting_loop(&f.ir, 1, HW_LOOP_AUTO))->funcs[0]->body;
  ck_assert_int_eq(b.items[0]->u.ret.values[0]->u.i, 1);
  fixture_free(&f);
}
END_TEST

START_TEST(dead_branches_and_scalars_go) {
  Fixture f;
  fixture_init(&f);
  Ir *ir = &f.ir;
  Expr *n = index_var(ir, "n"), *unused = index_var(ir, "unused"),
       *result = index_var(ir, "result");
  Expr *zero = expr_index(ir, 0);
  StmtList then_body = {0}, else_body = {0}, body = {0};
  vec_push(&then_body, stmt_yield(ir, &n, 1, NO_SPAN));
  vec_push(&else_body, stmt_yield(ir, &zero, 1, NO_SPAN));
  Stmt *branch = stmt_new(ir, STMT_IF, NO_SPAN);
  branch->u.if_.cond = expr_binary(ir, EXPR_LT, n, expr_index(ir, 9), DT_BOOL, NO_SPAN);
  branch->u.if_.then_body = block_take(ir, &then_body);
  branch->u.if_.else_body = block_take(ir, &else_body);
  branch->u.if_.has_else = true;
  branch->u.if_.results = COPY_ARRAY(ir->arena, Expr *, &result, 1);
  branch->u.if_.nresults = 1;
  vec_push(&body, stmt_assign(ir, n, expr_index(ir, 7), NO_SPAN));
  vec_push(&body, stmt_assign(ir, unused, n, NO_SPAN));
  vec_push(&body, branch);
  vec_push(&body, stmt_return(ir, &result, 1, NO_SPAN));
  PassCtx ctx = {.ir = ir};
  Block b = simplify(&ctx, program_of(ir, &body))->funcs[0]->body;
  ck_assert_int_eq(b.len, 1);
  ck_assert_int_eq(b.items[0]->u.ret.values[0]->u.i, 7);
  fixture_free(&f);
}
END_TEST

Suite *suite_ssa(void) {
  Suite *s = suite_create("ssa");
  TCase *t = tcase_create("passes");
  tcase_add_test(t, auto_names_are_taken_apart);
  tcase_add_test(t, loop_carries_what_it_changes);
  tcase_add_test(t, branches_merge);
  tcase_add_test(t, nested_calls_get_temporaries);
  tcase_add_test(t, short_loops_go);
  tcase_add_test(t, dead_branches_and_scalars_go);
  suite_add_tcase(s, t);
  return s;
}
