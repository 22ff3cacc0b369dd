/* optimize_orch_tensors.c -- buffers and strides between orchestration and kernels; see
 * docs/passes/optimize-orch-tensors.md.  The rules are in orch_tensors/. */
#include "passes/orch_tensors/orch_tensors.h"
#include "passes/pass.h"

/* Narrowing a kernel's parameters to windows is a rule of its own, which is not built yet. */
static bool refuse_windows(PassCtx *ctx, const Program *p) {
  Name windowize = ir_name(ctx->ir, "windowize");
  for (int i = 0; i < p->nfuncs; i++) {
    if (!func_is_incore(p->funcs[i]->type) || !attr_bool(p->funcs[i]->attrs, windowize, false)) continue;
    diag_error(ctx->ir->diag, p->funcs[i]->span,
               "'%s' asks for windows (windowize=True), which the pass OptimizeOrchTensors does not build yet",
               p->funcs[i]->name);
    return true;
  }
  return false;
}

Program *optimize_orch_tensors(PassCtx *ctx, Program *p) {
  Ir *ir = ctx->ir;
  int errors = ir->diag->errors;
  if (refuse_windows(ctx, p)) return NULL;
  p = reuse_carried_buffers(ir, p);
  p = stride_assembled_results(ir, p);
  p = store_in_assembling_loops(ir, p);
  p = stride_sliced_arguments(ir, p);
  return ir->diag->errors == errors ? p : NULL;
}
