/* deduce_split.h -- tiles and tensors that cross between the cube core and its two vector cores. */
#ifndef PYPTOC_IR_OPS_DEDUCE_SPLIT_H
#define PYPTOC_IR_OPS_DEDUCE_SPLIT_H

#include "ir/ops/deduce_common.h"

/* The keyword `split`: 0 no axis, 1 rows, 2 columns; -1 after an error. */
int split_mode(OpCall *c);
/* Can a value of these extents cross?  `shard`: from the cube core to the vector cores.  False
 * after an error. */
bool split_crosses(OpCall *c, Dims shape, Dims valid, int split, bool shard);
/* One core's part (`shard`: half, rounded up), or the whole of two parts, along the axis of
 * `split`. */
Dims split_extents(Ir *ir, Dims d, int split, bool shard);
/* One core's valid part: half, rounded up also where the extent is known at run time only. */
Dims split_valid(Ir *ir, Dims d, int split, bool shard);

#endif
