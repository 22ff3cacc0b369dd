/* lineage.h -- which parameter a returned value was written through. */
#ifndef PYPTOC_PASSES_UTIL_LINEAGE_H
#define PYPTOC_PASSES_UTIL_LINEAGE_H

#include "base/map.h"
#include "ir/ir.h"

/* For each return position of a function the parameter its value traces to, or -1;
 * docs/passes/normalize-return-order.md has the rules. */
typedef struct Lineage {
  int *param;
  int n; /* 0: nothing is known about what it returns */
} Lineage;

typedef struct Lineages {
  Ir *ir;
  const Program *program;
  Map of;    /* function -> Lineage; NULL while it is being found */
  int depth; /* of functions being traced */
} Lineages;

const Lineage *lineage_of(Lineages *ls, const Function *f);
void lineages_free(Lineages *ls);

#endif
