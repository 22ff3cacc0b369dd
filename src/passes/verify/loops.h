/* loops.h -- a kind of loop that a pass has replaced. */
#ifndef PYPTOC_PASSES_VERIFY_LOOPS_H
#define PYPTOC_PASSES_VERIFY_LOOPS_H

#include "passes/pass.h"

/* Reports `message` at each `for` of this kind; false if there is one. */
bool verify_no_loops(PassCtx *ctx, const Program *p, ForKind kind, const char *message);

#endif
