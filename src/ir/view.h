/* view.h -- what a tile or tensor view means: implied layouts, valid shapes, strides. */
#ifndef PYPTOC_IR_VIEW_H
#define PYPTOC_IR_VIEW_H

#include "ir/ir.h"

/* The view of a tile that writes none: block and scatter layout follow from shape and memory space. */
TileView tile_view_implied(Ir *ir, Expr *const *shape, int rank, DType dtype, MemSpace space);
/* The view of a tile type, implied where none is written; valid_shape filled in with the full shape. */
TileView tile_view_of(Ir *ir, const Type *tile);
/* Does `v` say no more than is implied?  Then a type keeps no view. */
bool tile_view_is_implied(Ir *ir, const TileView *v, Expr *const *shape, int rank, DType dtype,
                          MemSpace space);
/* The canonical form that type_intern keeps: NULL, or a view without redundant fields. */
const TileView *tile_view_canonical(Ir *ir, const TileView *v, Expr *const *shape, int rank,
                                    DType dtype, MemSpace space);
/* valid_shape of a tile or tensor: as written, or the shape.  *n is its length. */
Expr *const *type_valid_shape(const Type *t, int *n);
/* Same dimension: constants by value, arithmetic and calls by structure, variables by identity. */
bool dim_equal(const Expr *a, const Expr *b);
bool dims_equal(Expr *const *a, int na, Expr *const *b, int nb);
/* The dimensions with constants of type INDEX; the same array if they are so already. */
Expr **dims_canonical(Ir *ir, Expr **dims, int n);
/* Rows and columns of the box that a boxed tile is made of (16 x 32 bytes, ...); false if it is not
 * boxed, or boxed in no known way. */
bool tile_view_box(const TileView *v, DType dtype, int64_t *rows, int64_t *cols);
/* The canonical form that type_intern keeps: NULL, or a view without a redundant valid_shape. */
const TensorView *tensor_view_canonical(Ir *ir, const TensorView *v, Expr *const *shape, int rank);
/* Packed strides of a shape in a layout (ND: row major; DN: the last two swapped), arena array of
 * `rank`.  Constant products are folded; NULL if the layout has none (NZ, unless blocked: row major) or
 * one overflows. */
Expr **packed_strides(Ir *ir, Expr *const *shape, int rank, TensorLayout layout);
/* Does a tensor's shape have the form of matrices in NZ order, which are stored in boxes of 16 rows and 32 bytes:
 * [batch, cols/c0, rows/16, 16, c0]?  Its strides are row major then. */
bool tensor_is_blocked_nz(const Type *t);
/* Why a tensor's view is not canonical (one clause, arena string), or NULL: strides as many as dimensions,
 * 1 where the layout is dense, none smaller than packed; relations between symbols are taken on trust.
 * Without strides a view means the packed ones; `materialized` demands that they are written. */
const char *tensor_view_problem(Ir *ir, const Type *tensor, bool materialized);
bool tensor_view_equal(const TensorView *a, const TensorView *b);
bool tile_view_equal(const TileView *a, const TileView *b);

#endif
