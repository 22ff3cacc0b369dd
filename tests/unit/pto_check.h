/* pto_check.h -- does a text keep to the grammar of docs/pto.md?
 *
 * Checks every line of a module: its shape, that values are defined before they are used and in a
 * region around the use, that no name is given twice in a function, and that the type printed for a
 * value is the one it was defined with.  Knows the dialect from the page, not from the code
 * generator.
 */
#ifndef PYPTOC_TESTS_PTO_CHECK_H
#define PYPTOC_TESTS_PTO_CHECK_H

#include "base/map.h"
#include "base/name.h"

typedef struct PtoCheck {
  Arena *arena;
  NameTable names;
  Map seen;        /* names of operations that occurred */
  const char *why; /* the first violation, with its line; NULL: none */
} PtoCheck;

void pto_check_init(PtoCheck *c, Arena *arena);
void pto_check_free(PtoCheck *c);
/* Checks one module; false with c->why set. */
bool pto_check(PtoCheck *c, const char *text);
/* Did an operation of that name occur in some checked module? */
bool pto_check_saw(PtoCheck *c, const char *op);
/* Names of all operations of the dialect that the page has; ended by NULL. */
const char *const *pto_check_ops(void);

#endif
