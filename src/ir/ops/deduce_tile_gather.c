/* deduce_tile_gather.c -- gathering, scattering and sorting. */
#include "ir/ops/deduce.h"
#include "ir/ops/deduce_common.h"
#include "ir/ops/deduce_region.h"

static const DType gather_types[] = {DT_FP16, DT_FP32, DT_INT16, DT_INT32, DT_NONE};
static const DType gatherb_types[] = {DT_INT8,   DT_UINT8, DT_INT16, DT_UINT16, DT_INT32,
                                      DT_UINT32, DT_FP16,  DT_BF16,  DT_FP32,   DT_NONE};
static const DType offset_types[] = {DT_UINT32, DT_NONE};
static const DType scatter_types[] = {DT_INT8, DT_INT16, DT_INT32, DT_FP16,
                                      DT_FP32, DT_BF16,  DT_NONE};
static const DType scatter_index_types[] = {DT_INT16, DT_INT32, DT_NONE};
static const DType int32_types[] = {DT_INT32, DT_NONE};
static const DType sort_types[] = {DT_FP16, DT_FP32, DT_NONE};

static bool check_two_dims(OpCall *c, int i) {
  if (c->args[i]->type->rank == 2) return true;
  op_error(c, "'%s' must have 2 dimensions, not %d", arg_name(c, i), c->args[i]->type->rank);
  return false;
}

/* Constant extents of two arguments that should agree do. */
static bool check_same_extents(OpCall *c, int i, int j) {
  Dims a = dims_of(c->args[i]->type), b = dims_of(c->args[j]->type);
  bool same = a.n == b.n;
  for (int k = 0; same && k < a.n; k++) {
    int64_t x, y;
    same = !expr_const_int(a.at[k], &x) || !expr_const_int(b.at[k], &y) || x == y;
  }
  if (!same)
    op_error(c, "'%s' and '%s' must have the same shape, not %s and %s", arg_name(c, i),
             arg_name(c, j), dims_str(c->ir, a), dims_str(c->ir, b));
  return same;
}

/* A fully valid result laid out like `src`. */
static const Type *full_like(OpCall *c, const Type *src, Dims shape, DType dtype) {
  TileView v = tile_view_like(c->ir, src);
  tile_view_set_valid(&v, shape);
  return tile_result(c->ir, shape, dtype, &v, MEM_NONE);
}

/* The destination itself, written in place. */
static const Type *destination(OpCall *c, const Type *dst) {
  TileView v = tile_view_of(c->ir, dst);
  return tile_result(c->ir, dims_of(dst), dst->dtype, &v, dst->space);
}

/* ---- gather ---- */

const Type *deduce_tile_gather(OpCall *c) {
  for (int i = 0; i < 3; i++)
    if (!arg_tile(c, i)) return NULL;
  const Type *src = c->args[0]->type, *indices = c->args[1]->type;
  if (!check_dtype(c, 0, gather_types)) return NULL;
  bool narrow = indices->dtype == DT_INT16 && dtype_bits(src->dtype) == 16;
  if (indices->dtype != DT_INT32 && !narrow)
    return op_error(c, "'indices' must be INT32, or INT16 for a source of 16 bits, not %s",
                    dtype_name(indices->dtype));
  return full_like(c, src, dims_of(indices), src->dtype);
}

const Type *deduce_tile_gatherb(OpCall *c) {
  enum { BLOCK = 32, ROW = 8 }; /* bytes of a block, offsets in a row's unit */
  Ir *ir = c->ir;
  const Type *src = arg_tile(c, 0), *offset = src ? arg_tile(c, 1) : NULL;
  if (!offset || !check_dtype(c, 0, gatherb_types) || !check_dtype(c, 1, offset_types) ||
      !check_two_dims(c, 0) || !check_two_dims(c, 1))
    return NULL;
  DType dtype = kwarg_dtype(c, "output_dtype");
  if (dtype == DT_NONE) dtype = src->dtype;
  if (!dtype_in(dtype, gatherb_types))
    return op_error(c, "'output_dtype' must be one of %s, not %s", dtype_set_str(ir, gatherb_types),
                    dtype_name(dtype));
  int64_t cols;
  if (!expr_const_int(offset->shape[1], &cols) || cols <= 0 || cols % ROW)
    return op_error(c, "the columns of 'offset' must be a constant multiple of %d", ROW);
  int per_block = BLOCK / dtype_get_byte(dtype);
  Dims valid = valid_of(offset);
  TileView v = tile_view_plain();
  tile_view_set_valid(&v,
                      dims2(ir, valid.at[0], extent_scale(ir, valid.at[1], per_block, DT_INDEX)));
  Dims shape = dims2(ir, offset->shape[0], extent_scale(ir, offset->shape[1], per_block, DT_INDEX));
  return tile_result(ir, shape, dtype, &v, MEM_NONE);
}

