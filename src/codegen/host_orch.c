#include "codegen/host_orch.h"

bool codegen_host(CodegenCtx *ctx, const Program *p, ArtifactList *out) {
  (void)p;
  (void)out;
  diag_error(ctx->ir->diag, NO_SPAN, "host orchestrations cannot be written yet");
  return false;
}
