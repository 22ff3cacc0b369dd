/* deduce_common.c -- operands, extents and shapes for type deduction. */
#include "ir/ops/deduce_common.h"

#include "base/buf.h"
#include "ir/print.h"

/* ---- operands ---- */

const char *arg_name(const OpCall *c, int i) {
  if (i < c->op->nargs) return c->op->arg_params[i].name;
  if (c->op->nargs && c->op->arg_params[c->op->nargs - 1].variadic)
    return c->op->arg_params[c->op->nargs - 1].name;
  return arena_printf(c->ir->arena, "%d", i + 1);
}

static const Type *wrong_kind(OpCall *c, int i, const char *wanted) {
  return op_error(c, "'%s' must be %s, not %s", arg_name(c, i), wanted,
                  type_kind_name(c->args[i]->type));
}

const Type *arg_tile(OpCall *c, int i) {
  const Type *t = c->args[i]->type;
  return type_is_tile(t) ? t : wrong_kind(c, i, "a Tile");
}

const Type *arg_tensor(OpCall *c, int i) {
  const Type *t = c->args[i]->type;
  return type_is_tensor(t) ? t : wrong_kind(c, i, "a Tensor");
}

const Type *arg_scalar(OpCall *c, int i) {
  const Type *t = c->args[i]->type;
  return type_is_scalar(t) ? t : wrong_kind(c, i, "a Scalar");
}

const Type *arg_int_scalar(OpCall *c, int i) {
  const Type *t = arg_scalar(c, i);
  if (!t || dtype_is_int(t->dtype)) return t;
  return op_error(c, "'%s' must be an integer, not %s", arg_name(c, i), dtype_name(t->dtype));
}

const Type *arg_index(OpCall *c, int i) {
  const Type *t = arg_scalar(c, i);
  if (!t || dtype_is_index_like(t->dtype)) return t;
  return op_error(c, "'%s' must be INDEX, INT64 or UINT64, not %s", arg_name(c, i),
                  dtype_name(t->dtype));
}

bool arg_list(OpCall *c, int i, Dims *out) {
  Expr *e = c->args[i];
  if (e->kind != EXPR_TUPLE) {
    op_error(c, "'%s' must be a list written out in the call", arg_name(c, i));
    return false;
  }
  *out = (Dims){e->u.tuple.elems, e->u.tuple.len};
  return true;
}

/* The elements of argument `i`: those written, or the subscripts of a list that a variable holds. */
static bool list_elements(OpCall *c, int i, Dims *out) {
  Expr *e = c->args[i];
  if (e->type->kind != TYPE_TUPLE) {
    op_error(c, "'%s' must be a list, not %s", arg_name(c, i), type_kind_name(e->type));
    return false;
  }
  if (e->kind == EXPR_TUPLE) {
    *out = (Dims){e->u.tuple.elems, e->u.tuple.len};
    return true;
  }
  *out = dims_new(c->ir, e->type->nelems);
  for (int k = 0; k < out->n; k++) out->at[k] = expr_tuple_get(c->ir, e, k, e->span);
  return true;
}

static const char *scalar_str(const Type *t) {
  return type_is_scalar(t) ? dtype_name(t->dtype) : type_kind_name(t);
}

bool arg_index_list(OpCall *c, int i, Dims *out) {
  if (!list_elements(c, i, out)) return false;
  for (int k = 0; k < out->n; k++) {
    const Type *t = out->at[k]->type;
    if (type_is_scalar(t) && dtype_is_index_like(t->dtype)) continue;
    op_error(c, "element %d of '%s' must be INDEX, INT64 or UINT64, not %s", k, arg_name(c, i),
             scalar_str(t));
    return false;
  }
  return true;
}

bool arg_int_list(OpCall *c, int i, Dims *out) {
  if (!list_elements(c, i, out)) return false;
  for (int k = 0; k < out->n; k++) {
    if (expr_is_int_scalar(out->at[k])) continue;
    op_error(c, "element %d of '%s' must be an integer, not %s", k, arg_name(c, i),
             scalar_str(out->at[k]->type));
    return false;
  }
  return true;
}

bool arg_const_shape(OpCall *c, int i, Dims *out) {
  if (!arg_list(c, i, out)) return false;
  if (!out->n) {
    op_error(c, "'%s' must have at least one dimension", arg_name(c, i));
    return false;
  }
  for (int k = 0; k < out->n; k++) {
    int64_t v;
    if (!expr_const_int(out->at[k], &v)) {
      op_error(c, "dimension %d of '%s' must be a constant, a tile's storage is fixed", k,
               arg_name(c, i));
      return false;
    }
    if (v <= 0) {
      op_error(c, "dimension %d of '%s' must be positive, it is %lld", k, arg_name(c, i),
               (long long)v);
      return false;
    }
  }
  return true;
}

