/* deduce_common.h -- what type deductions share: operands, extents, shapes, element types.
 *
 * A deduction checks its call and gives the result type, or NULL after op_error.  Functions here
 * that can fail report the error themselves, naming operator and argument.
 */
#ifndef PYPTOC_IR_OPS_DEDUCE_COMMON_H
#define PYPTOC_IR_OPS_DEDUCE_COMMON_H

#include "ir/op.h"
#include "ir/view.h"

/* A list of extents or offsets. */
typedef struct Dims {
  Expr **at;
  int n;
} Dims;

/* ---- operands ---- */

/* The name of argument `i` in the operator's row. */
const char *arg_name(const OpCall *c, int i);
/* The type of argument `i`, which must be a tile, a tensor (plain or distributed), or a scalar. */
const Type *arg_tile(OpCall *c, int i);
const Type *arg_tensor(OpCall *c, int i);
const Type *arg_scalar(OpCall *c, int i);
/* A scalar of an integer type; of INT64, UINT64 or INDEX. */
const Type *arg_int_scalar(OpCall *c, int i);
const Type *arg_index(OpCall *c, int i);
/* The elements of argument `i`, which must be a literal tuple. */
bool arg_list(OpCall *c, int i, Dims *out);
/* The same, with elements that are INT64, UINT64 or INDEX scalars; a tuple that is not written out is
 * taken apart with subscripts. */
bool arg_index_list(OpCall *c, int i, Dims *out);
/* The same, with integers of any type. */
bool arg_int_list(OpCall *c, int i, Dims *out);
/* A literal tuple of constants greater than zero. */
bool arg_const_shape(OpCall *c, int i, Dims *out);
static inline bool arg_given(const OpCall *c, int i) { return i < c->nargs; }

/* Keywords; the value that is assumed where the call has none. */
bool kwarg_bool(const OpCall *c, const char *name, bool otherwise);
int64_t kwarg_int(const OpCall *c, const char *name, int64_t otherwise);
/* DT_NONE, MEM_NONE if missing. */
DType kwarg_dtype(const OpCall *c, const char *name);
MemSpace kwarg_mem(const OpCall *c, const char *name);

/* ---- element types ---- */

/* The type of a mixed operation: float over integer, wider over narrower, signed over unsigned. */
DType dtype_promote(DType a, DType b);
/* INT64, UINT64, INDEX: what counts and places are written in. */
bool dtype_is_index_like(DType t);
/* Is `t` one of the `DT_NONE`-terminated list? */
bool dtype_in(DType t, const DType *set);
/* "FP16, FP32" for messages. */
const char *dtype_set_str(Ir *ir, const DType *set);
/* Checks the element type of argument `i`. */
bool check_dtype(OpCall *c, int i, const DType *set);
/* Checks that two arguments have one element type. */
bool check_same_dtype(OpCall *c, int a, int b);

/* ---- extents ---- */

/* The number of elements, -1 if it is not constant.  False after an error: an extent is negative, or there are
 * more elements than 64 bits can count. */
bool count_elements(OpCall *c, Dims d, int64_t *count);

/* Does it surely hold of two extents, that is integer expressions of one signedness?  Of others nothing
 * does. */
bool extent_equal(Ir *ir, Expr *a, Expr *b);
bool extent_le(Ir *ir, Expr *a, Expr *b);
bool extent_gt(Ir *ir, Expr *a, Expr *b);
/* Equal constants whatever their types, or provably equal. */
bool extents_surely_equal(Ir *ir, Expr *a, Expr *b);
/* Provably zero: the region is empty. */
bool extent_is_empty(Ir *ir, Expr *e);
/* Are two dimensions of shapes the same, by value or by proof? */
bool dims_same(Ir *ir, Expr *a, Expr *b);
bool extent_is_const(const Expr *e, int64_t value);
/* Arithmetic on extents, as it stands; and an expression made as short as it gets. */
Expr *extent_binary(Ir *ir, ExprKind kind, Expr *a, Expr *b, Span at);
Expr *extent_fold(Ir *ir, Expr *e);
Expr *extent_add(Ir *ir, Expr *a, Expr *b, Span at);
Expr *extent_sub(Ir *ir, Expr *a, Expr *b, Span at);
/* The operand that is provably smaller (larger), else a simplified min (max). */
Expr *extent_min(Ir *ir, Expr *a, Expr *b, Span at);
Expr *extent_max(Ir *ir, Expr *a, Expr *b, Span at);
/* `e` times `factor`: a constant becomes a constant of type `dtype` (DT_NONE: its own). */
Expr *extent_scale(Ir *ir, Expr *e, int64_t factor, DType dtype);
Expr *extent_ceil_div(Ir *ir, Expr *e, int64_t divisor);
bool expr_is_int_scalar(const Expr *e);

/* ---- shapes ---- */

static inline Dims dims_of(const Type *t) { return (Dims){t->shape, t->rank}; }
/* The valid shape of a tile or tensor, the shape if none is written. */
Dims valid_of(const Type *t);
Dims dims_new(Ir *ir, int n);
Dims dims_copy(Ir *ir, Dims d);
Dims dims2(Ir *ir, Expr *a, Expr *b);
/* Element by element: constants by value, others by structure. */
bool dims_equivalent(Dims a, Dims b);
/* "[16, N]" for messages. */
const char *dims_str(Ir *ir, Dims d);
/* NumPy's rule; false (and no message) where the shapes do not fit. */
bool dims_broadcast(Ir *ir, Dims a, Dims b, Dims *out);

/* ---- results ---- */

/* A new tensor: no view but its valid region (n == 0: valid all over). */
const Type *tensor_fresh(Ir *ir, Dims shape, DType dtype, Dims valid);

/* Row-major, unboxed, nothing else said. */
TileView tile_view_plain(void);
/* The view of a result that is laid out like `src`: its valid shape, layouts, pad and compact mode. */
TileView tile_view_like(Ir *ir, const Type *src);
/* Only layouts and fractal of what a space implies for a shape. */
void tile_view_set_layout(Ir *ir, TileView *v, Dims shape, DType dtype, MemSpace space);
static inline void tile_view_set_valid(TileView *v, Dims valid) {
  v->valid_shape = valid.at;
  v->nvalid = (uint16_t)valid.n;
}
/* A tile type; `space` may be MEM_NONE, which leaves it to the operator's row. */
const Type *tile_result(Ir *ir, Dims shape, DType dtype, const TileView *view, MemSpace space);
/* The common case: `shape` and `dtype` in the layout of `src`. */
const Type *tile_result_like(Ir *ir, const Type *src, Dims shape, DType dtype);

#endif
