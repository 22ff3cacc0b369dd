/* auto_name.h -- the names that passes make: BASE__[QUALIFIER_][ROLE_]vN.
 *
 * "__" ends the base, so a name of the user's own must not contain it.
 */
#ifndef PYPTOC_PASSES_UTIL_AUTO_NAME_H
#define PYPTOC_PASSES_UTIL_AUTO_NAME_H

#include "base/map.h"
#include "ir/ir.h"

typedef struct AutoName {
  Name base;      /* what stands before the first "__" */
  Name qualifier; /* what stands after it without role and version; "" if nothing does */
  Name role;      /* ssa, iter, rv, phi, tile, tmp, out, store or idx; NULL if it has none */
  int version;    /* -1 if it has none */
  bool suffixed;  /* the name contains "__" */
} AutoName;

AutoName auto_name_parse(Ir *ir, Name name);
/* What the user calls it: a name with role or version loses what passes have added. */
Name auto_name_shown(Ir *ir, Name name);
/* Puts a name together; role may be NULL, version -1. */
Name auto_name_build(Ir *ir, Name base, Name qualifier, const char *role, int version);
/* Base and qualifier that versions of `name` get: a name with role or version loses these, any other is
 * a base as a whole. */
AutoName auto_name_seed(Ir *ir, Name name);
/* The version `version` of `name` in `role`, or NULL if the name has "__" but is not of the form above. */
Name auto_name_version(Ir *ir, Name name, const char *role, int version);
/* Like `name` with the next version that is not among the keys of `used`. `tried`, if there is one, keeps
 * which versions are known to be used, so that the thousandth version of a name is found as fast as the
 * first; it serves one `used`, from which nothing is taken away. */
Name auto_name_fresh(Ir *ir, Name name, const Map *used, Map *tried);
/* `qualifier` put before the qualifier that `name` has. */
Name auto_name_qualify(Ir *ir, Name name, const char *qualifier);

#endif
