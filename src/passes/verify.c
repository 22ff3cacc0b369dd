#include "passes/verify.h"

bool verify_properties(PassCtx *ctx, const Program *p, uint64_t props, const char *after) {
  bool ok = true;
  ctx->as_read = after == NULL;
  for (int i = 0; i < PROP_COUNT; i++) {
    VerifyFn verify = property_verifier(i);
    if (!(props >> i & 1) || verify(ctx, p)) continue;
    if (after)
      diag_note(ctx->ir->diag, NO_SPAN, "the property %s does not hold after the pass %s",
                property_name(i), after);
    ok = false;
  }
  ctx->as_read = false;
  return ok;
}

bool verify_required(PassCtx *ctx, const Program *p, uint64_t props, const char *pass) {
  Diag *d = ctx->ir->diag;
  for (int i = 0; i < PROP_COUNT; i++) {
    if (!(props >> i & 1)) continue;
    Diag before = *d;
    FirstError why = {NO_SPAN, NULL};
    d->first = &why;
    bool ok = property_verifier(i)(ctx, p);
    *d = before;
    if (ok) continue;
    const PassInfo *giver = pass_producing(i);
    diag_error(d, why.at, "%s needs %s%s%s%s", pass, property_name(i), giver ? ", which " : "",
               giver ? giver->name : "", giver ? " gives" : "");
    if (why.text) diag_note(d, NO_SPAN, "%s", why.text);
    return false;
  }
  return true;
}
