/* deduce_tensor_memory.c -- types of tensor operators that create, read, write and cut tensors. */
#include <string.h>

#include "ir/ops/deduce.h"
#include "ir/ops/deduce_region.h"
#include "ir/print.h"

static const Dims everywhere = {NULL, 0};
static const DType index_types[] = {DT_INT16, DT_INT32, DT_UINT16, DT_UINT32, DT_NONE};
static const DType addable[] = {DT_FP32, DT_BF16, DT_FP16, DT_INT32, DT_INT16, DT_INT8, DT_NONE};

static DType want_kwarg_dtype(OpCall *c) {
  DType t = kwarg_dtype(c, "dtype");
  if (t == DT_NONE) op_error(c, "'dtype' is missing");
  return t;
}

/* ---------------------------------------------------------------- creation */

const Type *deduce_tensor_create(OpCall *c) {
  Dims shape;
  DType dtype = want_kwarg_dtype(c);
  if (dtype == DT_NONE || !arg_int_list(c, 0, &shape)) return NULL;
  TensorView v = {.layout = (TensorLayout)kwarg_int(c, "layout", LAYOUT_ND)};
  return type_intern(c->ir, &(Type){.kind = TYPE_TENSOR,
                                    .dtype = dtype,
                                    .shape = shape.at,
                                    .rank = (uint16_t)shape.n,
                                    .tensor_view = &v});
}

const Type *deduce_tensor_create_l1(OpCall *c) {
  Dims shape;
  DType dtype = want_kwarg_dtype(c);
  if (dtype == DT_NONE || !arg_const_shape(c, 0, &shape)) return NULL;
  return tensor_fresh(c->ir, shape, dtype, everywhere);
}

const Type *deduce_tensor_full(OpCall *c) {
  Dims shape;
  DType dtype = want_kwarg_dtype(c);
  if (dtype == DT_NONE || !arg_int_list(c, 0, &shape)) return NULL;
  if (c->args[1]->kind != EXPR_INT && c->args[1]->kind != EXPR_FLOAT)
    return op_error(c, "'value' must be a number written in the call");
  return tensor_fresh(c->ir, shape, dtype, everywhere);
}

const Type *deduce_tensor_ci(OpCall *c) {
  Dims shape;
  DType dtype = want_kwarg_dtype(c);
  if (dtype == DT_NONE) return NULL;
  if (!dtype_in(dtype, index_types))
    return op_error(c, "'dtype' must be one of %s, not %s", dtype_set_str(c->ir, index_types),
                    dtype_name(dtype));
  if (c->args[0]->type->dtype != dtype)
    return op_error(c, "'start' is %s, the result %s", dtype_name(c->args[0]->type->dtype),
                    dtype_name(dtype));
  if (!arg_int_list(c, 1, &shape)) return NULL;
  if (!shape.n) return op_error(c, "'shape' must have a dimension");
  if (extent_is_const(shape.at[shape.n - 1], 1))
    return op_error(c, "the last dimension must not be 1: one number makes no sequence");
  for (int i = 0; i + 1 < shape.n; i++)
    if (shape.at[i]->kind == EXPR_INT && !extent_is_const(shape.at[i], 1))
      return op_error(c, "only one row is filled, so dimension %d must be 1, not %s", i,
                      expr_str(c->ir, shape.at[i]));
  return tensor_fresh(c->ir, shape, dtype, everywhere);
}

const Type *deduce_tensor_random(OpCall *c) {
  Dims shape;
  DType dtype = want_kwarg_dtype(c);
  int64_t rounds = kwarg_int(c, "rounds", 10);
  if (dtype == DT_NONE) return NULL;
  if (dtype != DT_INT32 && dtype != DT_UINT32)
    return op_error(c, "'dtype' must be INT32 or UINT32, not %s", dtype_name(dtype));
  if (rounds != 7 && rounds != 10)
    return op_error(c, "'rounds' must be 7 or 10, not %lld", (long long)rounds);
  for (int i = 0; i < 6; i++)
    if (c->args[i]->type->dtype != DT_INT32)
      return op_error(c, "'%s' must be INT32, not %s", arg_name(c, i),
                      dtype_name(c->args[i]->type->dtype));
  if (!arg_int_list(c, 6, &shape)) return NULL;
  if (shape.n != 2) return op_error(c, "'shape' must have two dimensions, not %d", shape.n);
  return tensor_fresh(c->ir, shape, dtype, everywhere);
}

