/* build_jit.c -- functions decorated with @pl.jit. */
#include "parser/build.h"

Program *build_jit(Builder *b, const SynStmt *const *defs, size_t n) {
  (void)n;
  return build_error(b, defs[0]->def->name_at, "@pl.jit functions are not read yet: use @pl.program");
}
