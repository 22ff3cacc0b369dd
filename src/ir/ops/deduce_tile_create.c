/* deduce_tile_create.c -- tile operators that make tiles from nothing. */
#include "ir/ops/deduce.h"
#include "ir/ops/deduce_common.h"

static const DType ci_types[] = {DT_INT16, DT_INT32, DT_UINT16, DT_UINT32, DT_NONE};
static const DType tri_types[] = {DT_INT8,   DT_UINT8, DT_INT16, DT_INT32, DT_UINT16,
                                  DT_UINT32, DT_FP16,  DT_BF16,  DT_FP32,  DT_NONE};
static const DType random_types[] = {DT_INT32, DT_UINT32, DT_NONE};

/* The keyword `dtype`, which must be of `set` (NULL: any); DT_NONE after an error. */
static DType result_dtype(OpCall *c, const DType *set) {
  DType t = kwarg_dtype(c, "dtype");
  if (t == DT_NONE)
    op_error(c, "'dtype' must be given");
  else if (set && !dtype_in(t, set))
    op_error(c, "'dtype' must be one of %s, not %s", dtype_set_str(c->ir, set), dtype_name(t));
  else
    return t;
  return DT_NONE;
}

static const Type *plain_tile(OpCall *c, Dims shape, Dims valid, DType dtype) {
  TileView v = tile_view_plain();
  tile_view_set_valid(&v, valid);
  return tile_result(c->ir, shape, dtype, &v, MEM_NONE);
}

static bool check_create(OpCall *c, MemSpace space, int rank, bool transpose, bool flat) {
  if (space == MEM_LEFT_SCALE || space == MEM_RIGHT_SCALE)
    op_error(c, "a tile in %s cannot be created; load it into Mat and move it", mem_name(space));
  else if (transpose && (rank != 2 || space != MEM_MAT))
    op_error(c, "transpose=True is possible only for 2 dimensions in Mat");
  else if (flat && (space != MEM_MAT || transpose))
    op_error(c, "flat_layout=True is possible only in Mat, without transpose");
  else
    return true;
  return false;
}

const Type *deduce_tile_create(OpCall *c) {
  Dims shape;
  DType dtype = result_dtype(c, NULL);
  if (dtype == DT_NONE || !arg_const_shape(c, 0, &shape)) return NULL;
  MemSpace space = kwarg_mem(c, "target_memory"), stamped = MEM_NONE;
  bool transpose = kwarg_bool(c, "transpose", false), flat = kwarg_bool(c, "flat_layout", false);
  if (!check_create(c, space, shape.n, transpose, flat)) return NULL;
  TileView v = tile_view_plain();
  if (flat) {
    stamped = MEM_MAT;
  } else if (space == MEM_ACC) {
    tile_view_set_layout(c->ir, &v, shape, dtype, MEM_ACC);
    stamped = MEM_ACC;
  } else if (transpose) {
    v.slayout = TILE_LAYOUT_COL_MAJOR;
  } else {
    tile_view_set_layout(c->ir, &v, shape, dtype, MEM_NONE);
  }
  tile_view_set_valid(&v, shape);
  return tile_result(c->ir, shape, dtype, &v, stamped);
}

const Type *deduce_tile_full(OpCall *c) {
  Dims shape;
  DType dtype = result_dtype(c, NULL);
  if (dtype == DT_NONE || !arg_const_shape(c, 0, &shape)) return NULL;
  if (c->args[1]->kind != EXPR_INT && c->args[1]->kind != EXPR_FLOAT)
    return op_error(c, "'value' must be a constant");
  return plain_tile(c, shape, shape, dtype);
}

const Type *deduce_tile_ci(OpCall *c) {
  Dims shape;
  DType dtype = result_dtype(c, ci_types);
  const Type *start = dtype == DT_NONE ? NULL : arg_scalar(c, 0);
  if (!start || !arg_const_shape(c, 1, &shape)) return NULL;
  if (start->dtype != dtype)
    return op_error(c, "'start' must be %s as the result, not %s", dtype_name(dtype),
                    dtype_name(start->dtype));
  if (extent_is_const(shape.at[shape.n - 1], 1))
    return op_error(c, "the last extent of 'shape' must not be 1");
  for (int i = 0; i + 1 < shape.n; i++)
    if (!extent_is_const(shape.at[i], 1))
      return op_error(c, "dimension %d of 'shape' must be 1: only the first row is filled", i);
  return plain_tile(c, shape, shape, dtype);
}

/* The optional argument `i` narrows the constant `shape`; without it *valid is the shape. */
static bool const_valid_shape(OpCall *c, int i, Dims shape, Dims *valid) {
  *valid = shape;
  if (!arg_given(c, i)) return true;
  if (!arg_const_shape(c, i, valid)) return false;
  bool fits = valid->n == shape.n;
  for (int k = 0; fits && k < shape.n; k++) {
    int64_t v = 0, s = 0;
    expr_const_int(valid->at[k], &v);
    expr_const_int(shape.at[k], &s);
    fits = v <= s;
  }
  if (!fits)
    op_error(c, "'valid_shape' %s does not fit the shape %s", dims_str(c->ir, *valid),
             dims_str(c->ir, shape));
  return fits;
}

static bool const_matrix(OpCall *c, int i, Dims *shape) {
  if (!arg_const_shape(c, i, shape)) return false;
  if (shape->n == 2) return true;
  op_error(c, "'%s' must have 2 dimensions, not %d", arg_name(c, i), shape->n);
  return false;
}

static bool check_int32(OpCall *c, int i) {
  const Type *t = arg_scalar(c, i);
  if (!t || t->dtype == DT_INT32) return t != NULL;
  op_error(c, "'%s' must be INT32, not %s", arg_name(c, i), dtype_name(t->dtype));
  return false;
}

const Type *deduce_tile_tri(OpCall *c) {
  Dims shape, valid;
  DType dtype = result_dtype(c, tri_types);
  if (dtype == DT_NONE || !check_int32(c, 0) || !const_matrix(c, 1, &shape) ||
      !const_valid_shape(c, 2, shape, &valid))
    return NULL;
  return plain_tile(c, shape, valid, dtype);
}

const Type *deduce_tile_random(OpCall *c) {
  enum { WORDS = 6 }; /* key and counter */
  Dims shape, valid;
  DType dtype = result_dtype(c, random_types);
  if (dtype == DT_NONE) return NULL;
  int64_t rounds = kwarg_int(c, "rounds", 10);
  if (rounds != 7 && rounds != 10)
    return op_error(c, "'rounds' must be 7 or 10, not %lld", (long long)rounds);
  for (int i = 0; i < WORDS; i++)
    if (!check_int32(c, i)) return NULL;
  if (!const_matrix(c, WORDS, &shape) || !const_valid_shape(c, WORDS + 1, shape, &valid))
    return NULL;
  return plain_tile(c, shape, valid, dtype);
}
