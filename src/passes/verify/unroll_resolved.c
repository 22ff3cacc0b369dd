/* No loop is left that is to be unrolled. */
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  bool ok;
} Check;

static bool check_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind != STMT_FOR || s->u.loop.kind != FOR_UNROLL) return true;
  diag_error(c->ir->diag, s->span, "the loop has not been unrolled");
  c->ok = false;
  return true;
}

bool verify_unroll_resolved(PassCtx *ctx, const Program *p) {
  Check c = {ctx->ir, true};
  Visitor v = {.ctx = &c, .stmt = check_stmt};
  visit_program(&v, p);
  return c.ok;
}