bool kwarg_bool(const OpCall *c, const char *name, bool otherwise) {
  const AttrValue *v = op_kwarg(c, name);
  return v && v->kind == ATTR_BOOL ? v->u.b : otherwise;
}

int64_t kwarg_int(const OpCall *c, const char *name, int64_t otherwise) {
  const AttrValue *v = op_kwarg(c, name);
  return v && (v->kind == ATTR_INT || v->kind == ATTR_ENUM) ? v->u.i : otherwise;
}

DType kwarg_dtype(const OpCall *c, const char *name) {
  const AttrValue *v = op_kwarg(c, name);
  return v && v->kind == ATTR_DTYPE ? v->u.dtype : DT_NONE;
}

MemSpace kwarg_mem(const OpCall *c, const char *name) {
  const AttrValue *v = op_kwarg(c, name);
  return v && v->kind == ATTR_ENUM && v->enum_id == ENUM_MEM ? (MemSpace)v->u.i : MEM_NONE;
}

/* ---- element types ---- */

DType dtype_promote(DType a, DType b) {
  if (a == b) return a;
  if (dtype_is_float(a) != dtype_is_float(b)) return dtype_is_float(a) ? a : b;
  if (dtype_bits(a) != dtype_bits(b)) return dtype_bits(a) > dtype_bits(b) ? a : b;
  return !dtype_is_signed(a) && dtype_is_signed(b) ? b : a;
}

bool dtype_is_index_like(DType t) { return t == DT_INDEX || t == DT_INT64 || t == DT_UINT64; }

bool dtype_in(DType t, const DType *set) {
  for (; *set != DT_NONE; set++)
    if (*set == t) return true;
  return false;
}

const char *dtype_set_str(Ir *ir, const DType *set) {
  Buf b = {0};
  for (int i = 0; set[i] != DT_NONE; i++) buf_printf(&b, "%s%s", i ? ", " : "", dtype_name(set[i]));
  char *s = arena_strndup(ir->arena, buf_str(&b), b.len);
  buf_free(&b);
  return s;
}

bool check_dtype(OpCall *c, int i, const DType *set) {
  DType t = c->args[i]->type->dtype;
  if (dtype_in(t, set)) return true;
  op_error(c, "'%s' must have %s%s, not %s", arg_name(c, i),
           set[1] == DT_NONE ? "element type " : "an element type of ", dtype_set_str(c->ir, set),
           dtype_name(t));
  return false;
}

bool check_same_dtype(OpCall *c, int a, int b) {
  DType x = c->args[a]->type->dtype, y = c->args[b]->type->dtype;
  if (x == y) return true;
  op_error(c, "'%s' and '%s' must have the same element type, not %s and %s", arg_name(c, a),
           arg_name(c, b), dtype_name(x), dtype_name(y));
  return false;
}

bool count_elements(OpCall *c, Dims d, int64_t *count) {
  bool known = true, fits = true;
  int64_t n = 1, v;
  for (int i = 0; i < d.n; i++) {
    if (!expr_const_int(d.at[i], &v)) {
      known = false;
      continue;
    }
    if (v < 0) {
      op_error(c, "dimension %d must be positive, it is %lld", i, (long long)v);
      return false;
    }
    fits = fits && !__builtin_mul_overflow(n, v, &n);
  }
  *count = known ? n : -1;
  if (!fits) op_error(c, "%s has more elements than 64 bits can count", dims_str(c->ir, d));
  return fits;
}

/* ---- extents ---- */

bool expr_is_int_scalar(const Expr *e) {
  return e && type_is_scalar(e->type) && dtype_is_int(e->type->dtype);
}

/* Integers of one signedness: between others no order is assumed. */
static bool comparable(const Expr *a, const Expr *b) {
  return expr_is_int_scalar(a) && expr_is_int_scalar(b) &&
         dtype_is_signed(a->type->dtype) == dtype_is_signed(b->type->dtype);
}

/* INDEX and INT64 are the same machine type: no conversion is written between them. */
static Expr *extent_cast(Ir *ir, Expr *e, DType dtype, Span at) {
  DType from = e->type->dtype;
  if (from == dtype || (dtype_is_signed(from) && dtype_bits(from) == 64 && dtype_is_signed(dtype) &&
                        dtype_bits(dtype) == 64))
    return e;
  return expr_cast(ir, e, dtype, at);
}