/* How many columns share one that a mask pattern selects; 0 after an error. */
static int mask_stride(OpCall *c) {
  int64_t p = kwarg_int(c, "mask_pattern", 0);
  if (p >= 1 && p <= 7) return p == 7 ? 1 : p <= 2 ? 2 : 4;
  op_error(c, "'mask_pattern' must be from 1 to 7, not %lld", (long long)p);
  return 0;
}

const Type *deduce_tile_gather_mask(OpCall *c) {
  Ir *ir = c->ir;
  const Type *src = arg_tile(c, 0);
  if (!src || !check_dtype(c, 0, gather_types)) return NULL;
  int stride = mask_stride(c);
  if (!stride || !check_two_dims(c, 0)) return NULL;
  Expr *cols = src->shape[1];
  int64_t v;
  if (stride > 1 && expr_const_int(cols, &v)) {
    if (v % stride)
      return op_error(c, "the source's columns, %lld, must be a multiple of %d", (long long)v,
                      stride);
    cols = expr_index(ir, v / stride);
  } else if (stride > 1) {
    cols = expr_binary(ir, EXPR_FLOOR_DIV, cols, expr_index(ir, stride), DT_INDEX, NO_SPAN);
  }
  DType dtype = kwarg_dtype(c, "output_dtype");
  if (dtype == DT_NONE) dtype = src->dtype;
  if (dtype_bits(dtype) != dtype_bits(src->dtype))
    return op_error(c, "'output_dtype' must be as wide as the source's %s, not %s",
                    dtype_name(src->dtype), dtype_name(dtype));
  return full_like(c, src, dims2(ir, src->shape[0], cols), dtype);
}

const Type *deduce_tile_gather_compare(OpCall *c) {
  Ir *ir = c->ir;
  const Type *src = arg_tile(c, 0), *key = src ? arg_scalar(c, 1) : NULL;
  if (!key || !arg_tile(c, 2) || !check_dtype(c, 0, gather_types) || !check_two_dims(c, 0) ||
      !check_same_dtype(c, 0, 1))
    return NULL;
  int64_t mode = kwarg_int(c, "cmp_mode", -1), cols = kwarg_int(c, "out_cols", 0);
  if (mode < 0 || mode > 5)
    return op_error(c, "'cmp_mode' must be 'eq', 'ne', 'lt', 'le', 'gt' or 'ge'");
  if (cols <= 0) return op_error(c, "'out_cols' must be positive, it is %lld", (long long)cols);
  DType count = kwarg_dtype(c, "count_dtype");
  if (count == DT_NONE) count = DT_INT32;
  if (count != DT_INT32 && count != DT_UINT32)
    return op_error(c, "'count_dtype' must be INT32 or UINT32, not %s", dtype_name(count));
  Expr *rows = src->shape[0];
  /* The counts of all rows lie side by side in one row. */
  Dims counts = dims2(ir, expr_index(ir, 1), rows);
  TileView v = tile_view_plain();
  tile_view_set_valid(&v, counts);
  const Type *both[] = {full_like(c, src, dims2(ir, rows, expr_index(ir, cols)), DT_INT32),
                        tile_result(ir, counts, count, &v, MEM_NONE)};
  return type_tuple(ir, both, 2);
}

/* ---- scatter ---- */

const Type *deduce_tile_scatter(OpCall *c) {
  for (int i = 0; i < 3; i++)
    if (!arg_tile(c, i)) return NULL;
  const Type *dst = c->args[0]->type, *indexes = c->args[2]->type;
  if (!check_dtype(c, 0, scatter_types) || !check_same_dtype(c, 0, 1) ||
      !check_dtype(c, 2, scatter_index_types))
    return NULL;
  int bits = dtype_bits(dst->dtype) == 32 ? 32 : 16;
  if (dtype_bits(indexes->dtype) != bits)
    return op_error(c, "'indexes' must be INT%d for a destination of %s, not %s", bits,
                    dtype_name(dst->dtype), dtype_name(indexes->dtype));
  for (int i = 0; i < 3; i++)
    if (!check_two_dims(c, i)) return NULL;
  return check_same_extents(c, 1, 2) ? destination(c, dst) : NULL;
}

