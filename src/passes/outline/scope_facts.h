/* scope_facts.h -- what a scope that becomes a function takes from outside, defines and writes. */
#ifndef PYPTOC_PASSES_OUTLINE_SCOPE_FACTS_H
#define PYPTOC_PASSES_OUTLINE_SCOPE_FACTS_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/ir.h"

typedef VEC(Expr *) VarList;

/* Lists are in the order of the text, without repetition. */
typedef struct ScopeFacts {
  VarList inputs; /* variables read before the body defines them: they come from outside */
  VarList defs;   /* variables that the body binds */
  VarList stored; /* targets of tile.store, iteration arguments excepted */
  Map input_set, def_set, stored_set;
  Map stored_as; /* variable assigned a tile.store -> the store's target */
  Map names;     /* names of all variables in the body */
  bool waits;    /* contains pld.system.defer_wait */
} ScopeFacts;

void scope_facts_init(ScopeFacts *f, Block body);
void scope_facts_free(ScopeFacts *f);

/* The directions of `inputs` (as many) for a function with this body: written by a store (`exported` says
 * which) or an assemble or, looking into callees of `program` (may be NULL), by a called function; and read. */
void infer_directions(const Program *program, Block body, const VarList *inputs,
                      const Map *exported, ParamDir *dirs);

/* The target of a tile.store, or NULL: of a call that is one. */
Expr *store_target(const Expr *call);

#endif
