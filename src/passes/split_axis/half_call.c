/* half_call.c -- the half of one vector operator. */
#include "ir/op.h"
#include "ir/view.h"
#include "passes/cross_core/lanes.h"
#include "passes/split_axis/halver.h"

void halver_fail(Halver *h, const Expr *call, const char *why) {
  diag_error(h->lane.ir->diag, call->span, "%s %s", call->u.call.op->name, why);
  h->failed = true;
}

int axis_of_operands(const Halver *h, const Expr *call) {
  for (int i = 0; i < call->u.call.nargs; i++)
    if (map_has(&h->axes, call->u.call.args[i])) return axis_of(h, call->u.call.args[i]);
  return -1;
}

bool has_axis(const Type *t, int axis) {
  int64_t n;
  return type_is_tile(t) && axis < t->rank && !(expr_const_int(t->shape[axis], &n) && n == 1);
}

/* ---------------------------------------------------------------- operands */

static Expr *with_element(Halver *h, Expr *tuple, int at, Expr *value) {
  Ir *ir = h->lane.ir;
  Expr **elems = COPY_ARRAY(ir->arena, Expr *, tuple->u.tuple.elems, tuple->u.tuple.len);
  elems[at] = value;
  return expr_tuple(ir, elems, tuple->u.tuple.len, tuple->span);
}

static bool has_element(const Expr *e, int at) {
  return e->kind == EXPR_TUPLE && at < e->u.tuple.len;
}

static Expr *half_element(Halver *h, Expr *tuple, int at) {
  if (!has_element(tuple, at)) return tuple;
  return with_element(h, tuple, at, half_extent(h->lane.ir, tuple->u.tuple.elems[at]));
}

static Expr *valid_element(Halver *h, Expr *tuple, int at, const Expr *extent, Expr *half) {
  if (!has_element(tuple, at)) return tuple;
  return with_element(h, tuple, at, lane_valid(&h->lane, tuple->u.tuple.elems[at], extent, half));
}

static Expr *moved_offset(Halver *h, Expr *offsets, int at, Expr *half) {
  if (!has_element(offsets, at)) return offsets;
  return with_element(h, offsets, at, lane_offset(&h->lane, offsets->u.tuple.elems[at], half));
}

/* An extent that both cores share stays: only one that reaches into the second core's part is cut. */
static bool reaches_over(const Halver *h, const Expr *valid, const Expr *extent, const Expr *half) {
  int64_t n, most;
  if (dim_equal(valid, extent)) return true;
  return expr_const_int(valid, &n) && expr_const_int(h->lane.step ? h->lane.step : half, &most) &&
         n > most;
}

static void halve_operands(Halver *h, const Expr *call, Expr **args, int axis, bool from_half) {
  int n = call->u.call.nargs;
  Expr *extent = call->type->shape[axis], *half = half_extent(h->lane.ir, extent);
  OpId id = call->u.call.op->id;
  switch (id) {
    case OP_TILE_LOAD:
    case OP_TILE_SLICE: {
      int shape = id == OP_TILE_LOAD ? 2 : 1, offsets = id == OP_TILE_LOAD ? 1 : 2;
      if (n < 3) return;
      args[shape] = half_element(h, args[shape], axis);
      if (!from_half) args[offsets] = moved_offset(h, args[offsets], axis, half);
      if (n >= 4) args[3] = valid_element(h, args[3], axis, extent, half);
      return;
    }
    case OP_TILE_FULL:
    case OP_TILE_CREATE: args[0] = half_element(h, args[0], axis); return;
    case OP_TILE_RESHAPE:
    case OP_TILE_REINTERPRET_VIEW:
      if (n >= 2) args[1] = half_element(h, args[1], axis);
      return;
    case OP_TILE_SET_VALIDSHAPE:
      if (1 + axis < n && reaches_over(h, args[1 + axis], extent, half))
        args[1 + axis] = lane_valid(&h->lane, args[1 + axis], extent, half);
      return;
    default: return;
  }
}

static Expr *half_of(Halver *h, const Expr *call, Expr *now, int axis, bool from_half) {
  Expr *half = expr_copy(h->lane.ir, now);
  half->u.call.args = COPY_ARRAY(h->lane.ir->arena, Expr *, now->u.call.args, now->u.call.nargs);
  half->type = lane_type(&h->lane, call->type, axis);
  halve_operands(h, call, half->u.call.args, axis, from_half);
  return half;
}

/* ---------------------------------------------------------------- reshapes of halves */

