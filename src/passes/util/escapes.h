/* escapes.h -- which variables a loop assigns, and which of them are still needed behind it.
 *
 * Before SSA form.  A variable counts as needed when the statements that follow in the same block read it
 * before one of them assigns it, anywhere inside.
 */
#ifndef PYPTOC_PASSES_UTIL_ESCAPES_H
#define PYPTOC_PASSES_UTIL_ESCAPES_H

#include "base/map.h"
#include "ir/ir.h"

/* For one compound statement; the lists are in order of first assignment. */
typedef struct EscapeInfo {
  Expr **assigned; /* variables assigned anywhere inside */
  int nassigned;
  Expr **needed; /* those of them that the rest of the block needs */
  int nneeded;
  bool
      last; /* it is the only statement of its block: what the enclosing statement needs counts as well */
} EscapeInfo;

typedef struct Escapes {
  Arena *arena;
  Map info; /* Stmt* -> EscapeInfo* */
} Escapes;

/* Analyses a function body; lists are put into `arena`. */
void escapes_init(Escapes *e, Arena *arena, Block body);
void escapes_free(Escapes *e);
const EscapeInfo *escapes_of(const Escapes *e, const Stmt *s);

#endif
