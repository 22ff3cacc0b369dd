/* CompactMode.normal packs the valid region of a boxed tile; it means something only where tiles are boxes
 * of the matrix unit, in Left, Right and Acc. */
#include "ir/print.h"
#include "passes/verify/types.h"

static bool packs(MemSpace space) {
  return space == MEM_LEFT || space == MEM_RIGHT || space == MEM_ACC;
}

static bool rule(Ir *ir, const Type *t, Span at) {
  if (!type_is_tile(t) || !t->tile_view || t->tile_view->compact == COMPACT_NULL || packs(t->space))
    return true;
  diag_error(ir->diag, at, "%s cannot be compact: only tiles in Left, Right and Acc are",
             type_str(ir, t));
  return false;
}

bool verify_acc_compact_valid(PassCtx *ctx, const Program *p) { return verify_types(ctx, p, rule); }
