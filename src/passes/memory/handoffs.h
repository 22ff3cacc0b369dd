/* handoffs.h -- which allocations would make one pipe wait for another if they shared memory.
 *
 * Textbook: false dependences (write after read) that sharing storage would add.
 *
 * Nearly all pairs of allocations in one list of statements do or don't by what
 * kinds they are: which pipe writes them first, which pipes access them last.  So
 * the pairs, a number quadratic in that of the allocations, are not written down.
 */
#ifndef PYPTOC_PASSES_MEMORY_HANDOFFS_H
#define PYPTOC_PASSES_MEMORY_HANDOFFS_H

#include "passes/memory/apart.h"

typedef struct Handoffs {
  uint32_t *
      group; /* interval -> which list of statements, and space: 1 .. ngroups; 0: no rule by kind */
  uint32_t *kind; /* interval -> kind, < nkinds */
  bool *
      costly; /* [first * nkinds + second]: does a pipe wait if `second` lies over `first`, dead before it? */
  size_t ngroups, nkinds;
  IntervalPairs pairs; /* others that make a pipe wait */
} Handoffs;

/* Finds them by the rules of docs/passes/allocate-memory-addr.md.  sizes[] are the intervals' bytes; `pairs` leaves
 * out those already kept apart (sorted, a < b), and has none twice. */
void handoffs_init(Handoffs *h, const Target *target, const Function *f, const Lives *l,
                   const uint64_t *sizes, const IntervalPairs *apart);
void handoffs_free(Handoffs *h);

/* Orders pairs with a < b, for qsort and bsearch. */
int interval_pair_cmp(const void *x, const void *y);
static inline IntervalPair interval_pair(int a, int b) {
  return a < b ? (IntervalPair){a, b} : (IntervalPair){b, a};
}

#endif
