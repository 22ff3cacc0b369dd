/* deduce_tile_elementwise.c -- tile operators that work element by element. */
#include "ir/ops/deduce.h"
#include "ir/ops/deduce_common.h"

static const DType float_types[] = {DT_FP16, DT_FP32, DT_NONE};
static const DType div_types[] = {DT_INT16, DT_INT32, DT_FP16, DT_FP32, DT_NONE};
static const DType subs_types[] = {DT_INT8, DT_INT16, DT_INT32, DT_FP16, DT_FP32, DT_BF16, DT_NONE};
static const DType int16_types[] = {DT_INT16, DT_UINT16, DT_NONE};
static const DType fp32_types[] = {DT_FP32, DT_NONE};
static const DType mask_types[] = {DT_INT8,  DT_UINT8,  DT_INT16, DT_UINT16,
                                   DT_INT32, DT_UINT32, DT_NONE};
static const DType sels_types[] = {DT_INT8,   DT_UINT8, DT_INT16, DT_UINT16, DT_INT32,
                                   DT_UINT32, DT_FP16,  DT_FP32,  DT_NONE};

static bool check_int_tile(OpCall *c, int i) {
  DType t = c->args[i]->type->dtype;
  if (dtype_is_int(t)) return true;
  op_error(c, "'%s' must have an integer element type, not %s", arg_name(c, i), dtype_name(t));
  return false;
}

static bool check_rank(OpCall *c, int i, int rank) {
  if (c->args[i]->type->rank == rank) return true;
  op_error(c, "'%s' must have %d dimensions, not %d", arg_name(c, i), rank, c->args[i]->type->rank);
  return false;
}

/* Arguments `i` and `j` have the same extents, by value or by proof. */
static bool check_same_shape(OpCall *c, int i, int j) {
  Dims a = dims_of(c->args[i]->type), b = dims_of(c->args[j]->type);
  bool same = a.n == b.n;
  for (int k = 0; same && k < a.n; k++) same = dims_same(c->ir, a.at[k], b.at[k]);
  if (!same)
    op_error(c, "'%s' and '%s' must have the same shape, not %s and %s", arg_name(c, i),
             arg_name(c, j), dims_str(c->ir, a), dims_str(c->ir, b));
  return same;
}

static bool check_same_valid(OpCall *c, int i, int j) {
  Dims a = valid_of(c->args[i]->type), b = valid_of(c->args[j]->type);
  bool same = a.n == b.n;
  for (int k = 0; same && k < a.n; k++) same = extent_equal(c->ir, a.at[k], b.at[k]);
  if (!same)
    op_error(c, "'%s' and '%s' must have the same valid shape, not %s and %s", arg_name(c, i),
             arg_name(c, j), dims_str(c->ir, a), dims_str(c->ir, b));
  return same;
}

static bool broadcast_args(OpCall *c, Dims a, int j, Dims *out) {
  Dims b = dims_of(c->args[j]->type);
  if (dims_broadcast(c->ir, a, b, out)) return true;
  op_error(c, "'%s' of shape %s does not fit shape %s", arg_name(c, j), dims_str(c->ir, b),
           dims_str(c->ir, a));
  return false;
}

/* `high_precision` is there for FP16 and FP32 only. */
static bool check_precision(OpCall *c) {
  DType t = c->args[0]->type->dtype;
  if (!kwarg_bool(c, "high_precision", false) || dtype_in(t, float_types)) return true;
  op_error(c, "high_precision is possible for FP16 and FP32 only, not %s", dtype_name(t));
  return false;
}

/* ---- two and three tiles ---- */

static const Type *strict_binary(OpCall *c, const Type *a) {
  if (!check_same_dtype(c, 0, 1) || !check_dtype(c, 0, div_types) || !check_same_shape(c, 0, 1) ||
      !check_same_valid(c, 0, 1) || !check_precision(c))
    return NULL;
  return tile_result_like(c->ir, a, dims_of(a), a->dtype);
}

const Type *deduce_tile_binary(OpCall *c) {
  int p = c->op->param;
  const Type *a = arg_tile(c, 0), *b = a ? arg_tile(c, 1) : NULL;
  if (!b || ((p & TILE_SCRATCH) && !arg_tile(c, 2))) return NULL;
  if ((p & (TILE_INT | TILE_SHIFT)) && (!check_int_tile(c, 0) || !check_int_tile(c, 1)))
    return NULL;
  if (p & TILE_STRICT) return strict_binary(c, a);
  Dims shape;
  if (!broadcast_args(c, dims_of(a), 1, &shape)) return NULL;
  return tile_result_like(c->ir, a, shape,
                          p & TILE_SHIFT ? a->dtype : dtype_promote(a->dtype, b->dtype));
}

