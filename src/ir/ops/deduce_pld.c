/* deduce_pld.c -- distributed operators: windows, transfers between ranks, signals. */
#include <string.h>

#include "ir/ops/bind.h"
#include "ir/ops/deduce.h"
#include "ir/ops/deduce_region.h"
#include "ir/print.h"

static const DType addable[] = {DT_FP32, DT_BF16, DT_FP16, DT_INT32, DT_INT16, DT_INT8, DT_NONE};

static const Type *nothing(OpCall *c) { return type_unknown(c->ir); }

/* ---------------------------------------------------------------- windows */

static bool positive_dim(OpCall *c, const AttrValue *v, int i) {
  int64_t n;
  bool constant = v->kind == ATTR_INT ? (n = v->u.i, true)
                                      : v->kind == ATTR_EXPR && expr_const_int(v->u.expr, &n);
  if (!constant || n > 0) return true;
  op_error(c, "dimension %d of the shape must be positive, it is %lld", i, (long long)n);
  return false;
}

static Expr *as_int64(Ir *ir, const AttrValue *v, Span at) {
  int64_t n;
  if (v->kind == ATTR_INT) return expr_int(ir, v->u.i, DT_INT64, at);
  if (expr_const_int(v->u.expr, &n)) return expr_int(ir, n, DT_INT64, at);
  return v->u.expr;
}

/* The bytes of a shape: a constant, or a product. */
static bool shape_bytes(OpCall *c, const AttrValue *dims, int n, DType dtype, AttrValue *out) {
  int64_t bytes = dtype_get_byte(dtype);
  bool constant = true;
  if (!n) return op_error(c, "the shape must have a dimension"), false;
  for (int i = 0; i < n; i++) {
    int64_t d;
    if (dims[i].kind != ATTR_INT && dims[i].kind != ATTR_EXPR)
      return op_error(c, "dimension %d of the shape must be an integer", i), false;
    if (!positive_dim(c, &dims[i], i)) return false;
    bool known =
        dims[i].kind == ATTR_INT ? (d = dims[i].u.i, true) : expr_const_int(dims[i].u.expr, &d);
    if (known && constant && __builtin_mul_overflow(bytes, d, &bytes))
      return op_error(c, "the window is too large"), false;
    constant = constant && known;
  }
  if (constant) {
    *out = attr_of_expr(expr_int(c->ir, bytes, DT_INT64, c->span));
    return true;
  }
  Expr *e = as_int64(c->ir, &dims[0], c->span);
  for (int i = 1; i < n; i++)
    e = expr_binary(c->ir, EXPR_MUL, e, as_int64(c->ir, &dims[i], c->span), DT_INT64, c->span);
  Expr *size = expr_int(c->ir, dtype_get_byte(dtype), DT_INT64, c->span);
  *out = attr_of_expr(expr_binary(c->ir, EXPR_MUL, e, size, DT_INT64, c->span));
  return true;
}

/* alloc_window_buffer(bytes) | alloc_window_buffer([shape], dtype=) */
bool bind_alloc_window(Written *w, OpCall *c) {
  Binding b;
  if (!bind_match(w, c, &b)) return false;
  BoundArg *size = bind_arg(&b, "size"), *dtype = bind_arg(&b, "dtype");
  AttrValue *v = &size->value;
  const AttrValue *dims = v->kind == ATTR_LIST ? v->u.list.items : NULL;
  int n = v->kind == ATTR_LIST ? v->u.list.len : 0;
  if (v->kind == ATTR_EXPR && v->u.expr->kind == EXPR_TUPLE) {
    n = v->u.expr->u.tuple.len;
    AttrValue *items = NEW_ARRAY(w->ir->arena, AttrValue, n + 1);
    for (int i = 0; i < n; i++) items[i] = attr_of_expr(v->u.expr->u.tuple.elems[i]);
    dims = items;
  }
  if (!dims) {
    if (dtype->given)
      return op_error(c, "'dtype' goes with a shape, not with a number of bytes"), false;
    if (size->keyword && v->kind == ATTR_INT)
      *v = attr_of_expr(expr_int(w->ir, v->u.i, DT_INT64, w->span));
    return bind_finish(&b, w->op);
  }
  if (!dtype->given || dtype->value.kind != ATTR_DTYPE)
    return op_error(c, "a shape needs its element type, dtype="), false;
  dtype->used = true;
  AttrValue bytes;
  if (!shape_bytes(c, dims, n, dtype->value.u.dtype, &bytes)) return false;
  *v = bytes;
  return bind_finish(&b, w->op);
}

