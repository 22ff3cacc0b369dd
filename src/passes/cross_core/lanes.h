/* lanes.h -- how a tile is divided between the two vector cores beside a cube core.
 *
 * Textbook: data parallelism by block distribution of an array over two processors.
 */
#ifndef PYPTOC_PASSES_CROSS_CORE_LANES_H
#define PYPTOC_PASSES_CROSS_CORE_LANES_H

#include "ir/ir.h"

/* The axis that a mode divides; the mode is not SPLIT_NONE. */
static inline int split_axis_of(SplitMode mode) { return mode == SPLIT_UP_DOWN ? 0 : 1; }
static inline SplitMode split_mode_of(int axis) {
  return axis == 0 ? SPLIT_UP_DOWN : SPLIT_LEFT_RIGHT;
}

/* Does `call` swap axis `dim` of a tile, of extent other than 1, with another? */
bool swaps_axis(const Expr *call, int dim);

/* The axis that a reduction collapses, or -1. */
int reduced_axis(const Expr *call);

/* A transfer between the cube core and the vector cores. */
typedef struct Transfer {
  bool to_vector;
  const Type *whole; /* the tile that is divided or put together */
  SplitMode mode;
  int64_t lane_stride; /* where the second core's part begins; 0: at half of the extent */
  Span at;
} Transfer;

/* The code (`split`) of its push and pop: the mode, or the mode and 2 where the second core gets one less.
 * -1 after an error. */
int transfer_code(Ir *ir, const Transfer *t);

#endif
