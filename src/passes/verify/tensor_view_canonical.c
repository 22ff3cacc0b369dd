/* The view of every tensor is canonical: shape, strides and layout agree. */
#include "ir/print.h"
#include "ir/view.h"
#include "passes/verify/types.h"

static bool check(Ir *ir, const Type *t, Span at, bool materialized) {
  const char *problem = type_is_tensor(t) ? tensor_view_problem(ir, t, materialized) : NULL;
  if (!problem) return true;
  diag_error(ir->diag, at, "the view of %s is not canonical: %s", type_str(ir, t), problem);
  return false;
}

static bool canonical(Ir *ir, const Type *t, Span at) { return check(ir, t, at, false); }
static bool strides_written(Ir *ir, const Type *t, Span at) { return check(ir, t, at, true); }

bool verify_tensor_view_canonical(PassCtx *ctx, const Program *p) {
  return verify_types(ctx, p, canonical);
}
bool verify_tensor_strides_written(PassCtx *ctx, const Program *p) {
  return verify_types(ctx, p, strides_written);
}
