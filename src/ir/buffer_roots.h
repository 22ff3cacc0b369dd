/* buffer_roots.h -- which variable owns the memory that a tensor variable names.
 * The rules are in docs/passes/derive-call-directions.md, section Buffers. */
#ifndef PYPTOC_IR_BUFFER_ROOTS_H
#define PYPTOC_IR_BUFFER_ROOTS_H

#include "base/map.h"
#include "ir/ir.h"

typedef enum RootPolicy {
  ROOTS_FIRST, /* an unclear variable has its first candidate as root */
  ROOTS_SURE,  /* an unclear variable has no root */
} RootPolicy;

typedef struct BufferRoots {
  Ir *ir;
  const Program *program;
  RootPolicy policy;
  Map sets;   /* Expr* variable -> RootSet* */
  Map tuples; /* Expr* tuple variable -> RootSet** per output */
} BufferRoots;

/* Analyses the body of `f`. */
void buffer_roots_init(BufferRoots *b, Ir *ir, const Program *p, const Function *f,
                       RootPolicy policy);
void buffer_roots_free(BufferRoots *b);
/* The root of a value, or NULL. */
Expr *buffer_root(const BufferRoots *b, const Expr *e);
/* May the variable name different buffers on different paths? */
bool buffer_root_unclear(const BufferRoots *b, const Expr *e);

#endif
