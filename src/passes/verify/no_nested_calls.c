/* Three-address code: a call is a whole statement's value, never an operand, a condition or a bound.
 * A launch's predicate is exempt: the scheduler evaluates it, not the program. */
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  bool ok;
} Check;

static void no_call(Check *c, const Expr *e, const char *place) {
  if (!e || e->kind != EXPR_CALL) return;
  diag_error(c->ir->diag, e->span, "a call stands %s", place);
  c->ok = false;
}

static void check_args(Visitor *v, Expr *e) {
  for (int i = 0; i < e->u.call.nargs; i++) {
    no_call(v->ctx, e->u.call.args[i], "in the arguments of another call");
    visit_expr(v, e->u.call.args[i]);
  }
}

static bool check_expr(Visitor *v, Expr *e) {
  if (expr_is_call(e)) {
    check_args(v, e);
    return false;
  }
  if (expr_is_unary(e)) no_call(v->ctx, e->u.operand, "in an expression");
  if (expr_is_binary(e)) {
    no_call(v->ctx, e->u.bin.lhs, "in an expression");
    no_call(v->ctx, e->u.bin.rhs, "in an expression");
  }
  return true;
}

static bool check_stmt(Visitor *v, Stmt *s) {
  if (s->kind == STMT_IF) no_call(v->ctx, s->u.if_.cond, "in a condition");
  if (s->kind == STMT_WHILE) no_call(v->ctx, s->u.loop.cond, "in a condition");
  if (s->kind == STMT_FOR) {
    no_call(v->ctx, s->u.loop.start, "in a loop's bounds");
    no_call(v->ctx, s->u.loop.stop, "in a loop's bounds");
    no_call(v->ctx, s->u.loop.step, "in a loop's bounds");
  }
  if (s->kind != STMT_SCOPE) return true;
  visit_block(v, s->u.scope.body); /* its attributes may hold a predicate */
  return false;
}

bool verify_no_nested_calls(PassCtx *ctx, const Program *p) {
  Check c = {ctx->ir, true};
  Visitor v = {.ctx = &c, .expr = check_expr, .stmt = check_stmt};
  visit_program(&v, p);
  return c.ok;
}
