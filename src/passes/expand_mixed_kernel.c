/* ExpandMixedKernel: every core function runs on one kind of core; docs/passes/expand-mixed-kernel.md. */
#include "ir/rewrite.h"
#include "passes/pass.h"
#include "passes/util/affinity.h"

/* Region membership has been read. */
static Expr *strip_placement(Rewriter *r, Expr *e) {
  Expr *n = rewrite_expr_children(r, e);
  Name key = ir_name(r->ir, "core_placement");
  if (n->kind != EXPR_CALL || !attr_get(n->u.call.attrs, key)) return n;
  n = expr_copy(r->ir, n);
  n->u.call.attrs = attr_without(r->ir, n->u.call.attrs, key);
  return n;
}

static Function *on_one_core(Ir *ir, Function *f, OpAffinity affinity) {
  Function *g = func_copy(ir, f);
  bool cube = affinity == AFFINITY_CUBE;
  g->type = cube ? FUNC_AIC : FUNC_AIV;
  g->level = cube ? LEVEL_AIC : LEVEL_AIV;
  g->role = ROLE_SUB_WORKER;
  g->attrs = attr_without(ir, f->attrs, ir_name(ir, "split"));
  return g;
}

static Function *expand_func(void *context, Function *f) {
  PassCtx *ctx = context;
  if (f->type == FUNC_INCORE) {
    OpAffinity affinity = block_affinity(ctx->ir, f->body);
    if (affinity == AFFINITY_MIXED) {
      diag_error(ctx->ir->diag, f->span,
                 "function '%s' needs both kinds of core, and ExpandMixedKernel cannot split it yet", f->name);
      return NULL;
    }
    f = on_one_core(ctx->ir, f, affinity);
  }
  Rewriter r;
  rewriter_init(&r, ctx->ir, ctx);
  r.expr = strip_placement;
  f = rewrite_func(&r, f);
  rewriter_free(&r);
  return f;
}

Program *expand_mixed_kernel(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, expand_func, ctx);
}
