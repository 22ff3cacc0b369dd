/* affinity.h -- which core runs a call, a statement, a function.
 *
 * Textbook: partitioning of a program over heterogeneous cores.
 */
#ifndef PYPTOC_PASSES_CROSS_CORE_AFFINITY_H
#define PYPTOC_PASSES_CROSS_CORE_AFFINITY_H

#include "base/map.h"
#include "ir/ir.h"
#include "ir/op.h"

/* AFFINITY_SHARED: neither core in particular.  AFFINITY_MIXED: both; never AFFINITY_AUTO. */
OpAffinity call_affinity(Ir *ir, const Expr *call);
/* Is the core given by the operator or its author, rather than by memory spaces? */
bool op_states_core(const Op *op);
OpAffinity block_affinity(Ir *ir, Block b);
/* The same, and enters those of the statements in it, at all levels. */
OpAffinity note_affinities(Ir *ir, Block b, Map *of);
static inline OpAffinity combine_affinity(OpAffinity a, OpAffinity b) {
  if (a == AFFINITY_SHARED) return b;
  return b == AFFINITY_SHARED || a == b ? a : AFFINITY_MIXED;
}
/* Spaces of the cube core: all but DDR and Vec. */
static inline bool is_cube_space(MemSpace s) {
  return s != MEM_NONE && s != MEM_DDR && s != MEM_VEC;
}

#endif
