/* No break or continue is left in a function that runs on a core. */
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  bool ok;
} Check;

static bool check_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind != STMT_BREAK && s->kind != STMT_CONTINUE) return true;
  diag_error(c->ir->diag, s->span, "a '%s' is left in a kernel",
             s->kind == STMT_BREAK ? "break" : "continue");
  c->ok = false;
  return true;
}

bool verify_structured_ctrl_flow(PassCtx *ctx, const Program *p) {
  Check c = {ctx->ir, true};
  Visitor v = {.ctx = &c, .stmt = check_stmt};
  for (int i = 0; i < p->nfuncs; i++) {
    if (func_is_incore(p->funcs[i]->type)) visit_func(&v, p->funcs[i]);
  }
  return c.ok;
}