const Type *deduce_tile_scatter_mask(OpCall *c) {
  const Type *dst = arg_tile(c, 0), *src = dst ? arg_tile(c, 1) : NULL;
  if (!src || !check_dtype(c, 0, scatter_types) || !check_same_dtype(c, 0, 1) ||
      !check_two_dims(c, 0) || !check_two_dims(c, 1))
    return NULL;
  int stride = mask_stride(c);
  if (!stride) return NULL;
  for (int k = 0; k < 2; k++) {
    int64_t d, s;
    if (!expr_const_int(dst->shape[k], &d) || !expr_const_int(src->shape[k], &s)) continue;
    if (d != s * (k ? stride : 1))
      return op_error(c, "dimension %d of 'dst', %lld, must be that of 'src', %lld%s", k,
                      (long long)d, (long long)s,
                      k == 0        ? ""
                      : stride == 2 ? ", times 2"
                      : stride == 4 ? ", times 4"
                                    : "");
  }
  return destination(c, dst);
}

/* ---- sorting ---- */

const Type *deduce_tile_sort32(OpCall *c) {
  Ir *ir = c->ir;
  const Type *src = arg_tile(c, 0);
  if (!src || !arg_tile(c, 1) || !check_dtype(c, 0, sort_types)) return NULL;
  if (!src->rank) return op_error(c, "'src' must have at least one dimension");
  Dims shape = dims_copy(ir, dims_of(src)); /* values and indices in pairs */
  Expr **last = &shape.at[shape.n - 1];
  *last = (*last)->kind == EXPR_INT
              ? extent_scale(ir, *last, 2, DT_INDEX)
              : expr_binary(ir, EXPR_MUL, *last, expr_index(ir, 2), DT_INDEX, NO_SPAN);
  return full_like(c, src, shape, src->dtype);
}

const Type *deduce_tile_mrgsort1(OpCall *c) {
  const Type *src = arg_tile(c, 0);
  int64_t len;
  if (!src || !check_dtype(c, 0, sort_types) || !arg_int_scalar(c, 1)) return NULL;
  if (expr_const_int(c->args[1], &len) && (len <= 0 || len % 64))
    return op_error(c, "'block_len' must be a multiple of 64, it is %lld", (long long)len);
  return full_like(c, src, dims_of(src), src->dtype);
}

/* Two to four lists, then the scratch tile that has the result's shape. */
const Type *deduce_tile_mrgsort2(OpCall *c) {
  for (int i = 0; i < c->nargs; i++)
    if (!arg_tile(c, i) || (i == 0 && !check_dtype(c, 0, sort_types)) ||
        (i < c->nargs - 1 && !check_same_dtype(c, 0, i)))
      return NULL;
  const Type *src = c->args[0]->type;
  return full_like(c, src, dims_of(c->args[c->nargs - 1]->type), src->dtype);
}

/* ---- global memory ---- */

const Type *deduce_tile_mscatter(OpCall *c) {
  const Type *src = arg_tile(c, 0), *tensor = NULL;
  if (!src || !check_dtype(c, 0, gather_types) || !arg_tile(c, 1) ||
      !check_dtype(c, 1, int32_types) || !check_same_extents(c, 0, 1) ||
      !(tensor = arg_tensor(c, 2)))
    return NULL;
  if (!tensor->rank) return op_error(c, "'output_tensor' must have at least one dimension");
  return check_same_dtype(c, 0, 2) ? tensor : NULL;
}

const Type *deduce_tile_gather_row(OpCall *c) {
  const Type *dst = arg_tile(c, 0), *src = c->args[1]->type;
  if (!dst) return NULL;
  if (src->kind != TYPE_TENSOR)
    return op_error(c, "'src' must be a Tensor, not %s", type_kind_name(src));
  return check_same_dtype(c, 0, 1) && want_gather_row(c) ? dst : NULL;
}