const Type *deduce_pld_alloc(OpCall *c) {
  const AttrValue *name = op_kwarg(c, "name");
  if (!name || !name->u.str[0])
    return op_error(c, "must be assigned to a variable, whose name it takes");
  return type_simple(c->ir, TYPE_PTR);
}

const Type *deduce_pld_window(OpCall *c) {
  Dims shape;
  DType dtype = kwarg_dtype(c, "dtype");
  if (dtype == DT_NONE) return op_error(c, "'dtype' is missing");
  if (!arg_list(c, 1, &shape)) return NULL;
  return type_intern(
      c->ir,
      &(Type){
          .kind = TYPE_DIST_TENSOR, .dtype = dtype, .shape = shape.at, .rank = (uint16_t)shape.n});
}

/* ---------------------------------------------------------------- transfers */

static bool check_atomic(OpCall *c, DType dtype) {
  if (kwarg_int(c, "atomic", ATOMIC_NONE) != ATOMIC_ADD || dtype_in(dtype, addable)) return true;
  op_error(c, "atomic=AtomicType.Add needs elements of %s, not %s", dtype_set_str(c->ir, addable),
           dtype_name(dtype));
  return false;
}

/* Two slices that a transfer can go between; `whole`: all of them. */
static bool check_slices(OpCall *c, Dims dst, Dims src, bool whole) {
  if (!dst.n) return op_error(c, "the tensors must have dimensions"), false;
  if (dst.n != src.n) return op_error(c, "'dst' has %d dimensions, 'src' %d", dst.n, src.n), false;
  for (int i = 0; i < dst.n; i++) {
    int64_t d = 1, s = 1;
    bool known = expr_const_int(dst.at[i], &d), both = expr_const_int(src.at[i], &s) && known;
    if (d <= 0 || s <= 0) return op_error(c, "dimension %d must be positive", i), false;
    if (whole && (both ? d != s : !dim_equal(dst.at[i], src.at[i])))
      return op_error(c, "'dst' and 'src' differ in dimension %d: %s and %s", i,
                      expr_str(c->ir, dst.at[i]), expr_str(c->ir, src.at[i])),
             false;
  }
  return true;
}

/* An offset into a dimension `dim`, constant as far as known, with `len` elements behind it. */
static bool check_region_side(OpCall *c, const char *side, int i, Expr *offset, Expr *len,
                              Expr *dim) {
  int64_t o, n, d;
  if (!expr_const_int(offset, &o)) return true;
  if (o < 0) return op_error(c, "%s_offsets[%d] is negative: %lld", side, i, (long long)o), false;
  if (!expr_const_int(len, &n) || !expr_const_int(dim, &d) || o + n <= d) return true;
  op_error(c, "%s_offsets[%d] and shape[%d], %lld and %lld, exceed the dimension, %lld", side, i, i,
           (long long)o, (long long)n, (long long)d);
  return false;
}

/* The operands dst_offsets, src_offsets and shape, from `base` on. */
static bool check_region(OpCall *c, int base, Dims dst, Dims src, Dims *shape) {
  Dims to, from;
  if (!arg_list(c, base, &to) || !arg_list(c, base + 1, &from) || !arg_list(c, base + 2, shape))
    return false;
  if (to.n != dst.n || from.n != dst.n || shape->n != dst.n)
    return op_error(c, "'dst_offsets', 'src_offsets' and 'shape' must have %d elements each",
                    dst.n),
           false;
  for (int i = 0; i < dst.n; i++) {
    int64_t n;
    if (expr_const_int(shape->at[i], &n) && n <= 0)
      return op_error(c, "shape[%d] must be positive, it is %lld", i, (long long)n), false;
    if (!check_region_side(c, "dst", i, to.at[i], shape->at[i], dst.at[i]) ||
        !check_region_side(c, "src", i, from.at[i], shape->at[i], src.at[i]))
      return false;
  }
  return true;
}