const Type *deduce_tile_three_tiles(OpCall *c) {
  const Type *t[3];
  for (int i = 0; i < 3; i++)
    if (!(t[i] = arg_tile(c, i))) return NULL;
  Dims shape;
  if (!broadcast_args(c, dims_of(t[0]), 1, &shape) || !broadcast_args(c, shape, 2, &shape))
    return NULL;
  DType dtype = dtype_promote(dtype_promote(t[0]->dtype, t[1]->dtype), t[2]->dtype);
  return tile_result_like(c->ir, t[0], shape, dtype);
}

/* ---- tile and scalar ---- */

const Type *deduce_tile_scalar(OpCall *c) {
  int p = c->op->param;
  const Type *tile = arg_tile(c, 0);
  if (!tile || ((p & TILE_INT) && !check_int_tile(c, 0))) return NULL;
  if (!(p & TILE_INT ? arg_int_scalar(c, 1) : arg_scalar(c, 1))) return NULL;
  if ((p & TILE_SCRATCH) && !arg_tile(c, 2)) return NULL;
  if ((p & TILE_SUBS) && (!check_dtype(c, 0, subs_types) || !check_dtype(c, 1, subs_types)))
    return NULL;
  return tile_result_like(c->ir, tile, dims_of(tile), tile->dtype);
}

const Type *deduce_tile_scalar_tile(OpCall *c) {
  const Type *a = arg_tile(c, 0), *s = a ? arg_scalar(c, 1) : NULL, *b = s ? arg_tile(c, 2) : NULL;
  Dims shape;
  if (!b || !broadcast_args(c, dims_of(a), 2, &shape)) return NULL;
  DType dtype = dtype_promote(dtype_promote(a->dtype, s->dtype), b->dtype);
  return tile_result_like(c->ir, a, shape, dtype);
}

/* ---- choices ---- */

const Type *deduce_tile_prelu(OpCall *c) {
  for (int i = 0; i < 3; i++)
    if (!arg_tile(c, i)) return NULL;
  const Type *src = c->args[0]->type;
  if (!check_dtype(c, 0, float_types) || !check_same_dtype(c, 0, 1) || !check_rank(c, 0, 2) ||
      !check_same_shape(c, 0, 1) || !check_same_valid(c, 0, 1) || !check_rank(c, 2, 2))
    return NULL;
  return tile_result_like(c->ir, src, dims_of(src), src->dtype);
}

const Type *deduce_tile_sel(OpCall *c) {
  for (int i = 0; i < 4; i++)
    if (!arg_tile(c, i)) return NULL;
  const Type *a = c->args[1]->type, *b = c->args[2]->type;
  Dims shape;
  if (!broadcast_args(c, dims_of(a), 2, &shape)) return NULL;
  return tile_result_like(c->ir, a, shape, dtype_promote(a->dtype, b->dtype));
}

/* pto.tsels takes its scalar as signed. */
static DType sels_scalar_dtype(DType src) {
  switch (src) {
    case DT_UINT8: return DT_INT8;
    case DT_UINT16: return DT_INT16;
    case DT_UINT32: return DT_INT32;
    default: return src;
  }
}

/* The mask holds one bit for each valid element of the source, rows padded to whole elements. */
static bool check_sels_mask(OpCall *c) {
  Ir *ir = c->ir;
  const Type *mask = c->args[0]->type;
  Dims m = valid_of(mask), s = valid_of(c->args[1]->type);
  Expr *bytes = extent_scale(ir, m.at[1], dtype_get_byte(mask->dtype), DT_INDEX);
  if (extent_le(ir, s.at[0], m.at[0]) && extent_le(ir, extent_ceil_div(ir, s.at[1], 8), bytes))
    return true;
  op_error(c, "'mask' with valid shape %s of %s does not cover the valid shape %s of 'src'",
           dims_str(ir, m), dtype_name(mask->dtype), dims_str(ir, s));
  return false;
}

const Type *deduce_tile_sels(OpCall *c) {
  for (int i = 0; i < 3; i++)
    if (!arg_tile(c, i)) return NULL;
  const Type *src = c->args[1]->type, *scalar = arg_scalar(c, 3);
  if (!scalar || !check_rank(c, 0, 2) || !check_dtype(c, 0, mask_types) || !check_rank(c, 1, 2) ||
      !check_dtype(c, 1, sels_types) || !check_rank(c, 2, 2))
    return NULL;
  DType wanted = sels_scalar_dtype(src->dtype);
  if (scalar->dtype != wanted)
    return op_error(c, "'scalar' must be %s for a source of %s, not %s", dtype_name(wanted),
                    dtype_name(src->dtype), dtype_name(scalar->dtype));
  if (!check_sels_mask(c)) return NULL;
  return tile_result_like(c->ir, src, dims_of(src), src->dtype);
}

