/* body.h -- the statements of an InCore function, from tensors to tiles. */
#ifndef PYPTOC_PASSES_TENSOR_TO_TILE_BODY_H
#define PYPTOC_PASSES_TENSOR_TO_TILE_BODY_H

#include "ir/rewrite.h"
#include "passes/tensor_to_tile/wants.h"
#include "target/target.h"

typedef struct BodyConverter {
  Rewriter rewriter; /* its subst knows what each variable has become */
  const Target *target;
  const Wants *wants;
  int errors; /* reported before this function */
} BodyConverter;

/* Conversion of operators and what follows from it for the types of variables. */
void body_converter_init(BodyConverter *b, Ir *ir, const Target *target, const Wants *wants);
void body_converter_free(BodyConverter *b);

/* The same without conversion: variables take the types of their values, carried variables those of
 * their first values, and so on; for callers.  Set further hooks behind it. */
void retype_init(Rewriter *r, Ir *ir, void *ctx);
/* `s`, an assignment whose value has become `value`: the same variable, or a new one of the new type. */
void retype_assign(Rewriter *r, Stmt *s, Expr *value, StmtList *out);
/* The default statement hook. */
void retype_stmt(Rewriter *r, Stmt *s, StmtList *out);

/* NAME__tile */
Name tile_name(Ir *ir, Name source);

#endif
