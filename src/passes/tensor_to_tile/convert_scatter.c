/* convert_scatter.c -- scatter forms: the instruction overwrites every element of its target, so the old
 * values are kept by a second scatter of ones, which tells what was written. */
#include "passes/tensor_to_tile/convert.h"

enum { INT16_INDICES = 32768 };

static DType mask_type(DType t) {
  int bytes = dtype_get_byte(t);
  return bytes == 4 ? DT_FP32 : bytes == 2 ? DT_FP16 : DT_INT8;
}

static Expr *pair(Conv *c, int64_t rows, int64_t cols) {
  return CONV_TUPLE(c, conv_index(c, rows), conv_index(c, cols));
}

/* Names of the values a blend makes. */
typedef struct BlendNames {
  const char *zeros, *values, *mask_zeros, *ones, *mask, *pred, *tmp;
} BlendNames;

/* sel(written?, scattered, old): `scatter` writes `src` into a target of zeros. */
typedef Expr *(*ScatterFn)(Conv *c, Expr *into, Expr *src, Expr *where);

static Expr *blend(Conv *c, const BlendNames *n, ScatterFn scatter, Expr *old, Expr *src,
                   Expr *where, int64_t rows, int64_t cols, int64_t src_rows, int64_t src_cols) {
  DType dtype = old->type->dtype, mask_dtype = mask_type(dtype);
  Expr *zeros = conv_full(c, n->zeros, pair(c, rows, cols), 0, dtype);
  Expr *values = conv_bind(c, n->values, scatter(c, zeros, src, where));
  Expr *mask_zeros = conv_full(c, n->mask_zeros, pair(c, rows, cols), 0, mask_dtype);
  Expr *ones = conv_full(c, n->ones, pair(c, src_rows, src_cols), 1, mask_dtype);
  Expr *mask = conv_bind(c, n->mask, scatter(c, mask_zeros, ones, where));
  AttrList not_equal = conv_kw(c, NO_KWARGS, "cmp_type", attr_of_int(1));
  Expr *pred = conv_bind(c, n->pred,
                         CONV_OP(c, OP_TILE_CMPS, not_equal, mask, conv_const(c, 0, mask_dtype)));
  Expr *tmp = conv_scratch(c, n->tmp, pair(c, 1, 32), DT_UINT8);
  return CONV_OP(c, OP_TILE_SEL, NO_KWARGS, pred, values, old, tmp);
}

static Expr *scatter_by_index(Conv *c, Expr *into, Expr *src, Expr *where) {
  return CONV_OP(c, OP_TILE_SCATTER, NO_KWARGS, into, src, where);
}

static Expr *scatter_by_pattern(Conv *c, Expr *into, Expr *src, Expr *where) {
  (void)where;
  return CONV_OP(c, OP_TILE_SCATTER_MASK, c->kwargs, into, src);
}

/* flat[i, j] = i * cols + index[i, j] */
static Expr *flat_index(Conv *c, Expr *index, int64_t rows, int64_t cols) {
  DType dtype = index->type->dtype;
  if (rows == 1) return index;
  AttrList kw = conv_kw(c, conv_kw_dtype(c, dtype), "descending", attr_of_bool(false));
  Expr *count = conv_bind(c, "scatter_ci_rows",
                          CONV_OP(c, OP_TILE_CI, kw, conv_const(c, 0, dtype), pair(c, 1, rows)));
  Expr *down[] = {conv_index(c, rows), conv_index(c, 1)};
  Expr *column = conv_reshape(c, "scatter_row_arange", count, down, 2);
  Expr *base =
      conv_bind(c, "scatter_row_base",
                CONV_OP(c, OP_TILE_MULS, NO_KWARGS, column, conv_const(c, (double)cols, dtype)));
  return conv_bind(c, "scatter_flat_idx",
                   CONV_OP(c, OP_TILE_ROW_EXPAND_ADD, NO_KWARGS, index, base));
}

