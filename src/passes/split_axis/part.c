#include "passes/split_axis/part.h"

#include "ir/view.h"

Expr *half_extent(Ir *ir, Expr *extent) {
  int64_t n;
  if (expr_const_int(extent, &n))
    return expr_int(ir, n / 2 + n % 2, extent->type->dtype, extent->span);
  Expr *two = expr_int(ir, 2, extent->type->dtype, extent->span);
  return expr_binary(ir, EXPR_FLOOR_DIV, extent, two, extent->type->dtype, extent->span);
}

bool halves_are_exact(const Expr *extent) {
  int64_t n;
  return !expr_const_int(extent, &n) || n % 2 == 0;
}

static Expr *index_expr(const Lane *l, ExprKind kind, Expr *a, Expr *b) {
  return expr_binary(l->ir, kind, a, b, DT_INDEX, a->span);
}

/* The larger of the two first, then the difference: an unsigned extent must not wrap. */
Expr *lane_valid(const Lane *l, Expr *valid, const Expr *extent, Expr *half) {
  if (l->step)
    half = l->step;
  else if (dim_equal(valid, extent) && halves_are_exact(extent))
    return half;
  Expr *start = index_expr(l, EXPR_MUL, l->index, half);
  Expr *rest = index_expr(l, EXPR_SUB, index_expr(l, EXPR_MAX, valid, start), start);
  return index_expr(l, EXPR_MIN, rest, half);
}

Expr *lane_offset(const Lane *l, Expr *from, Expr *half) {
  Expr *by = expr_binary(l->ir, EXPR_MUL, l->index, l->step ? l->step : half, DT_INDEX, from->span);
  return index_expr(l, EXPR_ADD, from, by);
}

const Type *type_with_valid(Ir *ir, const Type *t, int axis, Expr *extent) {
  TileView v = tile_view_of(ir, t);
  v.valid_shape = COPY_ARRAY(ir->arena, Expr *, v.valid_shape, v.nvalid);
  v.valid_shape[axis] = extent;
  return type_with_tile_view(ir, t, &v);
}

const Type *lane_type(const Lane *l, const Type *t, int axis) {
  Expr **shape = COPY_ARRAY(l->ir->arena, Expr *, t->shape, t->rank);
  shape[axis] = half_extent(l->ir, t->shape[axis]);
  Type n = *t;
  n.shape = shape;
  TileView v = tile_view_of(l->ir, t);
  if (axis < v.nvalid && (t->tile_view || l->step || !halves_are_exact(t->shape[axis]))) {
    v.valid_shape = COPY_ARRAY(l->ir->arena, Expr *, v.valid_shape, v.nvalid);
    v.valid_shape[axis] = lane_valid(l, v.valid_shape[axis], t->shape[axis], shape[axis]);
    n.tile_view = &v;
  }
  return type_intern(l->ir, &n);
}

const Type *lane_shard_type(const Lane *l, const Type *half, const Type *whole, int axis) {
  int n;
  Expr *const *valid = type_valid_shape(whole, &n);
  if (axis >= n || axis >= half->rank) return half;
  bool all = dim_equal(valid[axis], whole->shape[axis]) && halves_are_exact(whole->shape[axis]);
  if (all && !l->step) return half;
  return type_with_valid(l->ir, half, axis,
                         lane_valid(l, valid[axis], whole->shape[axis], half->shape[axis]));
}