/* The product of the dimensions from `from` up to `to`; false if one is no constant. */
static bool product_of(const Type *t, int from, int to, int64_t *product) {
  *product = 1;
  for (int i = from; i < to; i++) {
    int64_t n;
    if (!expr_const_int(t->shape[i], &n) || __builtin_mul_overflow(*product, n, product))
      return false;
  }
  return true;
}

typedef enum Reshaped {
  RESHAPED,       /* the axis is known */
  RESHAPED_AS_IS, /* elements cannot be counted: the axis stays where it is */
  RESHAPED_ODD,   /* an odd axis that goes */
  RESHAPED_LOST,  /* no axis of the result has the same first half */
} Reshaped;

/* Which axis of `to` has as its first half the elements that are the first half of `axis` of `from`? */
static Reshaped reshaped_axis(const Type *from, int axis, const Type *to, int *result) {
  int64_t extent, before, within, n;
  *result = axis;
  bool known = expr_const_int(from->shape[axis], &extent);
  if (known && extent % 2) return has_axis(to, axis) ? RESHAPED_AS_IS : RESHAPED_ODD;
  if (!known || !product_of(from, 0, axis, &before) || before != 1 ||
      !product_of(from, axis + 1, from->rank, &within))
    return RESHAPED_AS_IS;
  for (int i = 0; i < to->rank; i++) {
    int64_t inner;
    if (!expr_const_int(to->shape[i], &n) || !product_of(to, i + 1, to->rank, &inner))
      return RESHAPED_AS_IS;
    *result = i;
    if (n % 2 == 0 && n / 2 * inner == extent / 2 * within) return RESHAPED;
    if (n != 1) return RESHAPED_LOST;
  }
  return RESHAPED_LOST;
}

/* Could the axis be the same, with the same elements before it? */
static bool axis_stays(const Type *from, int axis, const Type *to) {
  int64_t a, b;
  if (!has_axis(to, axis)) return false;
  if (product_of(from, 0, axis, &a) && product_of(to, 0, axis, &b) && a != b) return false;
  return !expr_const_int(from->shape[axis], &a) || !expr_const_int(to->shape[axis], &b) || a == b;
}

static Expr *half_reshape(Halver *h, const Expr *call, Expr *now, int *axis) {
  int from = *axis;
  const Type *tile = call->u.call.args[0]->type;
  switch (reshaped_axis(tile, from, call->type, axis)) {
    case RESHAPED:
      if (*axis == from || !h->lane.step) return half_of(h, call, now, *axis, true);
      halver_fail(h, call,
                  "moves the axis that is split between the two vector cores, which is cut in the "
                  "middle of "
                  "what is valid; make it valid as a whole by pl.set_validshape()");
      break;
    case RESHAPED_AS_IS:
      if (axis_stays(tile, from, call->type)) return half_of(h, call, now, from, true);
      halver_fail(h, call, "moves the axis that is split between the two vector cores");
      break;
    case RESHAPED_ODD:
      halver_fail(h, call,
                  "moves the axis that is split between the two vector cores, and its extent is "
                  "odd; pad it, "
                  "and narrow it by pl.set_validshape()");
      break;
    case RESHAPED_LOST:
      halver_fail(
          h, call,
          "moves the axis that is split between the two vector cores where its half is no half");
      break;
  }
  return now;
}

/* ---------------------------------------------------------------- views of whole tiles */

/* A view of a whole tile stays, assigned before; the core takes its half by a slice of it. */
static Expr *slice_of_view(Halver *h, const Expr *var, Expr *now, int axis, StmtList *out) {
  Ir *ir = h->lane.ir;
  const Type *t = now->type;
  Expr **shape = NEW_ARRAY(ir->arena, Expr *, t->rank),
       **from = NEW_ARRAY(ir->arena, Expr *, t->rank);
  for (int i = 0; i < t->rank; i++) {
    int64_t n;
    if (!expr_const_int(t->shape[i], &n)) {
      halver_fail(h, now,
                  "of a whole tile has an extent that is no constant, and each of the two vector "
                  "cores would "
                  "need its half; load or slice before it");
      return now;
    }
    shape[i] = expr_int(ir, i == axis ? n / 2 + n % 2 : n, DT_INDEX, now->span);
    from[i] = i == axis ? expr_binary(ir, EXPR_MUL, h->lane.index, shape[i], DT_INDEX, now->span)
                        : expr_int(ir, 0, DT_INDEX, now->span);
  }
  Expr *whole = expr_var(ir, var->u.var.name, t, var->span);
  vec_push(out, stmt_assign(ir, whole, now, now->span));
  Expr *args[] = {whole, expr_tuple(ir, shape, t->rank, now->span),
                  expr_tuple(ir, from, t->rank, now->span)};
  Expr *slice = op_call_id(ir, OP_TILE_SLICE, args, 3, (AttrList){0}, now->span);
  h->failed |= !slice;
  return slice ? slice : now;
}