/* The chunk that goes through the vector core's memory at a time must be known. */
static bool check_chunks(OpCall *c, Dims shape) {
  int64_t rows = kwarg_int(c, "chunk_rows", 0), cols = kwarg_int(c, "chunk_cols", 0);
  if (rows < 0 || cols < 0)
    return op_error(c, "'chunk_rows' and 'chunk_cols' must not be negative"), false;
  bool dynamic_rows = false;
  for (int i = 0; i + 1 < shape.n; i++)
    dynamic_rows = dynamic_rows || shape.at[i]->kind != EXPR_INT;
  bool dynamic_cols = shape.n && shape.at[shape.n - 1]->kind != EXPR_INT;
  if (dynamic_rows && !rows)
    return op_error(c,
                    "a leading dimension is known only at run time, so 'chunk_rows' must be given"),
           false;
  if (dynamic_cols && !cols)
    return op_error(c,
                    "the last dimension is known only at run time, so 'chunk_cols' must be given"),
           false;
  if (kwarg_bool(c, "pipeline", false) && (!rows || !cols))
    return op_error(c, "pipeline=True needs 'chunk_rows' and 'chunk_cols'"), false;
  return true;
}

const Type *deduce_pld_transfer(OpCall *c) {
  Dims dst = dims_of(c->args[0]->type), src = dims_of(c->args[2]->type), shape = dst;
  if (c->nargs != 3 && c->nargs != 6)
    return op_error(c, "'dst_offsets', 'src_offsets' and 'shape' must be given together");
  if (!check_same_dtype(c, 0, 2) || !check_slices(c, dst, src, c->nargs == 3)) return NULL;
  if (c->op->param & PLD_PUT && !check_atomic(c, c->args[0]->type->dtype)) return NULL;
  if (c->nargs == 6 && !check_region(c, 3, dst, src, &shape)) return NULL;
  return check_chunks(c, shape) ? nothing(c) : NULL;
}

/* The second staging tile may be left out by place: then the lists move up. */
bool bind_pld_tile_transfer(Written *w, OpCall *c) {
  Binding b;
  if (!bind_match(w, c, &b)) return false;
  BoundArg *s = bind_arg(&b, "stage2");
  bool list = s->value.kind == ATTR_LIST ||
              (s->value.kind == ATTR_EXPR && s->value.u.expr->type->kind == TYPE_TUPLE);
  if (s->given && list) {
    BoundArg *to = bind_arg(&b, "dst_offsets"), *from = bind_arg(&b, "src_offsets"),
             *shape = bind_arg(&b, "shape");
    Name names[] = {s->name, to->name, from->name, shape->name};
    s->name = names[1];
    to->name = names[2];
    from->name = names[3];
    shape->name = names[0];
    if (shape->given) return op_error(c, "takes three lists, not four"), false;
  }
  return bind_finish(&b, w->op);
}

static bool check_stage(OpCall *c, int arg, Dims shape) {
  const Type *t = c->args[arg]->type;
  int64_t rows = 1, cols, r, k;
  if (!type_is_tile(t))
    return op_error(c, "a staging operand must be a Tile, not %s", type_kind_name(t)), false;
  if (!check_same_dtype(c, arg, 0)) return false;
  if (t->rank != 2 || !expr_const_int(t->shape[0], &r) || !expr_const_int(t->shape[1], &k) ||
      r <= 0 || k <= 0)
    return op_error(c, "a staging tile must have two constant dimensions, not %s",
                    dims_str(c->ir, dims_of(t))),
           false;
  for (int i = 0; i + 1 < shape.n; i++) {
    int64_t d;
    if (!expr_const_int(shape.at[i], &d) || __builtin_mul_overflow(rows, d, &rows))
      rows = INT64_MAX;
    if (rows == INT64_MAX) break;
  }
  bool wide = expr_const_int(shape.at[shape.n - 1], &cols) && k > cols;
  if (r <= rows && !wide) return true;
  op_error(c, "the staging tile %s is larger than the transfer %s", dims_str(c->ir, dims_of(t)),
           dims_str(c->ir, shape));
  return false;
}

