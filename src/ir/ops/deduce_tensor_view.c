/* deduce_tensor_view.c -- types of tensor operators that give the same elements another shape. */
#include "ir/ops/deduce.h"
#include "ir/ops/deduce_region.h"
#include "ir/ops/deduce_split.h"
#include "ir/print.h"

static const Dims everywhere = {NULL, 0};

static TensorLayout layout_of(const Type *t) {
  return t->tensor_view ? t->tensor_view->layout : LAYOUT_ND;
}
static PadValue pad_of(const Type *t) { return t->tensor_view ? t->tensor_view->pad : PAD_NULL; }

static Dims strides_of(const Type *t) {
  return t->tensor_view ? (Dims){t->tensor_view->stride, t->tensor_view->nstride} : everywhere;
}

static bool is_mx_layout(TensorLayout l) { return l == LAYOUT_MX_A_ZZ || l == LAYOUT_MX_B_NN; }

static Dims packed(Ir *ir, Dims shape, TensorLayout layout) {
  Expr **e = packed_strides(ir, shape.at, shape.n, layout);
  return e ? (Dims){e, shape.n} : everywhere;
}

static bool check_count(OpCall *c, Dims from, Dims to) {
  int64_t a, b;
  if (!count_elements(c, from, &a) || !count_elements(c, to, &b)) return false;
  if (a < 0 || b < 0 || a == b) return true;
  op_error(c, "%s has %lld elements, %s has %lld", dims_str(c->ir, from), (long long)a,
           dims_str(c->ir, to), (long long)b);
  return false;
}

/* ---------------------------------------------------------------- reshape */

/* A region asked for must lie in the one there is. */
static bool check_narrower(OpCall *c, Dims wanted, Dims valid) {
  if (wanted.n != valid.n) {
    op_error(c, "'valid_shape' has %d dimensions, 'shape' %d", wanted.n, valid.n);
    return false;
  }
  for (int i = 0; i < wanted.n; i++) {
    if (extent_le(c->ir, expr_index(c->ir, 0), wanted.at[i]) &&
        extent_le(c->ir, wanted.at[i], valid.at[i]))
      continue;
    op_error(c, "valid_shape[%d] is %s, which is not surely between 0 and %s", i,
             expr_str(c->ir, wanted.at[i]), expr_str(c->ir, valid.at[i]));
    return false;
  }
  return true;
}

const Type *deduce_tensor_reshape(OpCall *c) {
  const Type *t = c->args[0]->type;
  Dims shape, wanted;
  if (is_mx_layout(layout_of(t))) return op_error(c, "a tensor in an MX layout cannot be reshaped");
  if (!arg_int_list(c, 1, &shape) || !check_count(c, dims_of(t), shape)) return NULL;
  Dims strides = strides_of(t);
  bool row_major = layout_of(t) == LAYOUT_ND &&
                   (!strides.n || dims_equivalent(strides, packed(c->ir, dims_of(t), LAYOUT_ND)));
  Dims valid = reshape_valid(c, valid_of(t), dims_of(t), shape, row_major);
  if (!valid.at) return NULL;
  if (c->nargs == 3) {
    if (!arg_list(c, 2, &wanted) || !check_narrower(c, wanted, valid)) return NULL;
    valid = wanted;
  }
  TensorView v = {.valid_shape = valid.at, .nvalid = (uint16_t)valid.n, .pad = pad_of(t)};
  return type_intern(c->ir, &(Type){.kind = TYPE_TENSOR,
                                    .dtype = t->dtype,
                                    .shape = shape.at,
                                    .rank = (uint16_t)shape.n,
                                    .tensor_view = &v});
}

