/* deduce_tile_mx.c -- matrix products of block-scaled tiles: one scale for 32 elements along K. */
#include "ir/ops/deduce.h"
#include "ir/ops/deduce_common.h"
#include "ir/print.h"

enum { GROUP = 32, M_STEP = 16, K_STEP = 64, N_STEP = 32 };

static bool surely_differ(const Expr *a, const Expr *b) {
  int64_t x, y;
  return expr_const_int(a, &x) && expr_const_int(b, &y) && x != y;
}

static bool check_data(OpCall *c, int i) {
  const Type *t = arg_tile(c, i);
  if (!t) return false;
  if (t->rank != 2) {
    op_error(c, "'%s' must have 2 dimensions, not %d", arg_name(c, i), t->rank);
    return false;
  }
  if (t->dtype == DT_FP8E4M3FN) return true;
  op_error(c, "'%s' must be FP8E4M3FN, not %s%s", arg_name(c, i), dtype_name(t->dtype),
           t->dtype == DT_FP4 ? "; cast it to FP8E4M3FN first" : "");
  return false;
}

static bool check_step(OpCall *c, int i, int axis, const char *name, int step) {
  int64_t v;
  if (!expr_const_int(c->args[i]->type->shape[axis], &v) || (v > 0 && v % step == 0)) return true;
  op_error(c, "%s of '%s' must be a multiple of %d, it is %lld", name, arg_name(c, i), step,
           (long long)v);
  return false;
}

/* Number of scale groups of a K extent; NULL if it is not constant. */
static Expr *groups_of(OpCall *c, Expr *k) {
  int64_t v;
  return expr_const_int(k, &v) ? expr_index(c->ir, (v + GROUP - 1) / GROUP) : NULL;
}

/* Data and scales count groups of the valid and of the physical K: they must be the same number. */
static bool check_groups(OpCall *c, int i, int axis) {
  const Type *t = c->args[i]->type;
  int64_t k, valid;
  if (!expr_const_int(valid_of(t).at[axis], &valid)) return true;
  bool known = expr_const_int(t->shape[axis], &k);
  if (valid > 0 && (!known || (valid + GROUP - 1) / GROUP == (k + GROUP - 1) / GROUP)) return true;
  op_error(c, "the valid K of '%s', %lld, must need as many scales as its K, one for %d",
           arg_name(c, i), (long long)valid, GROUP);
  return false;
}

/* The scale tile `i` must have these constant extents; NULL ones are not known. */
static bool check_scale(OpCall *c, int i, Dims shape, Dims valid) {
  const Type *t = arg_tile(c, i);
  if (!t) return false;
  if (t->dtype != DT_FP8E8M0 || t->rank != 2) {
    op_error(c, "'%s' must be FP8E8M0 with 2 dimensions, not %s with %d", arg_name(c, i),
             dtype_name(t->dtype), t->rank);
    return false;
  }
  Dims has = valid_of(t);
  for (int k = 0; k < 2; k++) {
    Expr *want_valid = valid.at[k] ? valid.at[k] : shape.at[k];
    bool fits = (!shape.at[k] || !surely_differ(shape.at[k], t->shape[k])) &&
                (!want_valid || !surely_differ(want_valid, has.at[k]));
    if (fits) continue;
    op_error(c, "dimension %d of '%s', shape %s and valid shape %s, does not fit its data", k,
             arg_name(c, i), dims_str(c->ir, dims_of(t)), dims_str(c->ir, has));
    return false;
  }
  return true;
}

/* The scales of data tile `data`, whose K is dimension `k_axis`, are in tile `scale`. */
static bool check_scale_of(OpCall *c, int scale, int data, int k_axis) {
  const Type *t = c->args[data]->type;
  Dims shape = dims_copy(c->ir, dims_of(t)), valid = dims_copy(c->ir, valid_of(t));
  shape.at[k_axis] = groups_of(c, shape.at[k_axis]);
  valid.at[k_axis] = groups_of(c, valid.at[k_axis]);
  return check_scale(c, scale, shape, valid);
}

/* Checks (lhs, lhs_scale, rhs, rhs_scale) from argument `l` on and gives the product's extents. */
static bool mx_product(OpCall *c, int l, Dims *shape, Dims *valid) {
  int r = l + 2;
  if (!check_data(c, l) || !check_data(c, r)) return false;
  if (!check_step(c, l, 0, "M", M_STEP) || !check_step(c, r, 1, "N", N_STEP)) return false;
  const Type *lhs = c->args[l]->type, *rhs = c->args[r]->type;
  Dims a = valid_of(lhs), b = valid_of(rhs);
  if (surely_differ(lhs->shape[1], rhs->shape[0]) || surely_differ(a.at[1], b.at[0])) {
    op_error(c, "the inner dimensions of '%s' %s and '%s' %s differ", arg_name(c, l),
             dims_str(c->ir, a), arg_name(c, r), dims_str(c->ir, b));
    return false;
  }
  if (!check_step(c, l, 1, "K", K_STEP) || !check_step(c, r, 0, "K", K_STEP) ||
      !check_groups(c, l, 1) || !check_groups(c, r, 0) || !check_scale_of(c, l + 1, l, 1) ||
      !check_scale_of(c, r + 1, r, 0))
    return false;
  *shape = dims2(c->ir, lhs->shape[0], rhs->shape[1]);
  *valid = dims2(c->ir, a.at[0], b.at[1]);
  return true;
}

