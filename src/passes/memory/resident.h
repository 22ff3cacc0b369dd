/* resident.h -- keeps matrix operands that a loop doesn't change in Mat over all its iterations.
 *
 * Textbook: loop-invariant code motion, of loads.
 */
#ifndef PYPTOC_PASSES_MEMORY_RESIDENT_H
#define PYPTOC_PASSES_MEMORY_RESIDENT_H

#include "passes/util/pass_ctx.h"

/* Moves loads of unchanging operands in front of their loops, by the rules of
 * docs/passes/infer-tile-memory-space.md, and takes off the mark that such loads carry. */
Program *keep_operands_resident(PassCtx *ctx, Program *p);

#endif
