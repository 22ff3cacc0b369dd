/* handoffs.h -- pairs of allocations whose sharing would make one pipe wait for another. */
#ifndef PYPTOC_PASSES_UTIL_HANDOFFS_H
#define PYPTOC_PASSES_UTIL_HANDOFFS_H

#include "passes/util/apart.h"

/* Appends the pairs of intervals that the rules of docs/passes/allocate-memory-addr.md find; sizes[] are
 * the intervals' bytes, and pairs already kept apart (sorted, a < b) are left out.  No pair comes twice. */
void find_handoffs(const Target *target, const Function *f, const Lives *l, const uint64_t *sizes,
                   const IntervalPairs *apart, IntervalPairs *out);

/* Orders pairs with a < b, for qsort and bsearch. */
int interval_pair_cmp(const void *x, const void *y);
static inline IntervalPair interval_pair(int a, int b) {
  return a < b ? (IntervalPair){a, b} : (IntervalPair){b, a};
}

#endif