static bool prove(Ir *ir, ExprKind relation, Expr *a, Expr *b) {
  if (!ir->arith) return false;
  DType t = dtype_promote(a->type->dtype, b->type->dtype);
  a = extent_cast(ir, a, t, NO_SPAN);
  b = extent_cast(ir, b, t, NO_SPAN);
  return ir->arith->proves(ir, expr_binary(ir, relation, a, b, DT_BOOL, NO_SPAN));
}

bool extent_equal(Ir *ir, Expr *a, Expr *b) {
  if (!comparable(a, b)) return false;
  if (dim_equal(a, b)) return true;
  int64_t x, y;
  if (expr_const_int(a, &x) && expr_const_int(b, &y)) return false;
  return prove(ir, EXPR_EQ, a, b);
}

bool extent_le(Ir *ir, Expr *a, Expr *b) {
  if (!comparable(a, b)) return false;
  if (dim_equal(a, b)) return true;
  int64_t x, y;
  if (expr_const_int(a, &x) && expr_const_int(b, &y)) return x <= y;
  return prove(ir, EXPR_LE, a, b);
}

bool extent_gt(Ir *ir, Expr *a, Expr *b) {
  if (!comparable(a, b) || dim_equal(a, b)) return false;
  int64_t x, y;
  if (expr_const_int(a, &x) && expr_const_int(b, &y)) return x > y;
  return prove(ir, EXPR_GT, a, b);
}

bool extents_surely_equal(Ir *ir, Expr *a, Expr *b) {
  int64_t x, y;
  if (expr_const_int(a, &x) && expr_const_int(b, &y)) return x == y;
  return extent_equal(ir, a, b);
}

bool extent_is_empty(Ir *ir, Expr *e) {
  int64_t v;
  if (expr_const_int(e, &v)) return v == 0;
  if (!expr_is_int_scalar(e)) return false;
  return extent_equal(ir, e, expr_int(ir, 0, e->type->dtype, NO_SPAN));
}

bool dims_same(Ir *ir, Expr *a, Expr *b) { return dim_equal(a, b) || extent_equal(ir, a, b); }

bool extent_is_const(const Expr *e, int64_t value) {
  int64_t v;
  return expr_const_int(e, &v) && v == value;
}

Expr *extent_binary(Ir *ir, ExprKind kind, Expr *a, Expr *b, Span at) {
  DType t = dtype_promote(a->type->dtype, b->type->dtype);
  return expr_binary(ir, kind, extent_cast(ir, a, t, at), extent_cast(ir, b, t, at), t, at);
}

/* The value of a constant expression, if it has one that fits. */
static bool const_value(const Expr *e, int64_t *out) {
  int64_t x, y;
  if (expr_const_int(e, out)) return true;
  if (!expr_is_binary(e) || !const_value(e->u.bin.lhs, &x) || !const_value(e->u.bin.rhs, &y))
    return false;
  switch (e->kind) {
    case EXPR_ADD: return !__builtin_add_overflow(x, y, out);
    case EXPR_SUB: return !__builtin_sub_overflow(x, y, out);
    case EXPR_MIN: *out = x < y ? x : y; return true;
    case EXPR_MAX: *out = x > y ? x : y; return true;
    default: return false;
  }
}

Expr *extent_fold(Ir *ir, Expr *e) {
  int64_t v;
  if (const_value(e, &v)) return expr_int(ir, v, e->type->dtype, e->span);
  return ir->arith ? ir->arith->simplify(ir, e) : e;
}

Expr *extent_add(Ir *ir, Expr *a, Expr *b, Span at) {
  return extent_fold(ir, extent_binary(ir, EXPR_ADD, a, b, at));
}

Expr *extent_sub(Ir *ir, Expr *a, Expr *b, Span at) {
  return extent_fold(ir, extent_binary(ir, EXPR_SUB, a, b, at));
}

Expr *extent_min(Ir *ir, Expr *a, Expr *b, Span at) {
  if (extent_le(ir, a, b)) return a;
  if (extent_le(ir, b, a)) return b;
  return extent_fold(ir, extent_binary(ir, EXPR_MIN, a, b, at));
}

Expr *extent_max(Ir *ir, Expr *a, Expr *b, Span at) {
  if (extent_le(ir, a, b)) return b;
  if (extent_le(ir, b, a)) return a;
  return extent_fold(ir, extent_binary(ir, EXPR_MAX, a, b, at));
}

