/* crossings.h -- what goes between the cube core and the vector cores; docs/passes/expand-mixed-kernel.md.
 *
 * Textbook: cut edges of a partition of the def-use graph.
 */
#ifndef PYPTOC_PASSES_CROSS_CORE_CROSSINGS_H
#define PYPTOC_PASSES_CROSS_CORE_CROSSINGS_H

#include "base/map.h"
#include "ir/ir.h"
#include "ir/op.h"

typedef enum Core { CORE_AIC, CORE_AIV } Core;

/* A tile that goes from one core to the other. */
typedef struct Crossing {
  Core to;
  Expr *dest, *source;
  bool by_move;    /* tile.move, rather than aiv_shard or aic_gather */
  int split;       /* of push and pop */
  int lane_stride; /* 0: none */
} Crossing;

/* A push and a pop that only make the vector cores read a tensor after the cube core wrote it. */
typedef struct Fence Fence;
struct Fence {
  Expr *tile;  /* that was stored */
  Name origin; /* of the tensor */
  Fence *next; /* popped before the same statement */
};

typedef struct Crossings {
  Ir *ir;
  Map affinity; /* statement -> OpAffinity */
  Map at;       /* statement -> Crossing */
  Map pushed;   /* store -> Fence */
  Map popped;   /* statement -> the first Fence popped before it */
} Crossings;

/* False after an error. */
bool crossings_init(Crossings *c, Ir *ir, Block body);
void crossings_free(Crossings *c);

static inline OpAffinity core_affinity(Core core) {
  return core == CORE_AIC ? AFFINITY_CUBE : AFFINITY_VECTOR;
}
static inline MemSpace transfer_memory(Core core) { return core == CORE_AIC ? MEM_MAT : MEM_VEC; }

#endif