/* ---- comparisons ---- */

/* One bit for an element, packed into bytes; a row of the mask fills whole 32-byte blocks. */
static const Type *packed_mask(OpCall *c, Dims shape, const Type *src) {
  Ir *ir = c->ir;
  enum { BITS = 8, BLOCK = 32 };
  if (!shape.n) return op_error(c, "a tile without dimensions cannot be compared");
  TileView v = tile_view_like(ir, src);
  Dims mask = dims_copy(ir, shape), valid = dims_copy(ir, valid_of(src));
  Expr **last = &mask.at[mask.n - 1], **last_valid = &valid.at[valid.n - 1];
  *last = extent_scale(ir, extent_ceil_div(ir, extent_ceil_div(ir, *last, BITS), BLOCK), BLOCK,
                       DT_INDEX);
  *last_valid = extent_ceil_div(ir, *last_valid, BITS);
  tile_view_set_valid(&v, valid);
  return tile_result(ir, mask, DT_UINT8, &v, MEM_NONE);
}

const Type *deduce_tile_cmp(OpCall *c) {
  const Type *a = arg_tile(c, 0);
  if (!a) return NULL;
  if (c->op->param & TILE_SCALAR) return arg_scalar(c, 1) ? packed_mask(c, dims_of(a), a) : NULL;
  Dims shape;
  if (!arg_tile(c, 1) || !broadcast_args(c, dims_of(a), 1, &shape)) return NULL;
  return packed_mask(c, shape, a);
}

/* ---- padding ---- */

static bool pad_value(OpCall *c, PadValue *pad) {
  *pad = (PadValue)kwarg_int(c, "pad_value", PAD_ZERO);
  if (*pad != PAD_NULL) return true;
  op_error(c, "'pad_value' must be zero, max or min");
  return false;
}

static const Type *filled(OpCall *c, const Type *src, Dims shape, PadValue pad) {
  TileView v = tile_view_like(c->ir, src);
  tile_view_set_valid(&v, shape);
  v.pad = pad;
  Type t = {.kind = TYPE_TILE,
            .dtype = src->dtype,
            .space = src->space,
            .rank = (uint16_t)shape.n,
            .shape = shape.at,
            .memref = src->memref,
            .tile_view = &v};
  return type_intern(c->ir, &t);
}

const Type *deduce_tile_fillpad(OpCall *c) {
  const Type *src = arg_tile(c, 0);
  PadValue pad;
  return src && pad_value(c, &pad) ? filled(c, src, dims_of(src), pad) : NULL;
}

const Type *deduce_tile_fillpad_expand(OpCall *c) {
  const Type *src = arg_tile(c, 0);
  Dims shape;
  PadValue pad;
  if (!src || !arg_const_shape(c, 1, &shape) || !pad_value(c, &pad)) return NULL;
  if (shape.n != src->rank)
    return op_error(c, "'shape' must have the source's %d dimensions, not %d", src->rank, shape.n);
  for (int i = 0; i < shape.n; i++) {
    int64_t to, from;
    if (expr_const_int(shape.at[i], &to) && expr_const_int(src->shape[i], &from) && to < from)
      return op_error(c, "dimension %d of 'shape', %lld, is smaller than the source's %lld", i,
                      (long long)to, (long long)from);
  }
  return filled(c, src, shape, pad);
}

/* ---- one tile ---- */

const Type *deduce_tile_unary(OpCall *c) {
  int p = c->op->param;
  const Type *t = arg_tile(c, 0);
  if (!t) return NULL;
  if ((p & TILE_FP32) && !check_dtype(c, 0, fp32_types)) return NULL;
  if ((p & TILE_FLOAT) && !check_dtype(c, 0, float_types)) return NULL;
  if ((p & TILE_INT16) && !check_dtype(c, 0, int16_types)) return NULL;
  if ((p & TILE_PRECISE) && !check_precision(c)) return NULL;
  if ((p & TILE_SCRATCH) && arg_given(c, 1) &&
      (!arg_tile(c, 1) || !check_same_dtype(c, 0, 1) || !check_same_shape(c, 0, 1)))
    return NULL;
  return tile_result_like(c->ir, t, dims_of(t), t->dtype);
}

const Type *deduce_tile_cast(OpCall *c) {
  const Type *t = arg_tile(c, 0);
  if (!t) return NULL;
  DType to = kwarg_dtype(c, "target_type");
  if (to == DT_NONE) return op_error(c, "'target_type' must be given");
  if (!op_kwarg(c, "mode")) return op_error(c, "'mode' must be given");
  if (to == t->dtype)
    return op_error(c, "the element type is %s already; remove the cast", dtype_name(to));
  return tile_result_like(c->ir, t, dims_of(t), to);
}