Expr *extent_scale(Ir *ir, Expr *e, int64_t factor, DType dtype) {
  int64_t v, scaled;
  if (expr_const_int(e, &v) && !__builtin_mul_overflow(v, factor, &scaled))
    return expr_int(ir, scaled, dtype == DT_NONE ? e->type->dtype : dtype, e->span);
  return extent_binary(ir, EXPR_MUL, e, expr_index(ir, factor), e->span);
}

Expr *extent_ceil_div(Ir *ir, Expr *e, int64_t divisor) {
  int64_t v;
  if (expr_const_int(e, &v)) return expr_int(ir, (v + divisor - 1) / divisor, DT_INDEX, e->span);
  Expr *up = extent_binary(ir, EXPR_ADD, e, expr_index(ir, divisor - 1), e->span);
  return extent_binary(ir, EXPR_FLOOR_DIV, up, expr_index(ir, divisor), e->span);
}

/* ---- shapes ---- */

Dims valid_of(const Type *t) {
  int n;
  Expr *const *v = type_valid_shape(t, &n);
  return (Dims){(Expr **)v, n};
}

Dims dims_new(Ir *ir, int n) { return (Dims){NEW_ARRAY(ir->arena, Expr *, n ? n : 1), n}; }

Dims dims_copy(Ir *ir, Dims d) {
  Dims r = dims_new(ir, d.n);
  for (int i = 0; i < d.n; i++) r.at[i] = d.at[i];
  return r;
}

Dims dims2(Ir *ir, Expr *a, Expr *b) {
  Dims r = dims_new(ir, 2);
  r.at[0] = a;
  r.at[1] = b;
  return r;
}

bool dims_equivalent(Dims a, Dims b) { return dims_equal(a.at, a.n, b.at, b.n); }

const char *dims_str(Ir *ir, Dims d) {
  Buf b = {0};
  buf_putc(&b, '[');
  for (int i = 0; i < d.n; i++) {
    if (i) buf_puts(&b, ", ");
    print_expr(&b, ir, d.at[i]);
  }
  buf_putc(&b, ']');
  char *s = arena_strndup(ir->arena, buf_str(&b), b.len);
  buf_free(&b);
  return s;
}

bool dims_broadcast(Ir *ir, Dims a, Dims b, Dims *out) {
  int n = a.n > b.n ? a.n : b.n;
  *out = dims_new(ir, n);
  for (int i = 1; i <= n; i++) {
    Expr *x = i <= a.n ? a.at[a.n - i] : NULL, *y = i <= b.n ? b.at[b.n - i] : NULL;
    Expr *r;
    if (!x || !y)
      r = x ? x : y;
    else if (dims_same(ir, x, y) || extent_is_const(y, 1))
      r = x;
    else if (extent_is_const(x, 1))
      r = y;
    else
      return false;
    out->at[n - i] = r;
  }
  return true;
}

/* ---- results ---- */

const Type *tensor_fresh(Ir *ir, Dims shape, DType dtype, Dims valid) {
  TensorView v = {.valid_shape = valid.at, .nvalid = (uint16_t)valid.n};
  return type_intern(ir, &(Type){.kind = TYPE_TENSOR,
                                 .dtype = dtype,
                                 .shape = shape.at,
                                 .rank = (uint16_t)shape.n,
                                 .tensor_view = &v});
}

TileView tile_view_plain(void) {
  return (TileView){
      .blayout = TILE_LAYOUT_ROW_MAJOR, .slayout = TILE_LAYOUT_NONE_BOX, .fractal = 512};
}

TileView tile_view_like(Ir *ir, const Type *src) {
  TileView from = tile_view_of(ir, src), v = tile_view_plain();
  tile_view_set_valid(&v, valid_of(src));
  v.blayout = from.blayout;
  v.slayout = from.slayout;
  v.pad = from.pad;
  v.compact = from.compact;
  return v;
}

void tile_view_set_layout(Ir *ir, TileView *v, Dims shape, DType dtype, MemSpace space) {
  TileView implied = tile_view_implied(ir, shape.at, shape.n, dtype, space);
  v->blayout = implied.blayout;
  v->slayout = implied.slayout;
  v->fractal = implied.fractal;
}

const Type *tile_result(Ir *ir, Dims shape, DType dtype, const TileView *view, MemSpace space) {
  Type t = {.kind = TYPE_TILE,
            .dtype = dtype,
            .space = space,
            .rank = (uint16_t)shape.n,
            .shape = shape.at,
            .tile_view = view};
  return type_intern(ir, &t);
}

const Type *tile_result_like(Ir *ir, const Type *src, Dims shape, DType dtype) {
  TileView v = tile_view_like(ir, src);
  return tile_result(ir, shape, dtype, &v, MEM_NONE);
}