const Type *deduce_tensor_alloc(OpCall *c) { return type_simple(c->ir, TYPE_PTR); }
const Type *deduce_tensor_index(OpCall *c) { return type_scalar(c->ir, DT_INDEX); }

/* ---------------------------------------------------------------- elements */

static bool check_indices(OpCall *c) {
  Dims at;
  const Type *t = c->args[0]->type;
  if (!arg_int_list(c, 1, &at)) return false;
  if (at.n == t->rank) return true;
  op_error(c, "%d indices for %d dimensions", at.n, t->rank);
  return false;
}

const Type *deduce_tensor_read(OpCall *c) {
  return check_indices(c) ? type_scalar(c->ir, c->args[0]->type->dtype) : NULL;
}

const Type *deduce_tensor_write(OpCall *c) {
  const Type *t = c->args[0]->type;
  DType value = c->args[2]->type->dtype;
  if (!check_indices(c)) return NULL;
  if (value != t->dtype)
    return op_error(c, "cannot write %s into a tensor of %s", dtype_name(value),
                    dtype_name(t->dtype));
  return t;
}

const Type *deduce_tensor_dim(OpCall *c) {
  int64_t axis;
  int rank = c->args[0]->type->rank;
  if (!expr_const_int(c->args[1], &axis)) return op_error(c, "'axis' must be a constant");
  if (axis < -rank || axis >= rank)
    return op_error(c, "there is no axis %lld in %d dimensions", (long long)axis, rank);
  return type_scalar(c->ir, DT_INDEX);
}

/* ---------------------------------------------------------------- windows */

static bool is_mx(const Type *t) {
  return t->tensor_view &&
         (t->tensor_view->layout == LAYOUT_MX_A_ZZ || t->tensor_view->layout == LAYOUT_MX_B_NN);
}

/* The valid extents of the window, before dimensions are dropped; false after the error. */
static bool slice_region(OpCall *c, Dims shape, Dims offset, Dims requested, Dims *region) {
  const Type *t = c->args[0]->type;
  if (shape.n == t->rank && offset.n == shape.n) {
    WindowRead w = {.physical = dims_of(t),
                    .valid = valid_of(t),
                    .offsets = offset,
                    .window = shape,
                    .requested = requested,
                    .clamp = kwarg_bool(c, "clamp", false),
                    .remedy = "clamp=True cuts the window off at the end of the tensor"};
    *region = (Dims){window_read_valid(c, &w), shape.n};
    return region->at != NULL;
  }
  *region = requested.n ? requested : shape;
  if (region->n == shape.n) return true;
  op_error(c, "'valid_shape' has %d dimensions, 'shape' %d", requested.n, shape.n);
  return false;
}

/* A view of args[0]: a window stays one, over the same buffer. */
static const Type *view_of(OpCall *c, Dims shape, const TensorView *v) {
  const Type *t = c->args[0]->type;
  return type_intern(c->ir, &(Type){.kind = t->kind,
                                    .dtype = t->dtype,
                                    .shape = shape.at,
                                    .rank = (uint16_t)shape.n,
                                    .tensor_view = v,
                                    .window = t->window});
}

