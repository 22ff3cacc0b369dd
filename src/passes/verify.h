/* verify.h -- checks of what must hold between passes. */
#ifndef PYPTOC_PASSES_VERIFY_H
#define PYPTOC_PASSES_VERIFY_H

#include "passes/pass.h"

/* Runs the verifiers of all properties in the set `props`; names the pass after which one fails
 * (NULL: at the start, where it is the program's own fault). */
bool verify_properties(PassCtx *ctx, const Program *p, uint64_t props, const char *after);

#endif
