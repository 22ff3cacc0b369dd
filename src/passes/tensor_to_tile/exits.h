/* exits.h -- computed results leave an InCore function through new parameters. */
#ifndef PYPTOC_PASSES_TENSOR_TO_TILE_EXITS_H
#define PYPTOC_PASSES_TENSOR_TO_TILE_EXITS_H

#include "ir/ir.h"

/* The parameters and results of a function being rebuilt. */
typedef struct Signature {
  VEC(Expr *) params;
  VEC(ParamDir) dirs;
  VEC(const Type *) returns;
  int added; /* parameters appended */
} Signature;

/* Step 6 of docs/passes/convert-tensor-to-tile-ops.md.  `body` holds the converted statements without
 * the return; `ret` is the old return (NULL: none) and `values` what its values have become.  Appends
 * stores and the new return to `body`.  False after an error. */
bool store_results(Ir *ir, const Function *f, const Stmt *ret, Expr *const *values, StmtList *body,
                   Signature *sig);

#endif
