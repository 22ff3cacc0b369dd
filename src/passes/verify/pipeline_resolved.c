/* No software pipeline is left. */
#include "passes/verify/loops.h"

bool verify_pipeline_resolved(PassCtx *ctx, const Program *p) {
  return verify_no_loops(ctx, p, FOR_PIPELINE, "the pipeline has not been resolved");
}
