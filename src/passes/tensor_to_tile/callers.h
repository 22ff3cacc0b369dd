/* callers.h -- the functions around: wrappers hand new parameters on, callers create what they need. */
#ifndef PYPTOC_PASSES_TENSOR_TO_TILE_CALLERS_H
#define PYPTOC_PASSES_TENSOR_TO_TILE_CALLERS_H

#include "base/map.h"
#include "ir/ir.h"

/* Functions that have got parameters. */
typedef struct Grown {
  Map funcs; /* name -> Function*, as it is now */
  Map added; /* name -> number of parameters added, as map_int */
} Grown;

static inline int grown_by(const Grown *g, Name callee) {
  return callee ? (int)map_get_int(&g->added, callee) : 0;
}

/* A wrapper that calls a grown function grows likewise and is entered in `g`. */
Function *grow_wrapper(Ir *ir, Grown *g, Function *f);
/* Creates a tensor for each new parameter of a callee. */
Function *update_caller(Ir *ir, const Grown *g, Function *f);
/* Parameters that are handed to Out or InOut parameters become so, up the calls, until nothing changes. */
Program *raise_caller_directions(Ir *ir, Program *p);

#endif