const Type *deduce_tensor_reinterpret(OpCall *c) {
  const Type *t = c->args[0]->type;
  TensorLayout layout = layout_of(t);
  DType to = kwarg_dtype(c, "dtype");
  Dims wanted = everywhere, strides = strides_of(t);
  if (to == DT_NONE) return op_error(c, "'dtype' is missing");
  if (is_mx_layout(layout) || layout == LAYOUT_NZ)
    return op_error(c, "a tensor in layout %s cannot be reinterpreted",
                    enum_name(ENUM_LAYOUT, layout));
  if (!t->rank) return op_error(c, "the tensor has no dimensions");
  if (strides.n && !dims_equivalent(strides, packed(c->ir, dims_of(t), layout)))
    return op_error(c, "only a packed tensor can be reinterpreted");
  if (c->nargs == 2 && !arg_index_list(c, 1, &wanted)) return NULL;
  if (c->nargs == 2 && !wanted.n) return op_error(c, "'shape' must have a dimension");
  if (layout == LAYOUT_DN && (t->rank < 2 || wanted.n == 1))
    return op_error(c, "layout DN needs two dimensions");
  int axis = layout == LAYOUT_DN ? t->rank - 2 : t->rank - 1;
  Dims valid =
      t->tensor_view ? (Dims){t->tensor_view->valid_shape, t->tensor_view->nvalid} : everywhere;
  Reinterpret r;
  if (!reinterpret_shapes(c, dims_of(t), valid, t->dtype, to, axis, wanted, &r)) return NULL;
  TensorView v = {.layout = layout,
                  .valid_shape = r.valid.at,
                  .nvalid = (uint16_t)r.valid.n,
                  .pad = reinterpret_pad(pad_of(t))};
  if (strides.n) {
    v.stride = packed(c->ir, r.shape, layout).at;
    v.nstride = (uint16_t)r.shape.n;
  }
  return type_intern(c->ir, &(Type){.kind = TYPE_TENSOR,
                                    .dtype = to,
                                    .shape = r.shape.at,
                                    .rank = (uint16_t)r.shape.n,
                                    .memref = t->memref,
                                    .tensor_view = &v});
}

/* ---------------------------------------------------------------- transpose */

static bool read_axis(OpCall *c, int arg, int *axis) {
  int64_t a;
  int rank = c->args[0]->type->rank;
  if (!expr_const_int(c->args[arg], &a) || a < -rank || a >= rank) {
    op_error(c, "'%s' must be a constant axis of %d dimensions", arg_name(c, arg), rank);
    return false;
  }
  *axis = (int)(a < 0 ? a + rank : a);
  return true;
}

static Dims exchanged(Ir *ir, Dims d, int a, int b) {
  Dims r = dims_copy(ir, d);
  if (r.n) {
    r.at[a] = d.at[b];
    r.at[b] = d.at[a];
  }
  return r;
}

/* Are these the strides that packed ND has anyway? */
static bool says_packed(Ir *ir, Dims strides, Dims shape) {
  Dims p = packed(ir, shape, LAYOUT_ND);
  for (int i = 0; i < strides.n; i++) {
    if (i >= p.n) return false;
    int64_t x, y;
    bool constant = expr_const_int(strides.at[i], &x) && expr_const_int(p.at[i], &y);
    if (constant ? x != y : strides.at[i] != p.at[i]) return false;
  }
  return true;
}

const Type *deduce_tensor_transpose(OpCall *c) {
  const Type *t = c->args[0]->type;
  int a, b;
  Dims valid =
      t->tensor_view ? (Dims){t->tensor_view->valid_shape, t->tensor_view->nvalid} : everywhere;
  if (is_mx_layout(layout_of(t)))
    return op_error(c, "a tensor in an MX layout cannot be transposed");
  if (t->rank < 2)
    return op_error(c, "the tensor must have at least two dimensions, it has %d", t->rank);
  if (!read_axis(c, 1, &a) || !read_axis(c, 2, &b)) return NULL;
  if (a == b) return op_error(c, "the two axes must differ, both are %d", a);
  Dims shape = exchanged(c->ir, dims_of(t), a, b);
  bool last_two = a + b == 2 * t->rank - 3 && (a == t->rank - 1 || b == t->rank - 1);
  TensorLayout layout = layout_of(t);
  if (last_two) layout = layout == LAYOUT_ND ? LAYOUT_DN : LAYOUT_ND;
  Dims strides = strides_of(t);
  strides = exchanged(c->ir, strides.n ? strides : packed(c->ir, dims_of(t), LAYOUT_ND), a, b);
  if (c->nargs == 4) {
    if (!arg_list(c, 3, &valid)) return NULL;
    if (valid.n != t->rank)
      return op_error(c, "'valid_shape' has %d dimensions, the tensor %d", valid.n, t->rank);
  } else {
    valid = exchanged(c->ir, valid, a, b);
  }
  bool plain = layout == LAYOUT_ND && says_packed(c->ir, strides, shape);
  TensorView v = {
      .layout = layout, .valid_shape = valid.at, .nvalid = (uint16_t)valid.n, .pad = pad_of(t)};
  if (!plain) {
    v.stride = strides.at;
    v.nstride = (uint16_t)strides.n;
  }
  return type_intern(c->ir, &(Type){.kind = TYPE_TENSOR,
                                    .dtype = t->dtype,
                                    .shape = shape.at,
                                    .rank = (uint16_t)shape.n,
                                    .tensor_view = &v});
}

