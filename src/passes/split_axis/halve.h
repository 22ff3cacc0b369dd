/* halve.h -- one vector core's half of a block; docs/passes/lower-auto-vector-split.md. */
#ifndef PYPTOC_PASSES_SPLIT_AXIS_HALVE_H
#define PYPTOC_PASSES_SPLIT_AXIS_HALVE_H

#include "base/map.h"
#include "ir/ir.h"

typedef enum HalveCut {
  CUT_MIDDLE,   /* of the axis */
  CUT_BALANCED, /* of what is valid, where everything that is split allows it */
} HalveCut;

/* `b` with what the vector cores do in it halved along the axis of `mode` (not SPLIT_NONE), the core's index
 * bound before it; its name is entered into `used`.  False after an error. */
bool halve_block(Ir *ir, Block b, SplitMode mode, HalveCut cut, Map *used, Span at, Block *out);
/* Does `call` swap axis `dim` of a tile, of extent other than 1, with another? */
bool swaps_axis(const Expr *call, int dim);
/* Reports what stands at `at`; gives false. */
bool split_not_built(Ir *ir, Span at, const char *what);

static inline int split_axis_of(SplitMode mode) { return mode == SPLIT_UP_DOWN ? 0 : 1; }

#endif
