/* A loop says how many stages it has exactly when it is a pipeline. */
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  Name stages;
  bool ok;
} Check;

static bool check_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind != STMT_FOR) return true;
  bool pipeline = s->u.loop.kind == FOR_PIPELINE;
  if (pipeline == (attr_get(s->u.loop.attrs, c->stages) != NULL)) return true;
  diag_error(c->ir->diag, s->span,
             pipeline ? "the pipeline has no number of stages"
                      : "a loop that is no pipeline has a number of stages");
  c->ok = false;
  return true;
}

bool verify_pipeline_loop_valid(PassCtx *ctx, const Program *p) {
  Check c = {ctx->ir, key_name(KEY_PIPELINE_STAGES), true};
  Visitor v = {.ctx = &c, .stmt = check_stmt};
  visit_program(&v, p);
  return c.ok;
}
