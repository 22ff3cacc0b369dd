/* normalize_stmt_structure.c -- flat bodies; see docs/passes/normalize-stmt-structure.md. */
#include "passes/pass.h"

/* A Block cannot hold another Block, so every program has the form already; the pass stands in the
 * pipeline for those who ask for it by name. */
Program *normalize_stmt_structure(PassCtx *ctx, Program *p) {
  (void)ctx;
  return p;
}