const Type *deduce_pld_tile_transfer(OpCall *c) {
  Dims dst = dims_of(c->args[0]->type), src = dims_of(c->args[2]->type), shape = dst;
  int n = c->nargs;
  if (n != 4 && n != 5 && n != 7 && n != 8)
    return op_error(c, "takes one or two staging tiles, and three lists or none");
  bool two = n == 5 || n == 8, region = n >= 7;
  if (!check_same_dtype(c, 0, 2) || !check_slices(c, dst, src, !region)) return NULL;
  if (c->op->param & PLD_PUT && !check_atomic(c, c->args[0]->type->dtype)) return NULL;
  if (region && !check_region(c, two ? 5 : 4, dst, src, &shape)) return NULL;
  if (!check_stage(c, 3, shape) || (two && !check_stage(c, 4, shape))) return NULL;
  if (two && !dims_equivalent(dims_of(c->args[3]->type), dims_of(c->args[4]->type)))
    return op_error(c, "both staging tiles must have one shape");
  return nothing(c);
}

/* What a store pushes must fit the peer's window: its last two dimensions, at `offset`. */
static bool check_push(OpCall *c, Dims push, Dims offset, Dims target) {
  for (int i = 0; i < target.n; i++) {
    int64_t o, n = 1, d;
    int from_end = target.n - i;
    if (!expr_const_int(offset.at[i], &o)) continue;
    if (o < 0) return op_error(c, "offsets[%d] is negative: %lld", i, (long long)o), false;
    if (!expr_const_int(target.at[i], &d)) continue;
    if (from_end <= 2 && !expr_const_int(push.at[push.n - from_end], &n)) continue;
    if (o + n > d)
      return op_error(c, "dimension %d of the window, %lld, does not hold %lld elements at %lld", i,
                      (long long)d, (long long)n, (long long)o),
             false;
  }
  return true;
}

const Type *deduce_pld_remote_store(OpCall *c) {
  const Type *src = c->args[0]->type, *to = c->args[1]->type;
  Dims offset, push = type_is_tile(src) ? valid_of(src) : dims_of(src);
  if (!arg_list(c, 3, &offset)) return NULL;
  if (offset.n != to->rank)
    return op_error(c, "'offsets' has %d elements, the window %d dimensions", offset.n, to->rank);
  if (!check_same_dtype(c, 0, 1)) return NULL;
  if (push.n < 2 || to->rank < 2)
    return op_error(c, "source and window must have at least two dimensions, not %d and %d", push.n,
                    to->rank);
  for (int i = 0; i + 2 < push.n; i++)
    if (push.at[i]->kind == EXPR_INT && !extent_is_const(push.at[i], 1))
      return op_error(c, "only the last two dimensions are stored, so dimension %d must be 1", i);
  if (!check_push(c, push, offset, dims_of(to)) || !check_atomic(c, to->dtype)) return NULL;
  return nothing(c);
}

bool bind_remote_load_padded(Written *w, OpCall *c) {
  Binding b;
  if (!bind_match(w, c, &b)) return false;
  BoundArg *args = NEW_ARRAY(w->ir->arena, BoundArg, b.n + 1);
  memcpy(args, b.args, sizeof *args * (size_t)b.n);
  args[b.n] = (BoundArg){.name = ir_name(w->ir, "allow_physical_tail_padding"),
                         .value = attr_of_bool(true),
                         .given = true};
  b.args = args;
  b.n++;
  return bind_finish(&b, op_get(w->ir, OP_PLD_TILE_REMOTE_LOAD));
}

/* The extents asked for, as INDEX. */
static bool index_extents(OpCall *c, int arg, Dims *out) {
  Dims d;
  if (!arg_list(c, arg, &d)) return false;
  *out = dims_new(c->ir, d.n);
  for (int i = 0; i < d.n; i++) {
    int64_t v;
    if (!expr_is_int_scalar(d.at[i]))
      return op_error(c, "valid_shape[%d] must be an integer, not %s", i,
                      type_str(c->ir, d.at[i]->type)),
             false;
    bool constant = expr_const_int(d.at[i], &v);
    if (constant && v < 0)
      return op_error(c, "valid_shape[%d] is negative: %lld", i, (long long)v), false;
    out->at[i] = constant ? expr_int(c->ir, v, DT_INDEX, d.at[i]->span)
                 : d.at[i]->type->dtype == DT_INDEX
                     ? d.at[i]
                     : expr_cast(c->ir, d.at[i], DT_INDEX, d.at[i]->span);
  }
  return true;
}

/* With padding, up to 15 elements behind the window may be read: the domain keeps that much free.
 */
