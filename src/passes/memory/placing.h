/* placing.h -- moving tiles into other allocations.
 *
 * Textbook: coalescing, with copies inserted at the ends of branches where values meet
 * (phi copies).
 *
 * While a pass decides, the IR stays as it is: a Placing remembers which type
 * (with which memory reference) each variable is to have, and which copies are to
 * stand before a yield.  placing_apply then rewrites the function once.
 */
#ifndef PYPTOC_PASSES_MEMORY_PLACING_H
#define PYPTOC_PASSES_MEMORY_PLACING_H

#include "base/map.h"
#include "ir/ir.h"
#include "target/target.h"

/* What stands before a yield, and what it yields. */
typedef struct YieldEdit {
  Expr **values; /* as many as the yield has */
  Stmt **copies;
  int ncopies;
} YieldEdit;

typedef struct Placing {
  Ir *ir;
  const Target *target;
  Map types;         /* variable -> const Type *, for those that change */
  Map yields;        /* yield -> YieldEdit */
  bool strip_stages; /* calls lose pipeline_membership */
} Placing;

void placing_init(Placing *p, Ir *ir, const Target *target);
void placing_free(Placing *p);

/* The type that a variable is to have. */
const Type *placing_type(const Placing *p, const Expr *var);
void placing_set(Placing *p, Expr *var, const Type *type);
/* Puts `var` at `m` in `space` (MEM_NONE: its own). */
void placing_move(Placing *p, Expr *var, const MemRef *m, MemSpace space);
/* What a yield is to give at position `i`, or NULL. */
Expr *placing_yielded(const Placing *p, const Stmt *yield, int i);

/* The function rewritten; the same pointer if nothing changes. */
Function *placing_apply(Placing *p, Function *f);

/* ---- the steps; docs/passes/memory-reuse.md, materialize-semantic-aliases.md ---- */

/* Pulls the producers of values carried round `for` loops into the loop's allocation. */
void pull_carried(Placing *p, const Function *f);
/* Pulls the fresh accumulator of an `if` into the allocation that its other branch accumulates in. */
void pull_accumulators(Placing *p, const Function *f);
/* Loop-carried tiles and loop results take their initial value's place, outside in. */
void align_carried(Placing *p, const Function *f);
/* Copies what a loop (or, with `ifs`, a branch) yields from the wrong place.  False after an error. */
bool fix_yields(Placing *p, const Function *f, bool ifs);
/* Plain copies `a = b` follow b, and in-place results their argument. */
void follow_copies(Placing *p, const Function *f);

#endif
