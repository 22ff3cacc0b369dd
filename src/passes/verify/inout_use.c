/* A variable that a function was called with as an output is not read again: what stands behind the call
 * reads the call's result.  Wrappers of kernels are exempt, their calls share outputs. */
#include "base/map.h"
#include "base/vec.h"
#include "ir/visit.h"
#include "passes/pass.h"

typedef VEC(const Expr *) VarList;

typedef struct Check {
  Ir *ir;
  const Program *program;
  Map spent;        /* variable -> the call that wrote it */
  VarList undo;     /* variables spent, in order */
  const Expr *told; /* the call last reported: a loop meets the same one again behind its end */
  bool silent;      /* only finding out what a loop's body leaves spent */
  bool ok;
} Check;

static void check_block(Check *c, Block b);

static void spend(Check *c, const Expr *var, const Expr *call) {
  if (map_has(&c->spent, var)) return;
  map_set(&c->spent, var, (void *)call);
  vec_push(&c->undo, var);
}

static void spend_outputs(Check *c, const Expr *call) {
  const Function *f = call->u.call.callee ? program_func(c->program, call->u.call.callee) : NULL;
  for (int i = 0; f && i < f->nparams && i < call->u.call.nargs; i++)
    if (f->dirs[i] != PARAM_IN && expr_is_var(call->u.call.args[i]))
      spend(c, call->u.call.args[i], call);
}

static void check_read(Check *c, const Expr *var) {
  const Expr *call = c->silent ? NULL : map_get(&c->spent, var);
  if (!call) return;
  map_remove(&c->spent, var); /* one message is enough */
  c->ok = false;
  if (call == c->told) return;
  c->told = call;
  diag_error(c->ir->diag, call->span, "'%s' is an output of this call, but is read again",
             var->u.var.name);
  diag_note(c->ir->diag, NO_SPAN, "read what the call returns");
}

static bool check_expr(Visitor *v, Expr *e) {
  Check *c = v->ctx;
  if (e->kind == EXPR_VAR) check_read(c, e);
  if (e->kind != EXPR_CALL) return true;
  for (int i = 0; i < e->u.call.nargs; i++) visit_expr(v, e->u.call.args[i]);
  spend_outputs(c, e);
  return false;
}

static void check(Check *c, Expr *e) {
  Visitor v = {.ctx = c, .expr = check_expr};
  if (e) visit_expr(&v, e);
}

static void forget(Check *c, Expr *const *vars, int n) {
  for (int i = 0; i < n; i++) map_remove(&c->spent, vars[i]);
}

/* What the body spends is spent when the next pass through it begins. */
static void check_loop(Check *c, Stmt *s) {
  check(c, s->u.loop.start);
  check(c, s->u.loop.stop);
  check(c, s->u.loop.step);
  for (int i = 0; i < s->u.loop.ncarried; i++) check(c, s->u.loop.iter_args[i]->u.var.init);
  check(c, s->u.loop.cond);
  if (!c->silent) {
    c->silent = true;
    check_block(c, s->u.loop.body);
    c->silent = false;
    forget(c, s->u.loop.iter_args, s->u.loop.ncarried);
  }
  check_block(c, s->u.loop.body);
  forget(c, s->u.loop.iter_args, s->u.loop.ncarried);
}

/* One branch does not see what the other spends; behind them both count. */
static void check_if(Check *c, Stmt *s) {
  check(c, s->u.if_.cond);
  size_t mark = c->undo.len;
  check_block(c, s->u.if_.then_body);
  VarList then_spent = {0};
  VEC(const Expr *) calls = {0};
  while (c->undo.len > mark) {
    const Expr *var = vec_pop(&c->undo), *call = map_get(&c->spent, var);
    if (!call) continue;
    vec_push(&then_spent, var);
    vec_push(&calls, call);
    map_remove(&c->spent, var);
  }
  if (s->u.if_.has_else) check_block(c, s->u.if_.else_body);
  for (size_t i = 0; i < then_spent.len; i++) spend(c, then_spent.data[i], calls.data[i]);
  vec_free(&then_spent);
  vec_free(&calls);
}

static void check_stmt(Check *c, Stmt *s) {
  switch (s->kind) {
    case STMT_ASSIGN:
      check(c, s->u.assign.value);
      map_remove(&c->spent, s->u.assign.var);
      break;
    case STMT_EVAL: check(c, s->u.eval); break;
    case STMT_RETURN:
    case STMT_YIELD:
      for (int i = 0; i < s->u.ret.len; i++) check(c, s->u.ret.values[i]);
      break;
    case STMT_IF: check_if(c, s); break;
    case STMT_FOR:
    case STMT_WHILE: check_loop(c, s); break;
    case STMT_SCOPE: check_block(c, s->u.scope.body); break;
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_INLINE: break;
  }
}

static void check_block(Check *c, Block b) {
  for (int i = 0; i < b.len; i++) check_stmt(c, b.items[i]);
}

bool verify_inout_use(PassCtx *ctx, const Program *p) {
  Check c = {.ir = ctx->ir, .program = p, .ok = true};
  for (int i = 0; i < p->nfuncs; i++) {
    if (func_is_wrapper(p->funcs[i]->type)) continue;
    map_clear(&c.spent);
    vec_clear(&c.undo);
    check_block(&c, p->funcs[i]->body);
  }
  map_free(&c.spent);
  vec_free(&c.undo);
  return c.ok;
}
