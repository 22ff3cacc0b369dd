/* Every core function is for one kind of core, and does only what that one can. */
#include "passes/pass.h"
#include "passes/util/affinity.h"

bool verify_mixed_kernel_expanded(PassCtx *ctx, const Program *p) {
  bool ok = true;
  for (int i = 0; i < p->nfuncs; i++) {
    const Function *f = p->funcs[i];
    if (!func_is_incore(f->type)) continue;
    OpAffinity a = block_affinity(ctx->ir, f->body);
    OpAffinity wrong = f->type == FUNC_AIC ? AFFINITY_VECTOR : AFFINITY_CUBE;
    if (f->type != FUNC_INCORE && a != AFFINITY_MIXED && a != wrong) continue;
    diag_error(ctx->ir->diag, f->span, "function '%s' (%s) contains work for the other kind of core",
               f->name, enum_name(ENUM_FUNC, f->type));
    ok = false;
  }
  return ok;
}
