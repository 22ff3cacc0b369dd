/* deduce_tile_pending.c -- tile operators whose typing is not written yet. */
#include "ir/ops/deduce.h"

#define PENDING(fn) \
  const Type *fn(OpCall *c) { return op_error(c, "the result type is not known yet"); }
PENDING(deduce_tile_none)
PENDING(deduce_tile_split)
