/* builds.h -- which functions are built together: a program may hold several orchestrations, each
 * with its own tree of files. */
#ifndef PYPTOC_CODEGEN_BASE_BUILDS_H
#define PYPTOC_CODEGEN_BASE_BUILDS_H

#include "base/vec.h"
#include "ir/ir.h"

/* One tree of files. */
typedef struct Build {
  const char *prefix;      /* "" or "next_levels/NAME/" */
  Program *program;        /* the functions of this build */
  Function *orchestration; /* NULL: kernels only */
} Build;
typedef VEC(Build) BuildList;

/* Is there a function of level HOST or above? */
bool program_is_distributed(const Program *p);
/* One build for a program with at most one orchestration and no host; else one per orchestration
 * with the kernels and wrappers that it reaches.  Free with vec_free. */
void builds_of(Ir *ir, Program *p, BuildList *out);

#endif
