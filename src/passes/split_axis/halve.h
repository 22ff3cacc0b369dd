/* halve.h -- one vector core's half of a block; docs/passes/lower-auto-vector-split.md. */
#ifndef PYPTOC_PASSES_SPLIT_AXIS_HALVE_H
#define PYPTOC_PASSES_SPLIT_AXIS_HALVE_H

#include "base/map.h"
#include "ir/ir.h"

typedef enum HalveWhat {
  HALVE_REGION, /* the vector operators of a pl.split_aiv region */
  HALVE_KERNEL, /* those of a kernel for both kinds of core, cut in the middle of what is valid if possible */
  HALVE_VECTOR, /* everything: a kernel for the vector cores that pushes and pops */
  HALVE_CUBE,   /* nothing but the codes of pushes and pops, of its counterpart for the cube core */
} HalveWhat;

/* `b` with what the vector cores do in it halved along the axis of `mode` (not SPLIT_NONE), the core's index
 * bound before it (not for HALVE_CUBE); its name is entered into `used`.  False after an error. */
bool halve_block(Ir *ir, Block b, SplitMode mode, HalveWhat what, Map *used, Span at, Block *out);
/* The same for a region whose author has halved it already by shards and gathers: checks that nothing in it does
 * the whole work on both cores, and gives the shards of partly valid and odd tiles what is valid on each.  Variables
 * of the region that become others are entered into `renamed`: variable -> what stands for it behind the region. */
bool check_own_halves(Ir *ir, Block b, SplitMode mode, Map *used, Map *renamed, Block *out);

#endif