Expr *convert_scatter(Conv *c) {
  static const BlendNames names = {"scatter_values_zero", "scatter_values", "scatter_mask_zero",
                                   "scatter_ones",        "scatter_mask",   "scatter_pred",
                                   "scatter_sel_tmp"};
  Expr *old = c->args[0], *index = c->args[1], *src = c->args[2];
  int64_t dim = conv_int(c, "dim", -1);
  if (old->type->rank != 2 || (dim != -1 && dim != 1))
    return conv_error(c, "only matrices are scattered, along their last dimension");
  int64_t rows = conv_dim(c, old->type, 0, "the number of rows");
  int64_t cols = conv_dim(c, old->type, 1, "the number of columns");
  int64_t n = conv_dim(c, src->type, 0, "the number of source rows");
  int64_t k = conv_dim(c, src->type, 1, "the number of source columns");
  if (rows < 0 || cols < 0 || n < 0 || k < 0) return NULL;
  if (index->type->dtype == DT_INT16 && cols && n > INT16_INDICES / cols)
    return conv_error(c, "%lld rows of %lld columns are more than INT16 indices can name",
                      (long long)n, (long long)cols);
  return blend(c, &names, scatter_by_index, old, src, flat_index(c, index, n, cols), rows, cols, n,
               k);
}

Expr *convert_scatter_mask(Conv *c) {
  static const BlendNames names = {"scatter_mask_values_zero", "scatter_mask_values",
                                   "scatter_mask_mask_zero",   "scatter_mask_ones",
                                   "scatter_mask_mask",        "scatter_mask_pred",
                                   "scatter_mask_sel_tmp"};
  Expr *src = c->args[0], *old = c->args[1];
  int64_t rows = conv_dim(c, src->type, 0, "the number of rows");
  int64_t cols = conv_dim(c, src->type, 1, "the number of columns");
  int64_t wide = conv_dim(c, old->type, 1, "the number of target columns");
  if (rows < 0 || cols < 0 || wide < 0) return NULL;
  return blend(c, &names, scatter_by_pattern, old, src, NULL, rows, wide, rows, cols);
}

/* ---------------------------------------------------------------- whole rows */

/* flat[k, j] = index[k] * width + j, computed in INT32 and narrowed at the end: tiles of narrow types
 * would have rows that are not aligned. */
static Expr *row_index(Conv *c, Expr *index, int64_t n, int64_t width, DType narrow) {
  AttrList ci = conv_kw(c, conv_kw_dtype(c, DT_INT32), "descending", attr_of_bool(false));
  Expr *zero = conv_const(c, 0, DT_INT32);
  Expr *cols = conv_bind(c, "su_col", CONV_OP(c, OP_TILE_CI, ci, zero, pair(c, 1, width)));
  Expr *frame = conv_full(c, "su_tmpl", pair(c, n, width), 0, DT_INT32);
  Expr *across = conv_bind(c, "su_col_nd", CONV_OP(c, OP_TILE_COL_EXPAND, NO_KWARGS, frame, cols));
  if (index->type->dtype != DT_INT32) index = conv_cast(c, "su_idx_i32", index, DT_INT32, "none");
  Expr *down[] = {conv_index(c, n), conv_index(c, 1)};
  Expr *column = index ? conv_reshape(c, "su_idx_flat", index, down, 2) : NULL;
  Expr *base = conv_bind(
      c, "su_row_base",
      CONV_OP(c, OP_TILE_MULS, NO_KWARGS, column, conv_const(c, (double)width, DT_INT32)));
  Expr *flat =
      conv_bind(c, "su_flat_idx", CONV_OP(c, OP_TILE_ROW_EXPAND_ADD, NO_KWARGS, across, base));
  return narrow == DT_INT32 || !flat ? flat
                                     : conv_cast(c, "su_flat_idx_cast", flat, narrow, "none");
}

Expr *convert_scatter_update(Conv *c) {
  static const BlendNames names = {"su_v0",   "su_vals", "su_m0", "su_ones",
                                   "su_mask", "su_pred", "su_tmp"};
  Expr *old = c->args[0], *index = c->args[1], *src = c->args[2];
  if (old->type->rank != 2 || src->type->rank != 2)
    return conv_error(c, "only matrices are updated row by row");
  int64_t rows = conv_dim(c, old->type, 0, "the number of rows");
  int64_t width = conv_dim(c, old->type, 1, "the number of columns");
  int64_t n = conv_dim(c, src->type, 0, "the number of source rows");
  if (rows < 0 || width < 0 || n < 0) return NULL;
  if (type_num_elements(index->type) != n)
    return conv_error(c, "there must be one index for each of the %lld source rows", (long long)n);
  DType narrow = dtype_get_byte(old->type->dtype) == 4 ? DT_INT32 : DT_INT16;
  if (narrow == DT_INT16 && rows * width >= INT16_INDICES)
    return conv_error(c, "%lld elements are more than INT16 indices can name",
                      (long long)(rows * width));
  Expr *where = row_index(c, index, n, width, narrow);
  return blend(c, &names, scatter_by_index, old, src, where, rows, width, n, width);
}