/* ---------------------------------------------------------------- view */

/* outer * inner is surely more than the stride there is. */
static bool overlaps(const Expr *stride, const Expr *inner, const Expr *extent) {
  int64_t s, i, e, n;
  return expr_const_int(stride, &s) && expr_const_int(inner, &i) && expr_const_int(extent, &e) &&
         (__builtin_mul_overflow(i, e, &n) || s < n);
}

/* Strides that the layout allows: 1 where elements lie side by side, no overlap. */
static bool check_strides(OpCall *c, Dims shape, Dims stride, TensorLayout layout) {
  int n = stride.n, side = layout == LAYOUT_DN ? n - 2 : n - 1;
  bool ok = n == shape.n && side >= 0 && extent_is_const(stride.at[side], 1);
  int from = n - 2;
  if (ok && layout == LAYOUT_DN) {
    int64_t s, e;
    if (expr_const_int(stride.at[n - 1], &s) && expr_const_int(shape.at[n - 2], &e)) ok = s >= e;
    from = n - 3;
  }
  for (int i = from; i >= 0 && ok; i--)
    ok = !overlaps(stride.at[i], stride.at[i + 1], shape.at[i + 1]);
  if (!ok)
    op_error(c, "strides %s are not those of layout %s", dims_str(c->ir, stride),
             enum_name(ENUM_LAYOUT, layout));
  return ok;
}

static Expr *product(Ir *ir, Dims d) {
  Expr *p = expr_index(ir, 1);
  for (int i = 0; i < d.n; i++) {
    int64_t x, y, v;
    if (expr_const_int(p, &x) && expr_const_int(d.at[i], &y) && !__builtin_mul_overflow(x, y, &v))
      p = expr_index(ir, v);
    else if (extent_is_const(p, 1))
      p = d.at[i];
    else if (!extent_is_const(d.at[i], 1))
      p = expr_binary(ir, EXPR_MUL, p, d.at[i], DT_INDEX, NO_SPAN);
  }
  return p;
}

/* Folding a shape to two dimensions cuts its dimensions in two groups and multiplies each: the first
 * group gives the rows, the second the columns.  `cut` dimensions are in the first (none: one row). */
static bool is_folded(Ir *ir, Dims from, int cut, Dims to) {
  Dims rows = {from.at, cut}, columns = {from.at + cut, from.n - cut};
  return dim_equal(to.at[0], product(ir, rows)) && dim_equal(to.at[1], product(ir, columns));
}

/* Does the valid part of dimensions first .. end - 1 stay in one piece when they become one?  Walking
 * inwards from the last: while dimensions are full the runs join; the first that is not full still
 * bounds one run, but outside of it a second index would leave a gap. */
static bool stays_whole(Dims shape, Dims valid, int first, int end) {
  int i = end - 1;
  while (i > first && dim_equal(valid.at[i], shape.at[i])) i--;
  while (--i >= first)
    if (!extent_is_const(valid.at[i], 1)) return false;
  return true;
}

/* Is (to, to_valid) the 2-D form of (from, valid): all dimensions in one row, or all but the last in
 * the rows?  The group that is folded must keep its valid part in one piece. */
static bool collapses(Ir *ir, Dims from, Dims valid, Dims to, Dims to_valid) {
  if (!from.n || valid.n != from.n || to.n != 2 || to_valid.n != 2) return false;
  if (is_folded(ir, from, 0, to) && is_folded(ir, valid, 0, to_valid))
    return stays_whole(from, valid, 0, from.n);
  return is_folded(ir, from, from.n - 1, to) && is_folded(ir, valid, from.n - 1, to_valid) &&
         stays_whole(from, valid, 0, from.n - 1);
}

