/* flatten.h -- the parts of FlattenTileNdTo2D; the rule is in docs/passes/flatten-tile-nd-to-2d.md. */
#ifndef PYPTOC_PASSES_FLATTEN_FLATTEN_H
#define PYPTOC_PASSES_FLATTEN_FLATTEN_H

#include "ir/op.h"
#include "ir/ops/deduce_common.h"
#include "passes/util/retype.h"
#include "target/target.h"

/* What is known of the block that is being rewritten. */
typedef struct FlattenBlock {
  Block block;
  Map def;        /* variable -> the assignment of this block that binds it */
  Map batch_only; /* variables that only batched products use, here or through safe reshapes and views */
  Map dropped; /* of these, the ones whose pages are loaded one by one: their assignments go */
} FlattenBlock;

typedef struct Flatten {
  Rewriter *r;
  Ir *ir;
  const Target *target;
  FlattenBlock *here;
  bool skip_next; /* the next statement was merged into this one */
} Flatten;

/* ---- shapes ---- */

static inline bool is_nd(const Type *t) { return type_is_tile(t) && t->rank > 2; }
/* Is it a tensor in NZ order?  It is not seen as a matrix: that is left to BlockNzTensorViews. */
static inline bool flatten_is_nz(const Type *t) {
  return type_is_tensor(t) && t->tensor_view && t->tensor_view->layout == LAYOUT_NZ;
}
/* [A * B, C] of constant dimensions; false after an error that names `what`. */
bool flat_shape(Flatten *f, Dims shape, const char *what, Span at, Expr *out[2]);
/* The same of extents that may be dynamic: constants are multiplied first. */
void flat_valid(Flatten *f, Dims valid, Span at, Expr *out[2]);
/* Leading dimensions multiplied in order, constants folded. */
void collapse_dims(Flatten *f, Dims dims, Span at, Expr *out[2]);
/* The row that offsets into `shape` point to. */
Expr *collapse_row(Flatten *f, Dims offsets, Dims shape, Span at);
Expr *fold_add(Ir *ir, Expr *a, Expr *b, Span at);
/* Is the part `valid` of `shape` one band of rows? */
bool is_row_band(Dims valid, Dims shape);
/* tensor.view of `tensor` as a matrix. */
Expr *matrix_view(Flatten *f, Expr *tensor, Span at);

/* ---- statements ---- */

Expr *flat_op(Flatten *f, OpId op, Expr *const *args, int n, AttrList kwargs, Span at);
/* `name = value`; a new variable at `at` in a statement at `stmt_at`. */
Expr *flat_bind(Flatten *f, Name name, Expr *value, Span at, Span stmt_at, StmtList *out);
Expr *flat_tuple(Flatten *f, int64_t a, int64_t b, Span at);
AttrList flat_tile_kwargs(Flatten *f, DType dtype, MemSpace space);

/* The three unrollings; what the old variable has become is entered in the rewriter. */
bool flatten_transpose(Flatten *f, Stmt *s, StmtList *out);
bool flatten_batch_matmul(Flatten *f, Stmt *s, int index, StmtList *out);
bool flatten_batch_matmul_acc(Flatten *f, Stmt *s, StmtList *out);

/* Fills in a block's facts. */
void flatten_block_init(FlattenBlock *b, const Target *target, Ir *ir, Block block);
void flatten_block_free(FlattenBlock *b);

/* Is this a reshape that keeps the matrix and the number of pages? */
bool flatten_is_safe_reshape(const Expr *call);

/* Refuses what cannot be flattened; false after errors. */
bool flatten_check(Ir *ir, Function *f);

#endif
