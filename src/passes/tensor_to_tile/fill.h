/* fill.h -- before conversion: initialisations that would mix DMA and scalar writes are put on one path. */
#ifndef PYPTOC_PASSES_TENSOR_TO_TILE_FILL_H
#define PYPTOC_PASSES_TENSOR_TO_TILE_FILL_H

#include "ir/ir.h"

/* Steps 1 and 2 of docs/passes/convert-tensor-to-tile-ops.md; the same block if nothing changed. */
Block stage_initialisations(Ir *ir, const Function *f, Block body);
Block fill_loops_to_stores(Ir *ir, Block body);

#endif