/* The valid shape written as third operand. */
static bool view_valid(OpCall *c, Dims shape, TensorLayout layout, Dims *valid) {
  const Type *t = c->args[0]->type;
  Dims from =
      t->tensor_view ? (Dims){t->tensor_view->valid_shape, t->tensor_view->nvalid} : everywhere;
  if (!arg_list(c, 2, valid)) return false;
  if (!valid->n) {
    if (from.n) op_error(c, "only a part of the source is valid; give a 'valid_shape'");
    return !from.n;
  }
  if (valid->n != shape.n) {
    op_error(c, "'valid_shape' has %d dimensions, 'shape' %d", valid->n, shape.n);
    return false;
  }
  for (int i = 0; i < shape.n; i++) {
    int64_t v, s;
    if (!expr_is_int_scalar(valid->at[i]) ||
        (expr_const_int(valid->at[i], &v) &&
         (v <= 0 || (expr_const_int(shape.at[i], &s) && v > s)))) {
      op_error(c, "valid_shape[%d] must be an integer from 1 to %s", i,
               expr_str(c->ir, shape.at[i]));
      return false;
    }
  }
  if (!from.n || layout_of(t) != LAYOUT_ND || layout != LAYOUT_ND ||
      !collapses(c->ir, dims_of(t), from, shape, *valid)) {
    op_error(c,
             "'valid_shape' can be given only where leading dimensions of a partly valid ND tensor "
             "become one");
    return false;
  }
  return true;
}

static bool positive(OpCall *c, Dims shape) {
  for (int i = 0; i < shape.n; i++) {
    int64_t v;
    if (!expr_const_int(shape.at[i], &v) || v > 0) continue;
    op_error(c, "dimension %d must be positive, it is %lld", i, (long long)v);
    return false;
  }
  return true;
}

static const Type *finish_view(OpCall *c, Dims shape, const TensorView *v) {
  const Type *t = c->args[0]->type;
  return type_intern(c->ir, &(Type){.kind = t->kind,
                                    .dtype = t->dtype,
                                    .shape = shape.at,
                                    .rank = (uint16_t)shape.n,
                                    .memref = t->memref,
                                    .tensor_view = v,
                                    .window = t->window});
}

/* Another shape over the same memory. */
static const Type *view_shape(OpCall *c, TensorLayout layout) {
  const Type *t = c->args[0]->type;
  Dims shape, valid = everywhere, strides = strides_of(t);
  if (strides.n && !dims_equivalent(strides, packed(c->ir, dims_of(t), layout_of(t))))
    return op_error(c, "only a packed tensor can get another shape");
  if (!arg_int_list(c, 1, &shape) || !positive(c, shape) || !check_count(c, dims_of(t), shape))
    return NULL;
  if (!shape.n) return op_error(c, "'shape' must have a dimension");
  if (layout == LAYOUT_DN && shape.n < 2) return op_error(c, "layout DN needs two dimensions");
  bool partial = t->tensor_view && t->tensor_view->nvalid;
  if (c->nargs == 2 && partial)
    return op_error(c, "only a part of the source is valid; give a 'valid_shape'");
  if (c->nargs == 3 && !view_valid(c, shape, layout, &valid)) return NULL;
  strides = packed(c->ir, shape, layout);
  TensorView v = {.stride = strides.at,
                  .nstride = (uint16_t)strides.n,
                  .layout = layout,
                  .valid_shape = valid.at,
                  .nvalid = (uint16_t)valid.n,
                  .pad = c->nargs == 3 ? pad_of(t) : PAD_NULL};
  return finish_view(c, shape, &v);
}

/* Another layout over the same memory: the last two dimensions change places. */
static const Type *view_layout(OpCall *c, TensorLayout layout) {
  const Type *t = c->args[0]->type;
  Dims shape = dims_of(t), strides = strides_of(t);
  Dims valid =
      t->tensor_view ? (Dims){t->tensor_view->valid_shape, t->tensor_view->nvalid} : everywhere;
  bool change = layout != layout_of(t);
  if (!shape.n || ((change || layout == LAYOUT_DN) && shape.n < 2))
    return op_error(c, "another layout needs two dimensions, the tensor has %d", shape.n);
  if (change) {
    shape = exchanged(c->ir, shape, shape.n - 2, shape.n - 1);
    strides = exchanged(c->ir, strides, shape.n - 2, shape.n - 1);
    valid = exchanged(c->ir, valid, shape.n - 2, shape.n - 1);
  }
  if (!strides.n) strides = packed(c->ir, shape, layout);
  TensorView v = {.stride = strides.at,
                  .nstride = (uint16_t)strides.n,
                  .layout = layout,
                  .valid_shape = valid.at,
                  .nvalid = (uint16_t)valid.n,
                  .pad = pad_of(t)};
  return finish_view(c, shape, &v);
}

