/* bind_tile.c -- tile operators whose written form says more than their operands. */
#include <math.h>

#include "ir/ops/bind.h"
#include "ir/ops/convert.h"
#include "ir/ops/deduce.h"
#include "ir/ops/deduce_common.h"

/* ---- pops: the type of what arrives may be written in the call ---- */

bool bind_tile_pop(Written *w, OpCall *c) {
  Binding b;
  if (!bind_match(w, c, &b)) return false;
  BoundArg *shape = bind_arg(&b, "shape"), *dtype = bind_arg(&b, "dtype");
  shape->used = dtype->used = true;
  if (!bind_finish(&b, w->op)) return false;
  if (shape->given != dtype->given) {
    op_error(c, "'shape' and 'dtype' are given both or neither");
    return false;
  }
  if (!shape->given) return true;
  OpParam list = {
      .name = ir_name(w->ir, "shape"), .kind = ir_name(w->ir, "list"), .code = KIND_LIST};
  Expr *dims = NULL;
  if (!convert_operand(c, &list, &shape->value, true, &dims)) return false;
  if (dims->kind != EXPR_TUPLE || dtype->value.kind != ATTR_DTYPE) {
    op_error(c, "'shape' must be a list and 'dtype' an element type");
    return false;
  }
  w->result = type_tile(w->ir, dims->u.tuple.elems, dims->u.tuple.len, dtype->value.u.dtype,
                        w->op->param & TILE_SHARD ? MEM_VEC : MEM_MAT);
  return true;
}

/* ---- loads: scales in an MX layout go to Mat, everything else to Vec if nothing is said ---- */

bool bind_tile_load(Written *w, OpCall *c) {
  Binding b;
  if (!bind_match(w, c, &b)) return false;
  BoundArg *space = bind_arg(&b, "target_memory");
  const Expr *tensor = bound_expr(bind_arg(&b, "tensor"));
  const TensorView *view = tensor ? tensor->type->tensor_view : NULL;
  if (!space->given && view && (view->layout == LAYOUT_MX_A_ZZ || view->layout == LAYOUT_MX_B_NN)) {
    space->value = attr_of_enum(ENUM_MEM, MEM_MAT);
    space->given = space->keyword = true;
  }
  return bind_finish(&b, w->op);
}

/* ---- sels: its scalar is a constant of the source's type, taken as signed ---- */

/* The constant's value; false if `e` is none. */
static bool constant(const Expr *e, double *value) {
  double sign = 1;
  for (; e->kind == EXPR_NEG; e = e->u.operand) sign = -sign;
  if (e->kind != EXPR_INT && e->kind != EXPR_FLOAT) return false;
  *value = sign * (e->kind == EXPR_INT ? (double)e->u.i : e->u.f);
  return true;
}

/* `value` as the instruction reads it: the same bits, in the signed type of that width. */
static Expr *signed_constant(Ir *ir, double value, DType dtype, Span at) {
  int64_t v = (int64_t)value;
  if (dtype_is_unsigned(dtype)) {
    static const DType by_width[] = {[8] = DT_INT8, [16] = DT_INT16, [32] = DT_INT32};
    int bits = dtype_bits(dtype);
    if (bits > 32) return expr_int(ir, v, dtype, at);
    if (v >= (int64_t)1 << (bits - 1)) v -= (int64_t)1 << bits;
    dtype = by_width[bits];
  }
  return expr_int(ir, v, dtype, at);
}

bool bind_tile_sels(Written *w, OpCall *c) {
  Binding b;
  if (!bind_match(w, c, &b) || !bind_finish(&b, w->op)) return false;
  if (c->nargs < 4 || !type_is_tile(c->args[1]->type)) return true; /* refused later */
  Expr **scalar = &c->args[3];
  DType dtype = c->args[1]->type->dtype;
  double value;
  if (!constant(*scalar, &value)) {
    if (!type_is_scalar((*scalar)->type) || (*scalar)->type->dtype != DT_INDEX) return true;
    op_error(c, "'scalar' is INDEX, which the instruction does not take; use pl.cast");
    return false;
  }
  if (dtype_is_float(dtype)) {
    *scalar = expr_float(w->ir, value, dtype, (*scalar)->span);
  } else if (!dtype_is_int(dtype)) {
    return true;
  } else if (value != floor(value) || fabs(value) > 0x1p53) {
    op_error(c, "'scalar' is %g, which %s cannot hold", value, dtype_name(dtype));
    return false;
  } else {
    *scalar = signed_constant(w->ir, value, dtype, (*scalar)->span);
  }
  return true;
}