/* Accumulator or bias `i`: FP32 of 2 dimensions that do not surely differ from these; NULL: any. */
static bool check_mx_extra(OpCall *c, int i, Dims shape, Dims valid) {
  const Type *t = arg_tile(c, i);
  if (!t) return false;
  bool fits = t->rank == 2 && t->dtype == DT_FP32;
  Dims has = valid_of(t);
  for (int k = 0; fits && k < 2; k++)
    fits = !surely_differ(t->shape[k], shape.at[k]) && !surely_differ(has.at[k], valid.at[k]);
  if (!fits)
    op_error(c, "'%s' must be FP32 of shape %s and valid shape %s, not %s of %s and %s",
             arg_name(c, i), dims_str(c->ir, shape), dims_str(c->ir, valid), dtype_name(t->dtype),
             dims_str(c->ir, dims_of(t)), dims_str(c->ir, has));
  return fits;
}

const Type *deduce_tile_matmul_mx(OpCall *c) {
  Ir *ir = c->ir;
  int param = c->op->param;
  Dims shape, valid;
  if (!mx_product(c, param & TILE_ACC ? 1 : 0, &shape, &valid)) return NULL;
  if ((param & TILE_ACC) && !check_mx_extra(c, 0, shape, valid)) return NULL;
  Expr *one = expr_index(ir, 1);
  if ((param & TILE_BIAS) &&
      !check_mx_extra(c, 4, dims2(ir, one, shape.at[1]), dims2(ir, one, valid.at[1])))
    return NULL;
  TileView v = tile_view_plain();
  tile_view_set_layout(ir, &v, shape, DT_FP32, MEM_ACC);
  tile_view_set_valid(&v, valid);
  if (!extent_equal(ir, valid.at[0], shape.at[0])) v.compact = COMPACT_NORMAL;
  return tile_result(ir, shape, DT_FP32, &v, MEM_NONE);
}

const Type *deduce_tile_scale_addr(OpCall *c) {
  const Type *scale = arg_tile(c, 0);
  if (!scale || !check_data(c, 1)) return NULL;
  MemSpace s = scale->space, d = c->args[1]->type->space;
  bool left = s == MEM_LEFT_SCALE && d == MEM_LEFT, right = s == MEM_RIGHT_SCALE && d == MEM_RIGHT;
  if (!left && !right)
    return op_error(c, "pairs LeftScale with Left or RightScale with Right, not %s with %s",
                    s == MEM_NONE ? "an undecided space" : mem_name(s),
                    d == MEM_NONE ? "an undecided space" : mem_name(d));
  if (!check_scale_of(c, 0, 1, left ? 1 : 0)) return NULL;
  return tile_result(c->ir, dims_of(scale), scale->dtype, scale->tile_view, s);
}

/* ---- quantisation ---- */

static const DType quant_types[] = {DT_FP32, DT_FP16, DT_BF16, DT_NONE};

/* A static tile, valid all over, whose extents are whole fractals: [M, K], or [N, K] by `axis` 0. */
static bool check_quant_shape(OpCall *c, const Type *src, int64_t axis, int64_t out[2]) {
  const int step[2] = {axis ? M_STEP : N_STEP, K_STEP};
  Dims valid = valid_of(src);
  for (int i = 0; i < 2; i++) {
    if (!expr_const_int(src->shape[i], &out[i]) || out[i] <= 0 || out[i] % step[i]) {
      op_error(c, "dimension %d of 'src', %s, must be a constant multiple of %d", i,
               expr_str(c->ir, src->shape[i]), step[i]);
      return false;
    }
    if (dim_equal(valid.at[i], src->shape[i])) continue;
    op_error(c, "'src' must be valid all over, not only %s", dims_str(c->ir, valid));
    return false;
  }
  return true;
}

/* Quantised elements and their scales: [M, K] and [M, K / 32], or, of [N, K] along axis 0, the right
 * operand's [K, N] and [K / 32, N]. */
const Type *deduce_tile_quant_mx(OpCall *c) {
  Ir *ir = c->ir;
  const Type *src = arg_tile(c, 0);
  int64_t axis = kwarg_int(c, "group_axis", 1), n[2];
  if (!src || !check_dtype(c, 0, quant_types)) return NULL;
  if (src->rank != 2) return op_error(c, "'src' must have 2 dimensions, not %d", src->rank);
  if (axis != 0 && axis != 1)
    return op_error(c, "'group_axis' must be 0 (for the right operand) or 1, not %lld",
                    (long long)axis);
  if (kwarg_dtype(c, "dtype") != DT_FP8E4M3FN)
    return op_error(c, "'dtype' must be FP8E4M3FN, not %s", dtype_name(kwarg_dtype(c, "dtype")));
  if (!check_quant_shape(c, src, axis, n)) return NULL;
  Expr *groups = expr_index(ir, n[1] / GROUP);
  Dims shape = axis ? dims_of(src) : dims2(ir, src->shape[1], src->shape[0]);
  Dims scales = axis ? dims2(ir, src->shape[0], groups) : dims2(ir, groups, src->shape[0]);
  TileView data = tile_view_plain(), scale = tile_view_plain();
  scale.blayout = scale.slayout = axis ? TILE_LAYOUT_ROW_MAJOR : TILE_LAYOUT_COL_MAJOR;
  scale.fractal = 32;
  const Type *both[] = {tile_result(ir, shape, DT_FP8E4M3FN, &data, MEM_NONE),
                        tile_result(ir, scales, DT_FP8E8M0, &scale, MEM_NONE)};
  return type_tuple(ir, both, 2);
}