const Type *deduce_tensor_view(OpCall *c) {
  const Type *t = c->args[0]->type;
  const AttrValue *asked = op_kwarg(c, "layout");
  if (c->nargs < 2 && !asked) return op_error(c, "'shape' or 'layout' must be given");
  TensorLayout from = layout_of(t), layout = asked ? (TensorLayout)asked->u.i : from;
  if (is_mx_layout(from) || is_mx_layout(layout) || from == LAYOUT_NZ || layout == LAYOUT_NZ)
    return op_error(
        c, "only ND and DN tensors can be viewed, not %s",
        enum_name(ENUM_LAYOUT, layout == LAYOUT_ND || layout == LAYOUT_DN ? from : layout));
  if (strides_of(t).n && !check_strides(c, dims_of(t), strides_of(t), from)) return NULL;
  return c->nargs >= 2 ? view_shape(c, layout) : view_layout(c, layout);
}

/* ---------------------------------------------------------------- others */

const Type *deduce_tensor_concat(OpCall *c) {
  const Type *a = c->args[0]->type, *b = c->args[1]->type;
  int64_t x, y, sum;
  if (a->dtype != b->dtype)
    return op_error(c, "both tensors must have one element type, not %s and %s",
                    dtype_name(a->dtype), dtype_name(b->dtype));
  if (a->rank != 2 || b->rank != 2) return op_error(c, "both tensors must have two dimensions");
  if (expr_const_int(a->shape[0], &x) && expr_const_int(b->shape[0], &y) && x != y)
    return op_error(c, "%lld rows against %lld", (long long)x, (long long)y);
  bool constant = expr_const_int(a->shape[1], &x) && expr_const_int(b->shape[1], &y) &&
                  !__builtin_add_overflow(x, y, &sum);
  Expr *cols =
      constant ? expr_index(c->ir, sum)
               : expr_binary(c->ir, EXPR_ADD, a->shape[1], b->shape[1], DT_INDEX, c->args[0]->span);
  return tensor_fresh(c->ir, dims2(c->ir, a->shape[0], cols), a->dtype, everywhere);
}

const Type *deduce_tensor_set_validshape(OpCall *c) {
  Type t = *c->args[0]->type;
  if (t.rank != 2) return op_error(c, "the tensor must have two dimensions, it has %d", t.rank);
  for (int i = 0; i < 2; i++) {
    int64_t v, bound;
    if (!arg_index(c, i + 1)) return NULL;
    if (!expr_const_int(c->args[i + 1], &v)) continue;
    if (v < 0 || (expr_const_int(t.shape[i], &bound) && v > bound))
      return op_error(c, "'%s' is %lld, which is not between 0 and %s", arg_name(c, i + 1),
                      (long long)v, expr_str(c->ir, t.shape[i]));
  }
  TensorView v = t.tensor_view ? *t.tensor_view : (TensorView){0};
  v.valid_shape = &c->args[1];
  v.nvalid = 2;
  t.tensor_view = &v;
  return type_intern(c->ir, &t);
}

const Type *deduce_tensor_split(OpCall *c) {
  const Type *t = c->args[0]->type;
  bool shard = c->op->param & TENSOR_HALVE;
  int split = split_mode(c);
  if (split < 0) return NULL;
  if (split == SPLIT_NONE) return t;
  if (t->rank != 2)
    return op_error(c, "the tensor must have two dimensions, it has %d; reshape it first", t->rank);
  if (!split_crosses(c, dims_of(t), valid_of(t), split, shard)) return NULL;
  return tensor_fresh(c->ir, split_extents(c->ir, dims_of(t), split, shard), t->dtype,
                      split_valid(c->ir, valid_of(t), split, shard));
}