const Type *deduce_tensor_slice(OpCall *c) {
  const Type *t = c->args[0]->type;
  Dims shape, offset, requested = everywhere;
  if (is_mx(t)) return op_error(c, "a tensor in an MX layout cannot be sliced");
  if (!arg_int_list(c, 1, &shape) || !arg_int_list(c, 2, &offset)) return NULL;
  if (c->nargs >= 4 && !arg_list(c, 3, &requested)) return NULL;
  Expr *axes = c->nargs == 5 ? c->args[4] : NULL;
  bool *drop = NEW_ARRAY(c->ir->arena, bool, shape.n + 1);
  if (drop_dims_read(c, axes, shape, everywhere, drop) < 0) return NULL;
  Dims region;
  if (!slice_region(c, shape, offset, requested, &region)) return NULL;
  int dropped = drop_dims_read(c, axes, shape, region, drop);
  if (dropped < 0) return NULL;
  if (dropped && dropped == shape.n)
    return op_error(c, "'drop_dims' drops every dimension; keep one, or use tensor.read");
  Dims valid = dims_without(c->ir, region, drop);
  TensorView v = {
      .valid_shape = valid.at,
      .nvalid = (uint16_t)valid.n,
      .pad = (PadValue)kwarg_int(c, "pad_value", t->tensor_view ? t->tensor_view->pad : PAD_NULL)};
  return view_of(c, dims_without(c->ir, shape, drop), &v);
}

const Type *deduce_tensor_assemble(OpCall *c) {
  const Type *to = c->args[0]->type, *from = c->args[1]->type;
  Dims offset, valid = everywhere;
  if (!arg_int_list(c, 2, &offset)) return NULL;
  if (kwarg_int(c, "atomic", ATOMIC_NONE) == ATOMIC_ADD && !dtype_in(to->dtype, addable))
    return op_error(c, "atomic=AtomicType.Add needs a target of %s, not %s",
                    dtype_set_str(c->ir, addable), dtype_name(to->dtype));
  if (from->rank == to->rank && offset.n == to->rank) {
    RegionWrite w = {.target = dims_of(to),
                     .target_valid = valid_of(to),
                     .source = dims_of(from),
                     .source_valid = valid_of(from),
                     .offsets = offset,
                     .remedy = "the valid part of the source is written, and it must fit"};
    valid = write_union_valid(c, &w);
    if (!valid.at && to->rank) return NULL;
  }
  TensorView v = {.valid_shape = valid.at, .nvalid = (uint16_t)valid.n};
  return view_of(c, dims_of(to), &v);
}

OpEffect effect_atomic_first(const Expr *call, int i) {
  for (int k = 0; i == 0 && k < call->u.call.kwargs.len; k++) {
    const AttrValue *v = &call->u.call.kwargs.items[k].value;
    if (v->kind == ATTR_ENUM && v->enum_id == ENUM_ATOMIC && v->u.i != ATOMIC_NONE)
      return EFFECT_READ_WRITE;
  }
  return i == 0 ? EFFECT_WRITE : EFFECT_READ;
}

OpEffect effect_atomic_second(const Expr *call, int i) {
  return i == 0 ? EFFECT_READ : effect_atomic_first(call, i - 1);
}

/* ---------------------------------------------------------------- padding */

const Type *deduce_tensor_fillpad(OpCall *c) {
  Type t = *c->args[0]->type;
  TensorView v;
  if (!t.tensor_view) return c->args[0]->type;
  v = *t.tensor_view;
  v.nvalid = 0;
  v.valid_shape = NULL;
  t.tensor_view = &v;
  return type_intern(c->ir, &t);
}

const Type *deduce_tensor_fillpad_expand(OpCall *c) {
  Type t = *c->args[0]->type;
  Dims shape;
  if (!arg_const_shape(c, 1, &shape)) return NULL;
  if (shape.n != t.rank)
    return op_error(c, "'shape' has %d dimensions, the source %d", shape.n, t.rank);
  for (int i = 0; i < shape.n; i++) {
    int64_t from, to;
    if (expr_const_int(t.shape[i], &from) && expr_const_int(shape.at[i], &to) && to < from)
      return op_error(c, "dimension %d cannot shrink from %lld to %lld", i, (long long)from,
                      (long long)to);
  }
  TensorView v = t.tensor_view ? *t.tensor_view : (TensorView){0};
  v.nvalid = 0;
  v.valid_shape = NULL;
  v.pad = (PadValue)kwarg_int(c, "pad_value", PAD_ZERO);
  t.tensor_view = &v;
  t.memref = NULL;
  t.shape = shape.at;
  return type_intern(c->ir, &t);
}
