/* core_body.h -- one core's share of a kernel; docs/passes/expand-mixed-kernel.md.
 *
 * Textbook: program slicing, one slice a core, with sends and receives where values
 * cross.
 */
#ifndef PYPTOC_PASSES_CROSS_CORE_CORE_BODY_H
#define PYPTOC_PASSES_CROSS_CORE_CORE_BODY_H

#include "passes/cross_core/crossings.h"
#include "target/target.h"

/* The statements of `b` that `core` runs, with pushes and pops.  Variables that stay elsewhere may still be
 * read in it; those that a popped tile stands for are entered: variable -> popped tile.  So are the popped
 * tiles, as themselves. */
Block core_body(const Crossings *x, const Target *target, Core core, Block b, Map *stands_for);

/* The same without what is missing, too much or dead.  `whole` is the body that was split. */
Block core_body_repaired(Ir *ir, Block b, Block whole, const Map *stands_for);

/* With popped tiles given back after their last use. */
Block core_body_with_frees(Ir *ir, Core core, Block b, const Map *stands_for);

/* The type of a tile that is pushed in fractal layout towards `space` of the cube core, whose view there
 * would be `view`; and the move of `tile` to it, put into `out`.  Gives the moved tile. */
Expr *moved_to_push(Ir *ir, Expr *tile, MemSpace space, TileView view, Span span, StmtList *out);
/* The view in which a tile of view `v` crosses to memory `to`. */
TileView transfer_view(MemSpace to, TileView v);

#endif
