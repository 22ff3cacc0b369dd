/* optimize_orch_tensors.c -- buffers and strides between orchestration and kernels; see
 * docs/passes/optimize-orch-tensors.md.  The rules are in orch_tensors/. */
#include "passes/orch_tensors/orch_tensors.h"
#include "passes/orch_tensors/windows.h"
#include "passes/pass.h"

Program *optimize_orch_tensors(PassCtx *ctx, Program *p) {
  Ir *ir = ctx->ir;
  int errors = ir->diag->errors;
  p = reuse_carried_buffers(ir, p);
  p = stride_assembled_results(ir, p);
  p = store_in_assembling_loops(ir, p);
  p = stride_sliced_arguments(ir, p);
  p = narrow_to_windows(ir, p);
  return ir->diag->errors == errors ? p : NULL;
}
