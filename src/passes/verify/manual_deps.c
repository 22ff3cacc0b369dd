/* Dependencies that are written by hand stand at launches: neither at plain calls, nor in attributes. */
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  Name edges;
  bool ok;
} Check;

static bool check_expr(Visitor *v, Expr *e) {
  Check *c = v->ctx;
  if (!expr_is_call(e) || !e->u.call.callee || !attr_get(e->u.call.attrs, c->edges)) return true;
  diag_error(c->ir->diag, e->span, "%s",
             e->kind == EXPR_CALL
                 ? "a plain call cannot have dependencies: launch it with pl.submit"
                 : "a launch keeps its dependencies in an attribute");
  c->ok = false;
  return true;
}

bool verify_manual_deps(PassCtx *ctx, const Program *p) {
  Check c = {ctx->ir, key_name(KEY_MANUAL_DEP_EDGES), true};
  Visitor v = {.ctx = &c, .expr = check_expr};
  visit_program(&v, p);
  return c.ok;
}
