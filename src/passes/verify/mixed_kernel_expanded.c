/* Every core function is for one kind of core, and does only what that one can. */
#include "ir/visit.h"
#include "passes/pass.h"
#include "passes/util/affinity.h"

typedef struct Check {
  Ir *ir;
  const Function *f;
  bool ok;
} Check;

static bool check_expr(Visitor *v, Expr *e) {
  Check *c = v->ctx;
  OpAffinity wrong = c->f->type == FUNC_AIC ? AFFINITY_VECTOR : AFFINITY_CUBE;
  if (!expr_op(e) || expr_is_op(e, OP_TILE_ALLOC) || call_affinity(c->ir, e) != wrong) return true;
  diag_error(c->ir->diag, e->span, "function '%s' runs on %s cores, where %s is not possible", c->f->name,
             enum_name(ENUM_FUNC, c->f->type), expr_op(e)->name);
  c->ok = false;
  return true;
}

bool verify_mixed_kernel_expanded(PassCtx *ctx, const Program *p) {
  Check c = {.ir = ctx->ir, .ok = true};
  Visitor v = {.ctx = &c, .expr = check_expr};
  for (int i = 0; i < p->nfuncs; i++) {
    c.f = p->funcs[i];
    if (c.f->type == FUNC_INCORE) {
      diag_error(ctx->ir->diag, c.f->span, "function '%s' has not been given a kind of core", c.f->name);
      c.ok = false;
    }
    if (c.f->type == FUNC_AIC || c.f->type == FUNC_AIV) visit_block(&v, c.f->body);
  }
  return c.ok;
}
