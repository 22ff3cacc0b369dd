/* pack.h -- puts allocations that are never alive together into one buffer.
 *
 * Textbook: bin packing of live intervals, first fit decreasing by size, under
 * interference.
 */
#ifndef PYPTOC_PASSES_MEMORY_PACK_H
#define PYPTOC_PASSES_MEMORY_PACK_H

#include "passes/memory/apart.h"
#include "passes/memory/lives.h"
#include "passes/memory/reserve.h"
#include "target/target.h"

/* For each interval the one whose allocation it moves into (itself if it stays): into[intervals.len].
 * Reports as hints and warnings where software pipelines get fewer buffers than they have stages. */
void pack_intervals(Ir *ir, const Target *target, const Function *f, const Lives *l,
                    const Apart *apart, const Reserved *reserved, int *into);

#endif
