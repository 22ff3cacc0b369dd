/* scoping.h -- is every variable used only where it has a value? */
#ifndef PYPTOC_PASSES_VERIFY_SCOPING_H
#define PYPTOC_PASSES_VERIFY_SCOPING_H

#include "ir/ir.h"

typedef struct ScopingRules {
  /* Before SSA form: what a branch or a loop without results assigns stays visible behind it. */
  bool leaks;
  bool once; /* every variable is bound once only */
} ScopingRules;

/* Reports every variable used where it is not visible.  Variables that stand in the types of
 * parameters, returned values and assigned variables are symbols, visible unless the function itself binds
 * them elsewhere. */
bool check_scoping(Ir *ir, const Program *p, ScopingRules rules);

#endif
