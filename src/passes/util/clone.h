/* clone.h -- copies of statements with variables replaced. */
#ifndef PYPTOC_PASSES_UTIL_CLONE_H
#define PYPTOC_PASSES_UTIL_CLONE_H

#include "base/map.h"
#include "ir/ir.h"

typedef enum {
  CLONE_SAME_DEFS,  /* assigned variables, loop variables and results stay the same variables */
  CLONE_FRESH_DEFS, /* each becomes a new variable of the same name */
} CloneDefs;

/* A copy of `b` with the variables that are keys of `subst` replaced by its values wherever they stand: in
 * expressions, types, attributes, and also where they are bound (the value must then be a variable).
 * Iteration arguments are always new. */
Block clone_block(Ir *ir, Block b, const Map *subst, CloneDefs defs);
/* The same with fresh definitions, except that variables in `kept` stay in types what they are. */
Block clone_block_keeping(Ir *ir, Block b, const Map *subst, const Map *kept);

#endif
