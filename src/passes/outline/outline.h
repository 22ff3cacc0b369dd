/* outline.h -- makes functions of scopes; see docs/passes/outline-incore-scopes.md. */
#ifndef PYPTOC_PASSES_OUTLINE_OUTLINE_H
#define PYPTOC_PASSES_OUTLINE_OUTLINE_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/ir.h"

typedef VEC(Function *) FuncList;

/* Which scopes, and what of them. */
typedef struct OutlineSpec {
  ScopeKind kind;
  FuncType type; /* of the new functions */
  const char *
      suffix; /* between the function's name and the number: "_incore_"; hierarchy scopes make theirs */
  const Program *program; /* where called functions are looked up; NULL: they are not looked into */
  Map *reserved;          /* names of the program's functions; new ones are added */
} OutlineSpec;

/* The body of `f` with calls in place of its scopes; the same if it has none.  The functions made are
 * appended to `made`, inner ones before outer ones.  False after an error. */
bool outline_scopes(Ir *ir, const OutlineSpec *spec, const Function *f, Block *body,
                    FuncList *made);

/* Program-wide names for OutlineSpec.reserved. */
void reserve_function_names(const Program *p, Map *reserved);
/* The role that a function of this type has by itself. */
Role default_role(FuncType type);

#endif
