/* needs.h -- for passes that are not built yet: where a program would need them. */
#ifndef PYPTOC_PASSES_NEEDS_H
#define PYPTOC_PASSES_NEEDS_H

#include "passes/pass.h"

/* Each gives the first place in the program that the pass would change, or false. */
#define NEEDS(fn) bool fn(PassCtx *ctx, const Program *p, Span *at);
#include "passes/needs.def"
#undef NEEDS

#endif
