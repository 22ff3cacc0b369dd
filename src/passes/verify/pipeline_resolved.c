/* No software pipeline is left. */
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  bool ok;
} Check;

static bool check_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind != STMT_FOR || s->u.loop.kind != FOR_PIPELINE) return true;
  diag_error(c->ir->diag, s->span, "the pipeline has not been resolved");
  c->ok = false;
  return true;
}

bool verify_pipeline_resolved(PassCtx *ctx, const Program *p) {
  Check c = {ctx->ir, true};
  Visitor v = {.ctx = &c, .stmt = check_stmt};
  visit_program(&v, p);
  return c.ok;
}
