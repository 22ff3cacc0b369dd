/* deduce_tile_pending.c -- tile operators whose typing is not written yet. */
#include "ir/ops/deduce.h"

#define PENDING(fn) \
  const Type *fn(OpCall *c) { return op_error(c, "the result type is not known yet"); }
PENDING(deduce_tile_mscatter)
PENDING(deduce_tile_mgather)
PENDING(deduce_tile_gather_row)
PENDING(deduce_tile_gather)
PENDING(deduce_tile_gatherb)
PENDING(deduce_tile_gather_mask)
PENDING(deduce_tile_gather_compare)
PENDING(deduce_tile_scatter)
PENDING(deduce_tile_scatter_mask)
PENDING(deduce_tile_sort32)
PENDING(deduce_tile_mrgsort1)
PENDING(deduce_tile_mrgsort2)
PENDING(deduce_tile_none)
PENDING(deduce_tile_split)

OpEffect effect_tile_mgather(const Expr *call, int i) {
  (void)call;
  return i == 2 ? EFFECT_WRITE : EFFECT_READ;
}
