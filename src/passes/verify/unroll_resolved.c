/* No loop is left that is to be unrolled. */
#include "passes/verify/loops.h"

bool verify_unroll_resolved(PassCtx *ctx, const Program *p) {
  return verify_no_loops(ctx, p, FOR_UNROLL, "the loop has not been unrolled");
}
