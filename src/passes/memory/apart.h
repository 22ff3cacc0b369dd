/* apart.h -- which allocations may not share memory although they are not alive together.
 *
 * Textbook: interference, beyond lives: pairs that must not share an address although
 * they are never live together.
 */
#ifndef PYPTOC_PASSES_MEMORY_APART_H
#define PYPTOC_PASSES_MEMORY_APART_H

#include "passes/memory/lives.h"
#include "target/target.h"

typedef struct IntervalPair {
  int a, b;
} IntervalPair;

typedef VEC(IntervalPair) IntervalPairs;

typedef struct Apart {
  IntervalPairs no_alias; /* the operator that defines a must not write where b lies */
  IntervalPairs
      hazards; /* a pops at the last use of b, a loaded tile, on a chip that can't bear it */
  Map pinned;  /* allocation declared by the author -> its bytes (uint64_t *) */
} Apart;

/* False after reporting two tiles that the author bound to one slot and that are alive together. */
bool apart_init(Apart *a, Ir *ir, const Target *target, const Function *f, const Lives *l);
void apart_free(Apart *a);

/* May the result of `call` lie where its argument `i` lies?  `result` is the result's type. */
bool may_alias_arg(const Target *target, const Expr *call, const Type *result, int i);

#endif
