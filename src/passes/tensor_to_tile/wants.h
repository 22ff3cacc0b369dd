/* wants.h -- before conversion: which values are wanted in which memory space, and which parameters must be
 * loaded at the entry. */
#ifndef PYPTOC_PASSES_TENSOR_TO_TILE_WANTS_H
#define PYPTOC_PASSES_TENSOR_TO_TILE_WANTS_H

#include "base/map.h"
#include "ir/ir.h"

typedef struct Wants {
  Ir *ir;
  Map space;  /* variable -> MemSpace it is wanted in, as map_int */
  Map loaded; /* plain-tensor variables that converted operators use as operands without a rule */
} Wants;

void wants_init(Wants *w, Ir *ir, Block body);
void wants_free(Wants *w);
/* MEM_NONE if there is no wish. */
MemSpace wants_space(const Wants *w, const Expr *var);
static inline bool wants_load(const Wants *w, const Expr *var) { return map_has(&w->loaded, var); }

#endif
