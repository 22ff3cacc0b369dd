/* cast_chain.h -- how a chip converts one element type into another. */
#ifndef PYPTOC_PASSES_UTIL_CAST_CHAIN_H
#define PYPTOC_PASSES_UTIL_CAST_CHAIN_H

#include "target/target.h"

/* The types to convert through, `from` left out and `to` last, into chain[DT_COUNT]; the number of hops.
 * 1: native.  0: the chip cannot, or the types are the same.  Rule: docs/passes/legalize-tile-cast.md. */
int cast_chain(const Target *target, DType from, DType to, DType *chain);

#endif
