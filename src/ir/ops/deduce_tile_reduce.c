/* deduce_tile_reduce.c -- reductions of rows and columns, and vectors spread over tiles. */
#include "ir/ops/deduce.h"
#include "ir/ops/deduce_common.h"
#include "ir/print.h"

static const DType row_min_types[] = {DT_INT16, DT_INT32, DT_FP16, DT_FP32, DT_NONE};
static const DType expand_add_types[] = {DT_INT8, DT_INT16, DT_INT32, DT_FP16, DT_FP32, DT_NONE};

static bool check_min_rank(OpCall *c, int i) {
  if (c->args[i]->type->rank >= 2) return true;
  op_error(c, "'%s' must have at least 2 dimensions, not %d", arg_name(c, i),
           c->args[i]->type->rank);
  return false;
}

/* A reduction of nothing has no value.  A tile that is empty in every dimension is none: it is how a lane takes
 * part that has nothing to do (SplitVectorKernel), and its result is such a tile again. */
static bool check_not_empty(OpCall *c, const Type *src) {
  Dims valid = valid_of(src);
  int empty = 0;
  for (int i = 0; i < valid.n; i++) empty += extent_is_empty(c->ir, valid.at[i]);
  for (int i = 0; i < valid.n && empty < valid.n; i++) {
    if (!extent_is_empty(c->ir, valid.at[i])) continue;
    op_error(c, "'%s' has no valid data: the valid extent of dimension %d is 0", arg_name(c, 0), i);
    return false;
  }
  return true;
}

static bool check_scratch_dtype(OpCall *c) {
  DType a = c->args[0]->type->dtype, b = c->args[1]->type->dtype;
  if (a == b) return true;
  op_error(c, "'%s' must have the source's element type %s, not %s", arg_name(c, 1), dtype_name(a),
           dtype_name(b));
  return false;
}

/* pto.trow* work in a scratch of the source's size; a smaller one gives wrong results silently. */
static bool check_row_scratch(OpCall *c, bool exact) {
  Dims src = dims_of(c->args[0]->type), tmp = dims_of(c->args[1]->type);
  if (!check_scratch_dtype(c)) return false;
  bool fits = src.n == tmp.n;
  for (int i = 0; fits && i < src.n; i++) {
    int64_t a, b;
    if (exact)
      fits = extent_equal(c->ir, src.at[i], tmp.at[i]);
    else if (expr_const_int(src.at[i], &a) && expr_const_int(tmp.at[i], &b))
      fits = a <= b;
    else
      fits = !extent_gt(c->ir, src.at[i], tmp.at[i]);
  }
  if (!fits)
    op_error(c, "'%s' of shape %s must be %s the source's shape %s", arg_name(c, 1),
             dims_str(c->ir, tmp), exact ? "exactly" : "at least", dims_str(c->ir, src));
  return fits;
}

static bool check_row_min(OpCall *c) {
  TileView v = tile_view_of(c->ir, c->args[0]->type);
  if (!check_dtype(c, 0, row_min_types)) return false;
  if (v.blayout == TILE_LAYOUT_ROW_MAJOR && v.slayout == TILE_LAYOUT_NONE_BOX) return true;
  op_error(c, "'%s' must be laid out row-major and unboxed", arg_name(c, 0));
  return false;
}

/* The source with the extent of `axis` reduced to 1. */
static const Type *reduced(OpCall *c, const Type *src, int axis, TileLayout layout) {
  Ir *ir = c->ir;
  if (!check_not_empty(c, src)) return NULL;
  Dims shape = dims_copy(ir, dims_of(src)), valid = dims_copy(ir, valid_of(src));
  shape.at[axis] = valid.at[axis] = expr_index(ir, 1);
  TileView v = tile_view_plain();
  v.blayout = layout;
  tile_view_set_valid(&v, valid);
  return tile_result(ir, shape, c->op->param & TILE_ARG ? DT_INT32 : src->dtype, &v, MEM_NONE);
}