/* A shape that is written must be the one that follows from the element types: any other moves bytes across. */
static bool keeps_axes(Halver *h, const Expr *call) {
  Expr *plain = op_call_id(h->lane.ir, OP_TILE_REINTERPRET_VIEW, call->u.call.args, 1,
                           call->u.call.kwargs, call->span);
  if (plain &&
      dims_equal(plain->type->shape, plain->type->rank, call->type->shape, call->type->rank))
    return true;
  halver_fail(
      h, call,
      "in what is split between the two vector cores cannot have a shape of its own; leave it out");
  return false;
}

/* ---------------------------------------------------------------- all operators */

/* Is it a tile of which each core takes a half?  Which axis a vector without a second one is split along shows
 * where it is reshaped. */
static bool can_halve(const Expr *call, int axis) {
  return has_axis(call->type, axis) && !(expr_is_op(call, OP_TILE_LOAD) && call->type->rank < 2);
}

Expr *half_call(Halver *h, const Expr *var, const Expr *call, Expr *now, int *axis, StmtList *out) {
  OpId id = call->u.call.op->id;
  int from = axis_of_operands(h, call);
  *axis = from >= 0 ? from : h->axis;
  if (reduced_axis(call) == *axis) {
    halver_fail(h, call, "reduces the axis that is split between the two vector cores");
    return now;
  }
  bool written = id == OP_TILE_REINTERPRET_VIEW && call->u.call.nargs == 2;
  if (written && type_is_tile(call->type) && !keeps_axes(h, call)) return now;
  if (id == OP_TILE_RESHAPE && from >= 0 && call->u.call.nargs >= 2)
    return half_reshape(h, call, now, axis);
  if (!can_halve(call, *axis)) {
    *axis = -1;
    return now;
  }
  if (id == OP_TILE_CI || id == OP_TILE_RANDOM) {
    halver_fail(
        h, call,
        "cannot be split between the two vector cores: its values depend on their position");
    return now;
  }
  if (from < 0 && (id == OP_TILE_RESHAPE || id == OP_TILE_REINTERPRET_VIEW))
    return slice_of_view(h, var, now, *axis, out);
  return half_of(h, call, now, *axis, from >= 0);
}

Expr *half_store(Halver *h, const Expr *call, Expr *now) {
  const Expr *tile = call->u.call.args[0];
  int axis = axis_of(h, tile);
  if (call->u.call.nargs < 3 || axis < 0) return now;
  Ir *ir = h->lane.ir;
  Expr *half = expr_copy(ir, now);
  half->u.call.args = COPY_ARRAY(ir->arena, Expr *, now->u.call.args, now->u.call.nargs);
  half->u.call.args[1] =
      moved_offset(h, now->u.call.args[1], axis, half_extent(ir, tile->type->shape[axis]));
  return half;
}

Expr *half_transfer(Halver *h, const Expr *call, Expr *now, int *axis) {
  Ir *ir = h->lane.ir;
  OpId id = call->u.call.op->id;
  bool push = call->u.call.op->cross_role == CROSS_PUSH;
  Transfer t = {.to_vector = id == OP_TILE_TPUSH_TO_AIV || id == OP_TILE_TPOP_FROM_AIC,
                .whole = push ? call->u.call.args[0]->type : call->type,
                .mode = split_mode_of(h->axis),
                .at = call->span};
  if (h->lane.step) t.lane_stride = h->lane.step->u.i;
  int code = transfer_code(ir, &t);
  h->failed |= code < 0;
  if (h->failed) return now;
  Expr *half = expr_copy(ir, now);
  half->u.call.kwargs = key_with(ir, now->u.call.kwargs, KEY_SPLIT, attr_of_int(code));
  if (id == OP_TILE_TPOP_FROM_AIC && h->what != HALVE_CUBE && type_is_tile(call->type) &&
      h->axis < call->type->rank) {
    half->type = lane_type(&h->lane, call->type, h->axis);
    *axis = h->axis;
  }
  return half;
}
