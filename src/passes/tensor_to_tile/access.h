/* access.h -- which parameters of a function on tensors are read and written, through aliases. */
#ifndef PYPTOC_PASSES_TENSOR_TO_TILE_ACCESS_H
#define PYPTOC_PASSES_TENSOR_TO_TILE_ACCESS_H

#include "ir/ir.h"

/* Raises the directions of parameters declared In that `body` writes: Out, or InOut if it also reads them.
 * `dirs` is changed in place.  False after reporting that one is written by DMA and by the scalar
 * cache. */
bool raise_param_directions(Ir *ir, Block body, Expr *const *params, ParamDir *dirs, int n);

#endif
