/* pass_ctx.h -- what every pass and verifier is given. */
#ifndef PYPTOC_PASSES_UTIL_PASS_CTX_H
#define PYPTOC_PASSES_UTIL_PASS_CTX_H

#include "ir/ir.h"
#include "target/options.h"

typedef struct PassCtx {
  Ir *ir;
  const CompileOptions *opts;
  bool as_read; /* for verifiers: the program is as its author wrote it, no pass has run */
} PassCtx;

#endif