const Type *deduce_tile_row_reduce(OpCall *c) {
  const Type *src = arg_tile(c, 0);
  if (!src || !arg_tile(c, 1) || !check_min_rank(c, 0) ||
      !check_row_scratch(c, c->op->param & TILE_ARG))
    return NULL;
  if ((c->op->param & TILE_ROW_MIN) && !check_row_min(c)) return NULL;
  return reduced(c, src, src->rank - 1, TILE_LAYOUT_COL_MAJOR);
}

const Type *deduce_tile_col_reduce(OpCall *c) {
  const Type *src = arg_tile(c, 0);
  if (!src || !check_min_rank(c, 0)) return NULL;
  if (arg_given(c, 1) &&
      (!arg_tile(c, 1) || (!(c->op->param & TILE_ARG) && !check_scratch_dtype(c))))
    return NULL;
  return reduced(c, src, 0, TILE_LAYOUT_ROW_MAJOR);
}

/* ---- vectors spread over tiles ---- */

const Type *deduce_tile_row_expand(OpCall *c) {
  const Type *tile = arg_tile(c, 0), *vec = tile ? arg_tile(c, 1) : NULL;
  if (!vec || !check_min_rank(c, 0) || !check_min_rank(c, 1)) return NULL;
  if (!extent_is_const(vec->shape[vec->rank - 1], 1))
    return op_error(c, "the last extent of '%s' must be 1, its shape is %s", arg_name(c, 1),
                    dims_str(c->ir, dims_of(vec)));
  int64_t rows, vec_rows;
  if (expr_const_int(tile->shape[tile->rank - 2], &rows) &&
      expr_const_int(vec->shape[vec->rank - 2], &vec_rows) && rows != vec_rows)
    return op_error(c, "'%s' has %lld rows where the tile has %lld", arg_name(c, 1),
                    (long long)vec_rows, (long long)rows);
  return tile_result_like(c->ir, tile, dims_of(tile), dtype_promote(tile->dtype, vec->dtype));
}

/* A row-major vector carries a whole 32-byte block for each row, another one a single value. */
static bool check_add_vector(OpCall *c, const Type *tile, const Type *vec) {
  Ir *ir = c->ir;
  Dims t = valid_of(tile), v = valid_of(vec);
  if (!extent_equal(ir, t.at[t.n - 2], v.at[v.n - 2])) {
    op_error(c, "'%s' must have the tile's valid rows; the valid shapes are %s and %s",
             arg_name(c, 1), dims_str(ir, v), dims_str(ir, t));
    return false;
  }
  bool packed = tile_view_of(ir, vec).blayout == TILE_LAYOUT_ROW_MAJOR;
  int cols = packed ? 32 / dtype_get_byte(vec->dtype) : 1;
  if (extent_equal(ir, v.at[v.n - 1], expr_index(ir, cols))) return true;
  op_error(c, "'%s' is laid out %s, so its last valid extent must be %d, not %s", arg_name(c, 1),
           packed ? "row-major" : "column-major", cols, expr_str(ir, v.at[v.n - 1]));
  return false;
}

const Type *deduce_tile_row_expand_add(OpCall *c) {
  const Type *tile = arg_tile(c, 0), *vec = tile ? arg_tile(c, 1) : NULL;
  if (!vec || (arg_given(c, 2) && !arg_tile(c, 2)) || !check_min_rank(c, 0) ||
      !check_min_rank(c, 1))
    return NULL;
  if (tile_view_of(c->ir, tile).blayout != TILE_LAYOUT_ROW_MAJOR)
    return op_error(c, "'%s' must be laid out row-major", arg_name(c, 0));
  if (tile->dtype != vec->dtype)
    return op_error(c, "both arguments must have the same element type, not %s and %s",
                    dtype_name(tile->dtype), dtype_name(vec->dtype));
  if (!check_dtype(c, 0, expand_add_types) || !check_add_vector(c, tile, vec)) return NULL;
  return tile_result_like(c->ir, tile, dims_of(tile), tile->dtype);
}

const Type *deduce_tile_col_expand(OpCall *c) {
  const Type *tile = arg_tile(c, 0);
  if (!tile) return NULL;
  const Type *other = c->op->param & TILE_SCALAR ? arg_scalar(c, 1) : arg_tile(c, 1);
  if (!other) return NULL;
  return tile_result_like(c->ir, tile, dims_of(tile), dtype_promote(tile->dtype, other->dtype));
}