static bool pad_tail(OpCall *c, WindowRead *r) {
  const Type *t = c->args[0]->type;
  if (!kwarg_bool(c, "allow_physical_tail_padding", false)) return true;
  if (t->dtype != DT_FP16 || t->rank != 2 || !r->requested.n)
    return op_error(c, "a padded tail needs a 2-D FP16 window and a valid_shape"), false;
  Dims d = dims_copy(c->ir, r->physical);
  d.at[1] = extent_binary(c->ir, EXPR_ADD, d.at[1], expr_index(c->ir, 15), c->span);
  r->physical = r->valid = d;
  return true;
}

const Type *deduce_pld_remote_load(OpCall *c) {
  const Type *t = c->args[0]->type;
  Dims offsets, shape, requested = {NULL, 0};
  TensorLayout layout = t->tensor_view ? t->tensor_view->layout : LAYOUT_ND;
  if (layout == LAYOUT_MX_A_ZZ || layout == LAYOUT_MX_B_NN)
    return op_error(c, "a window in an MX layout cannot be loaded from");
  if (!arg_list(c, 2, &offsets) || !arg_list(c, 3, &shape)) return NULL;
  if (c->nargs == 5 && !index_extents(c, 4, &requested)) return NULL;
  if (!t->rank) return op_error(c, "the window must have dimensions");
  if (offsets.n != t->rank || shape.n != t->rank || (c->nargs == 5 && requested.n != t->rank))
    return op_error(c, "'offsets', 'shape' and 'valid_shape' must have %d elements each", t->rank);
  WindowRead r = {.physical = dims_of(t),
                  .valid = valid_of(t),
                  .offsets = offsets,
                  .window = shape,
                  .requested = requested,
                  .materialize = true,
                  .remedy = "a smaller valid_shape describes the last, incomplete part"};
  if (!pad_tail(c, &r)) return NULL;
  Dims valid = {window_read_valid(c, &r), shape.n};
  if (!valid.at) return NULL;
  TileView v = tile_view_plain();
  tile_view_set_valid(&v, valid);
  v.blayout = tile_view_implied(c->ir, shape.at, shape.n, t->dtype, MEM_NONE).blayout;
  if (t->tensor_view && layout == LAYOUT_ND) v.blayout = TILE_LAYOUT_ROW_MAJOR;
  if (t->tensor_view && layout == LAYOUT_DN) v.blayout = TILE_LAYOUT_COL_MAJOR;
  return tile_result(c->ir, shape, t->dtype, &v, MEM_NONE);
}

/* ---------------------------------------------------------------- signals */

const Type *deduce_pld_ctx(OpCall *c) { return type_simple(c->ir, TYPE_COMM_CTX); }

static bool check_offsets(OpCall *c, int arg) {
  Dims d;
  int rank = c->args[0]->type->rank;
  if (!arg_list(c, arg, &d)) return false;
  if (d.n == rank) return true;
  op_error(c, "'offsets' has %d elements, the window %d dimensions", d.n, rank);
  return false;
}

const Type *deduce_pld_notify(OpCall *c) { return check_offsets(c, 2) ? nothing(c) : NULL; }

OpEffect effect_notify(const Expr *call, int i) {
  if (i != 0) return EFFECT_READ;
  const AttrList kw = call->u.call.kwargs;
  for (int k = 0; k < kw.len; k++)
    if (kw.items[k].value.kind == ATTR_INT)
      return kw.items[k].value.u.i == NOTIFY_SET ? EFFECT_WRITE : EFFECT_READ_WRITE;
  return EFFECT_READ_WRITE;
}

const Type *deduce_pld_wait(OpCall *c) {
  if (!check_offsets(c, 1)) return NULL;
  if (!(c->op->param & PLD_DEFERRED)) return nothing(c);
  const Type *t = c->args[0]->type;
  Dims offsets;
  int64_t v;
  if (t->dtype != DT_INT32)
    return op_error(c, "'signal' must be INT32, not %s", dtype_name(t->dtype));
  if (!t->rank) return op_error(c, "'signal' must have dimensions");
  if (!arg_int_list(c, 1, &offsets)) return NULL;
  if (expr_const_int(c->args[2], &v) && (v < 0 || v > INT32_MAX))
    return op_error(c, "'expected' must be from 0 to %d, it is %lld", INT32_MAX, (long long)v);
  if (kwarg_int(c, "cmp", WAIT_GE) != WAIT_GE)
    return op_error(c, "only cmp=pld.WaitCmp.Ge is possible");
  return nothing(c);
}
