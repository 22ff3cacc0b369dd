/* A tile type keeps no view that says no more than its shape and space imply: one tile has one type. */
#include "ir/print.h"
#include "ir/view.h"
#include "passes/verify/types.h"

static bool rule(Ir *ir, const Type *t, Span at) {
  if (!type_is_tile(t) || !t->tile_view ||
      !tile_view_is_implied(ir, t->tile_view, t->shape, t->rank, t->dtype, t->space))
    return true;
  diag_error(ir->diag, at, "the type %s has a view that is implied", type_str(ir, t));
  return false;
}

bool verify_tile_type_coherence(PassCtx *ctx, const Program *p) {
  return verify_types(ctx, p, rule);
}
