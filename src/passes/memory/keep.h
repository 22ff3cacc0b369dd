/* keep.h -- where a value must be copied because it is needed again after its memory is written.
 *
 * Textbook: copies for two-address instructions and for phis whose operands interfere.
 *
 * An operator that works in place, a loop and a branch take over the memory of a value.  If that
 * value, or another one that lies there, is read again, what takes over must begin with a copy.
 */
#ifndef PYPTOC_PASSES_MEMORY_KEEP_H
#define PYPTOC_PASSES_MEMORY_KEEP_H

#include "base/map.h"
#include "ir/ir.h"
#include "passes/memory/plan_watch.h"

/* Variables that begin with a copy.  Loop-carried name: of its initial value.  Assigned: of the operand
 * that the operator changes.  Result of `if`: of what the then-branch yields. */
typedef struct Keeps {
  Map begin; /* variable -> itself */
} Keeps;

/* Index of the argument whose memory the call changes and gives back, or -1. */
int call_changed_arg(const Expr *call);

/* Does a branch or loop give or carry a tile, or an operator of it change one in place? */
bool func_shares_memory(const Function *f);

/* Adds what keeps the lost tiles of `f` (variables of `f`) whole.  False if nothing new is to be had. */
bool keep_lost(Keeps *k, const Function *f, const LostTiles *lost);

#endif
