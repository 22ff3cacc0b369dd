/* part.h -- what one vector core has of an axis, and of a tile; docs/passes/lower-auto-vector-split.md. */
#ifndef PYPTOC_PASSES_SPLIT_AXIS_PART_H
#define PYPTOC_PASSES_SPLIT_AXIS_PART_H

#include "ir/ir.h"

typedef struct Lane {
  Ir *ir;
  Expr *index; /* which of the two cores: 0 or 1 */
  Expr *step;  /* where the second core's part begins if that is not at half of the axis, or NULL */
} Lane;

/* (extent + 1) / 2, or extent / 2 if it is no constant. */
Expr *half_extent(Ir *ir, Expr *extent);
/* Are both halves as large as half_extent says?  Unknown extents are taken to be even. */
bool halves_are_exact(const Expr *extent);
/* How much of `half` this core has if `valid` of `extent` is valid. */
Expr *lane_valid(const Lane *l, Expr *valid, const Expr *extent, Expr *half);
/* `from` moved to where this core's part begins. */
Expr *lane_offset(const Lane *l, Expr *from, Expr *half);
/* `t` with its axis and what is valid of it cut to this core's part. */
const Type *lane_type(const Lane *l, const Type *t, int axis);
/* `half`, the type of a shard of the tile type `whole`, with what is valid on this core. */
const Type *lane_shard_type(const Lane *l, const Type *half, const Type *whole, int axis);
/* `t` with `extent` valid along `axis`. */
const Type *type_with_valid(Ir *ir, const Type *t, int axis, Expr *extent);

#endif
