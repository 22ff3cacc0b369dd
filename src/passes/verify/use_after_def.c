/* Every variable is used only behind a place that sets it. */
#include "passes/pass.h"
#include "passes/verify/scoping.h"

bool verify_use_after_def(PassCtx *ctx, const Program *p) {
  return check_scoping(ctx->ir, p, (ScopingRules){.leaks = true, .once = false});
}
