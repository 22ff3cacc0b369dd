/* author_loop.h -- loops over K around an accumulator that is too large; see docs/passes/auto-tile-matmul-l0.md. */
#ifndef PYPTOC_PASSES_L0_TILING_AUTHOR_LOOP_H
#define PYPTOC_PASSES_L0_TILING_AUTHOR_LOOP_H

#include "passes/util/pass_ctx.h"

/* Cuts them in rows and columns of the result; the same function if there are none, NULL after an error. */
Function *cut_author_loops(PassCtx *ctx, Function *f);

#endif
