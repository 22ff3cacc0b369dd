/* annotation_int.h -- what the files of the annotation resolver share. */
#ifndef PYPTOC_PARSER_ANNOTATION_INT_H
#define PYPTOC_PARSER_ANNOTATION_INT_H

#include "parser/annotation.h"

/* The last name of `name` or `prefix.name` (pl.Tensor, Tensor), or NULL. */
Name annot_head(const SynExpr *e);
/* Is `e` a call of `name` or `prefix.name`? */
bool annot_is_call(const Annot *a, const SynExpr *e, const char *name);
/* What a chain of names bound outside the function leads to; `e` itself if it is bound to nothing. */
const SynExpr *annot_bound(Annot *a, const SynExpr *e);
/* The text of `e` for messages. */
const char *annot_text(Annot *a, const SynExpr *e);

/* One dimension of a shape.  `open`: a name bound to nothing is a new dynamic dimension. */
Expr *annot_dim(Annot *a, const SynExpr *e, bool open);
/* A list of them; false after an error.  *out is an arena array. */
bool annot_shape(Annot *a, const SynExpr *e, bool open, Expr ***out, int *n);
/* An index expression of a view, offset or slot; NULL after an error.  `what` names it in messages. */
Expr *annot_index(Annot *a, const SynExpr *e, const char *what);
/* A compile-time integer of at least `least`; false after an error. */
bool annot_int(Annot *a, const SynExpr *e, const char *what, int64_t least, int64_t *out);
/* DT_NONE after an error. */
DType annot_dtype(Annot *a, const SynExpr *e);
/* A value of an enumeration written in full (`pl.PadValue.zero`) or bound to a name; -1 after an
 * error, and silently if `quiet`. */
int annot_enum(Annot *a, const SynExpr *e, EnumId id, bool quiet);
/* The same for layouts of tensors, which are also written short: pl.NZ. */
int annot_layout(Annot *a, const SynExpr *e, bool quiet);

/* pl.TensorView(...), pl.TileView(...): false after an error. */
bool annot_tensor_view(Annot *a, const SynExpr *call, TensorView *out);
bool annot_tile_view(Annot *a, const SynExpr *call, const Type *tile, TileView *out);

/* Does `e` name a memory reference: a pl.MemRef(...), a slot of one, a name bound to one? */
bool annot_is_memref(Annot *a, const SynExpr *e);
/* NULL after an error.  `space` gives the allocation a name in the oldest form. */
const MemRef *annot_memref(Annot *a, const SynExpr *e, MemSpace space);

#endif
