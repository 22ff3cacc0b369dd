#include "passes/verify.h"

bool verify_properties(PassCtx *ctx, const Program *p, uint64_t props, const char *after) {
  bool ok = true;
  ctx->as_read = after == NULL;
  for (int i = 0; i < PROP_COUNT; i++) {
    VerifyFn verify = property_verifier(i);
    if (!(props >> i & 1) || !verify || verify(ctx, p)) continue;
    if (after)
      diag_note(ctx->ir->diag, NO_SPAN, "the property %s does not hold after the pass %s",
                property_name(i), after);
    ok = false;
  }
  ctx->as_read = false;
  return ok;
}
