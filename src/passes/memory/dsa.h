/* dsa.h -- dynamic storage allocation with reuse penalties: the solver of the planner dsa-rp.
 *
 * Textbook: dynamic storage allocation (two-dimensional packing of time and address),
 * first fit over several orders.
 *
 * Places buffers in pools of fixed capacity.  Two buffers of a pool may overlap
 * in address only if their lives don't overlap and they aren't kept apart; some
 * such overlaps cost.  The search is a handful of greedy orders, all of them
 * deterministic.  docs/passes/allocate-memory-addr.md has the rules.
 */
#ifndef PYPTOC_PASSES_MEMORY_DSA_H
#define PYPTOC_PASSES_MEMORY_DSA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct DsaBuffer {
  uint64_t size; /* bytes, > 0 */
  uint32_t pool;
  int64_t begin, end; /* alive in [begin, end) */
  uint32_t
      group; /* 1 .. ngroups, each in one pool: its buffers may cost each other, see costly; 0: none */
  uint32_t kind;   /* < nkinds */
  uint32_t stages; /* which stages of pipelines it belongs to, < nstages; 0: none */
  bool exclusive;  /* overlaps no other buffer, whatever their lives */
} DsaBuffer;

typedef struct DsaPool {
  uint64_t capacity;  /* bytes */
  uint64_t reserved;  /* bytes at the bottom that no buffer may use */
  uint64_t alignment; /* bytes, of every address; > 0 */
} DsaPool;

typedef struct DsaPair {
  uint32_t a, b; /* buffers of one pool, a != b */
  uint64_t weight;
} DsaPair;

typedef struct DsaStages {
  const uint32_t *list;
  size_t len;
} DsaStages;

typedef struct DsaProblem {
  const DsaBuffer *buffers;
  const DsaPool *pools;
  /* [first kind * nkinds + second kind]: does it cost 1 if a buffer lies over one of its group that was dead
   * before it? */
  const bool *costly;
  /* stages -> those that run at once with them, ascending: their buffers may not overlap, whatever their lives */
  const DsaStages *stages;
  const DsaPair *apart; /* may not overlap, whatever their lives; weights don't count */
  const DsaPair *costs; /* overlapping costs the weight, whatever their groups and kinds say */
  size_t nbuffers, npools, ngroups, nkinds, nstages, napart, ncosts;
} DsaProblem;

static inline bool dsa_alive_together(const DsaBuffer *a, const DsaBuffer *b) {
  return a->exclusive || b->exclusive || (a->begin < b->end && b->begin < a->end);
}

/* Writes the address of every buffer to offsets[nbuffers].  False if the search finds no placement
 * that fits (which doesn't prove that there is none); *full is then a pool that was too small. */
bool dsa_solve(const DsaProblem *p, uint64_t *offsets, uint32_t *full);

#endif
