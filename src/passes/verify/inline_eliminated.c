/* No inline function is left, and every function that is called exists. */
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  const Program *program;
  bool ok;
} Check;

static bool check_expr(Visitor *v, Expr *e) {
  Check *c = v->ctx;
  if (!expr_is_call(e) || !e->u.call.callee || program_func(c->program, e->u.call.callee))
    return true;
  diag_error(c->ir->diag, e->span, "the program has no function '%s'", e->u.call.callee);
  c->ok = false;
  return true;
}

bool verify_inline_eliminated(PassCtx *ctx, const Program *p) {
  Check c = {ctx->ir, p, true};
  for (int i = 0; i < p->nfuncs; i++) {
    if (p->funcs[i]->type != FUNC_INLINE) continue;
    diag_error(ctx->ir->diag, p->funcs[i]->span, "the inline function '%s' is left",
               p->funcs[i]->name);
    c.ok = false;
  }
  Visitor v = {.ctx = &c, .expr = check_expr};
  visit_program(&v, p);
  return c.ok;
}
