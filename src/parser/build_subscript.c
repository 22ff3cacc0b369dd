/* build_subscript.c -- x[i], x[a:b, c] read and written.
 *
 * An index takes its dimension away, a slice keeps it, dimensions not mentioned
 * are whole.  Indices alone, one for each dimension, read an element.
 */
#include <string.h>

#include "ir/view.h"
#include "parser/build.h"

/* The window of a subscript: one entry per dimension of what is indexed. */
typedef struct Window {
  Expr **offset, **extent;
  Expr **valid; /* tiles: the part of the extent that holds data */
  int rank;
  int *dropped, ndropped;
  bool partial; /* valid differs from extent */
} Window;

static void *window_error(Builder *b, Span at, const char *message) {
  return build_error(b, at, "%s", message);
}

/* ---------------------------------------------------------------- extents */

static Expr *simplify(Builder *b, Expr *e) {
  const IrArith *arith = b->ir->arith;
  return arith && arith->simplify ? arith->simplify(b->ir, e) : e;
}

/* upper - lower, as short as it gets; NULL after an error. */
static Expr *difference(Builder *b, Expr *upper, Expr *lower, Span at) {
  int64_t u, l, d;
  if (expr_const_int(upper, &u) && expr_const_int(lower, &l)) {
    if (__builtin_sub_overflow(u, l, &d))
      return window_error(b, at, "the extent of this slice does not fit in 64 bits");
    return expr_int(b->ir, d, DT_INDEX, at);
  }
  Expr *e = build_binary(b, EXPR_SUB, upper, lower, at);
  if (!e) return NULL;
  e = simplify(b, e);
  return expr_const_int(e, &d) ? expr_int(b->ir, d, DT_INDEX, at) : e;
}

static Expr *bound(Builder *b, const SynExpr *e) {
  Expr *v = build_expr(b, e);
  if (!v) return NULL;
  if (v->type->kind != TYPE_SCALAR || !dtype_is_int(v->type->dtype))
    return window_error(b, e->at, "an index must be an integer");
  int64_t i;
  bool negated = v->kind == EXPR_NEG;
  if (!expr_const_int(negated ? v->u.operand : v, &i) || (negated ? i <= 0 : i >= 0)) return v;
  return window_error(b, e->at,
                      "a negative index does not count from the end here: write the index itself");
}

/* The indices between the brackets. */
static SynExpr *const *indices_of(const SynExpr *subscript, size_t *n) {
  if (subscript->rhs->kind == SYN_TUPLE) {
    *n = subscript->rhs->nitems;
    return subscript->rhs->items;
  }
  *n = 1;
  return &((SynExpr *)subscript)->rhs;
}

static bool all_scalar(SynExpr *const *idx, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (idx[i]->kind == SYN_SLICE) return false;
  return true;
}

static void init_window(Builder *b, Window *w, int rank) {
  *w = (Window){.rank = rank};
  w->offset = NEW_ARRAY(b->ir->arena, Expr *, rank);
  w->extent = NEW_ARRAY(b->ir->arena, Expr *, rank);
  w->valid = NEW_ARRAY(b->ir->arena, Expr *, rank);
  w->dropped = NEW_ARRAY(b->ir->arena, int, rank);
}

static bool check_slice(Builder *b, const SynExpr *e) {
  if (!e->third) return true;
  build_error(b, e->third->at, "a slice has no step here");
  return false;
}

static bool check_rank(Builder *b, const SynExpr *e, size_t n, const Type *t) {
  if (n <= t->rank) return true;
  build_error(b, e->rhs->at, "%zu indices for a %s of %d dimension%s", n, type_kind_name(t),
              t->rank, t->rank == 1 ? "" : "s");
  return false;
}

static bool index_dim(Builder *b, Window *w, int dim, const SynExpr *e) {
  w->offset[dim] = bound(b, e);
  w->extent[dim] = w->valid[dim] = expr_index(b->ir, 1);
  w->dropped[w->ndropped++] = dim;
  return w->offset[dim] != NULL;
}

/* ---------------------------------------------------------------- windows of tensors */

static bool slice_tensor_dim(Builder *b, Window *w, int dim, const SynExpr *e, Expr *full) {
  if (!check_slice(b, e)) return false;
  Expr *lower = e->lhs ? bound(b, e->lhs) : expr_index(b->ir, 0);
  Expr *upper = !lower ? NULL : e->rhs ? bound(b, e->rhs) : full;
  if (!upper) return false;
  w->offset[dim] = lower;
  w->extent[dim] = e->lhs ? difference(b, upper, lower, e->at) : upper;
  return w->extent[dim] != NULL;
}

static bool tensor_window(Builder *b, SynExpr *const *idx, size_t n, const Type *t, Window *w) {
  init_window(b, w, t->rank);
  for (int d = 0; d < t->rank; d++) {
    bool ok = true;
    if (d >= (int)n) {
      w->offset[d] = expr_index(b->ir, 0);
      w->extent[d] = t->shape[d];
    } else if (idx[d]->kind == SYN_SLICE) {
      ok = slice_tensor_dim(b, w, d, idx[d], t->shape[d]);
    } else {
      ok = index_dim(b, w, d, idx[d]);
    }
    if (!ok) return false;
  }
  return true;
}

/* ---------------------------------------------------------------- windows of tiles */

static Expr *clamped(Builder *b, Expr *upper, Expr *lower, Span at) {
  int64_t v;
  Expr *e = difference(b, upper, lower, at);
  if (!e) return NULL;
  if (expr_const_int(e, &v)) return v < 0 ? expr_index(b->ir, 0) : e;
  return build_binary(b, EXPR_MAX, e, expr_index(b->ir, 0), at);
}

static Expr *smaller(Builder *b, Expr *x, Expr *y, Span at) {
  int64_t u, v;
  if (expr_const_int(x, &u) && expr_const_int(y, &v)) return u < v ? x : y;
  return build_binary(b, EXPR_MIN, x, y, at);
}

/* The extent that is allocated for a slice: constant even where the part that holds data is not. */
static Expr *tile_extent(Builder *b, Expr *full, Expr *lower, Expr *upper, Span at) {
  int64_t f, l, u, most = -1, extent;
  bool has_l = expr_const_int(lower, &l), has_u = upper && expr_const_int(upper, &u);
  if (has_l && expr_const_int(full, &f)) most = f > l ? f - l : 0;
  if (!has_u && most < 0) return full;
  extent = most;
  if (has_u) {
    extent = !has_l ? u : u > l ? u - l : 0;
    if (most >= 0 && extent > most) extent = most;
  }
  if (extent > 0) return expr_int(b->ir, extent, DT_INDEX, at);
  return window_error(b, at, "this slice of a tile is empty");
}

static bool same_extent(const Expr *x, const Expr *y) {
  int64_t u, v;
  return expr_const_int(x, &u) && expr_const_int(y, &v) ? u == v : x == y;
}

static bool slice_tile_dim(Builder *b, Window *w, int dim, const SynExpr *e, Expr *full,
                           Expr *valid) {
  if (!check_slice(b, e)) return false;
  Expr *lower = e->lhs ? bound(b, e->lhs) : expr_index(b->ir, 0);
  if (!lower) return false;
  if (!expr_const_int(lower, NULL)) {
    build_error(b, e->lhs->at, "a slice of a tile must begin at a constant");
    return false;
  }
  Expr *upper = e->rhs ? bound(b, e->rhs) : NULL;
  if (e->rhs && !upper) return false;
  Expr *valid_upper = upper ? smaller(b, upper, valid, e->at) : valid;
  w->offset[dim] = lower;
  w->valid[dim] = !valid_upper ? NULL
                  : e->lhs     ? clamped(b, valid_upper, lower, e->at)
                               : valid_upper;
  w->extent[dim] = w->valid[dim] ? tile_extent(b, full, lower, upper, e->at) : NULL;
  if (!w->extent[dim]) return false;
  w->partial = w->partial || !same_extent(w->extent[dim], w->valid[dim]);
  return true;
}

static bool tile_window(Builder *b, SynExpr *const *idx, size_t n, const Type *t, Window *w) {
  int nvalid = t->tile_view ? t->tile_view->nvalid : 0;
  Expr *const *valid = nvalid == t->rank ? t->tile_view->valid_shape : t->shape;
  init_window(b, w, t->rank);
  for (int d = 0; d < t->rank; d++) {
    bool ok = true;
    if (d >= (int)n) {
      w->offset[d] = expr_index(b->ir, 0);
      w->extent[d] = t->shape[d];
      w->valid[d] = valid[d];
      w->partial = w->partial || !same_extent(w->extent[d], w->valid[d]);
    } else if (idx[d]->kind == SYN_SLICE) {
      ok = slice_tile_dim(b, w, d, idx[d], t->shape[d], valid[d]);
    } else {
      ok = index_dim(b, w, d, idx[d]);
    }
    if (!ok) return false;
  }
  return true;
}

/* ---------------------------------------------------------------- operators */

static AttrValue list_of(Builder *b, Expr *const *v, int n) {
  AttrValue *items = NEW_ARRAY(b->ir->arena, AttrValue, n);
  for (int i = 0; i < n; i++) items[i] = attr_of_expr(v[i]);
  return attr_of_list(items, n);
}

static Expr *call_op(Builder *b, OpId id, AttrValue *pos, int npos, AttrList kw, Span at) {
  Written w = {
      .ir = b->ir, .op = op_get(b->ir, id), .pos = pos, .npos = npos, .kw = kw, .span = at};
  return op_bind(&w);
}

static Expr *slice_of(Builder *b, OpId id, Expr *x, const Window *w, Span at) {
  AttrValue pos[4] = {attr_of_expr(x), list_of(b, w->extent, w->rank),
                      list_of(b, w->offset, w->rank)};
  int npos = 3;
  AttrList kw = {0};
  if (w->partial) pos[npos++] = list_of(b, w->valid, w->rank);
  if (w->ndropped) {
    AttrValue *dims = NEW_ARRAY(b->ir->arena, AttrValue, w->ndropped);
    for (int i = 0; i < w->ndropped; i++) dims[i] = attr_of_int(w->dropped[i]);
    attrs_set(b, &kw, b->n.drop_dims, attr_of_list(dims, w->ndropped), at);
  }
  return call_op(b, id, pos, npos, kw, at);
}

static Expr *element_of(Builder *b, OpId id, Expr *x, SynExpr *const *idx, size_t n, Span at) {
  Expr **v = NEW_ARRAY(b->ir->arena, Expr *, n);
  for (size_t i = 0; i < n; i++)
    if (!(v[i] = bound(b, idx[i]))) return NULL;
  AttrValue pos[2] = {attr_of_expr(x), list_of(b, v, (int)n)};
  return call_op(b, id, pos, 2, (AttrList){0}, at);
}

/* ---------------------------------------------------------------- reading */

static Expr *shaped_subscript(Builder *b, const SynExpr *e, Expr *x) {
  size_t n;
  Window w;
  const Type *t = x->type;
  bool tile = type_is_tile(t);
  SynExpr *const *idx = indices_of(e, &n);
  if (!check_rank(b, e, n, t)) return NULL;
  if (n == t->rank && all_scalar(idx, n))
    return element_of(b, tile ? OP_TILE_READ : OP_TENSOR_READ, x, idx, n, e->at);
  if (!tile)
    return tensor_window(b, idx, n, t, &w) ? slice_of(b, OP_TENSOR_SLICE, x, &w, e->at) : NULL;
  if (!tile_window(b, idx, n, t, &w)) return NULL;
  return slice_of(b, OP_TILE_SLICE, x, &w, e->at);
}

static Expr *tuple_subscript(Builder *b, const SynExpr *e, Expr *x) {
  if (e->rhs->kind != SYN_INT)
    return window_error(b, e->rhs->at, "a tuple is indexed by an integer literal");
  int64_t i = e->rhs->integer;
  if (e->rhs->big || i >= x->type->nelems)
    return build_error(b, e->rhs->at, "the tuple has only %d elements", x->type->nelems);
  return expr_tuple_get(b->ir, x, (int)i, e->at);
}

static Expr *array_subscript(Builder *b, const SynExpr *e, Expr *x) {
  if (e->rhs->kind == SYN_TUPLE || e->rhs->kind == SYN_SLICE)
    return window_error(b, e->rhs->at, "an array has one index");
  Expr *args[2] = {x, bound(b, e->rhs)};
  return args[1] ? build_op(b, OP_ARRAY_GET_ELEMENT, args, 2, (AttrList){0}, e->at) : NULL;
}

/* A list of constants, SHAPE[0], is known before the program runs. */
static Expr *constant_subscript(Builder *b, const SynExpr *e, bool *known) {
  AttrValue v;
  const SynExpr *root = e;
  while (root->kind == SYN_SUBSCRIPT) root = root->lhs;
  *known = false;
  if (root->kind != SYN_NAME || scope_lookup(b, root->name)) return NULL;
  EvalResult r = eval_expr(b, e, &v);
  *known = r != EVAL_UNKNOWN;
  return r == EVAL_OK ? value_to_expr(b, &v, e->at) : NULL;
}

Expr *build_subscript(Builder *b, const SynExpr *e) {
  bool known;
  Expr *constant = constant_subscript(b, e, &known);
  if (known) return constant;
  Expr *x = build_expr(b, e->lhs);
  if (!x) return NULL;
  switch (x->type->kind) {
    case TYPE_TUPLE: return tuple_subscript(b, e, x);
    case TYPE_TENSOR:
    case TYPE_DIST_TENSOR:
    case TYPE_TILE: return shaped_subscript(b, e, x);
    case TYPE_ARRAY: return array_subscript(b, e, x);
    default: break;
  }
  return build_error(b, e->at,
                     "a %s has no elements: only tensors, tiles, arrays and tuples are indexed",
                     type_kind_name(x->type));
}

/* ---------------------------------------------------------------- writing */

static bool assign_array(Builder *b, const SynExpr *target, Expr *array, const SynExpr *value) {
  if (target->rhs->kind == SYN_TUPLE || target->rhs->kind == SYN_SLICE) {
    build_error(b, target->rhs->at, "an array has one index");
    return false;
  }
  Expr *index = bound(b, target->rhs), *v = index ? build_expr(b, value) : NULL;
  if (!v) return false;
  if (v->kind == EXPR_INT) v = expr_int(b->ir, v->u.i, array->type->dtype, v->span);
  Expr *args[3] = {array, index, v};
  Expr *e = build_op(b, OP_ARRAY_UPDATE_ELEMENT, args, 3, (AttrList){0}, target->at);
  return e && emit_bind(b, target->lhs->name, e, NULL, target->at);
}

static bool is_dropped(const Window *w, int dim) {
  for (int i = 0; i < w->ndropped; i++)
    if (w->dropped[i] == dim) return true;
  return false;
}

/* Does a constant extent of the source contradict the window's?  A narrower valid shape may explain it. */
static bool check_extents(Builder *b, const SynExpr *value, const Window *w, const Type *t,
                          int lead) {
  int nvalid, axis = 0;
  Expr *const *valid = type_valid_shape(t, &nvalid);
  for (int d = -lead; d < w->rank; d++) {
    int64_t want = 1, have, v;
    if (d >= 0 && is_dropped(w, d)) continue;
    int a = axis++;
    if (d >= 0 && !expr_const_int(w->extent[d], &want)) continue;
    if (!expr_const_int(t->shape[a], &have) || have == want) continue;
    bool narrowed = nvalid == t->rank && valid != t->shape;
    if (narrowed && (!expr_const_int(valid[a], &v) || v == want)) continue;
    build_error(b, value->at, "dimension %d of the value has %lld elements, the window %lld", a,
                (long long)have, (long long)want);
    return false;
  }
  return true;
}

/* The source with a dimension of 1 where the window's index took one away. */
static Expr *lift(Builder *b, Expr *source, const Window *w, int lead, Span at) {
  const Type *t = source->type;
  int nvalid, from = lead, vfrom = lead;
  Expr *const *valid = type_valid_shape(t, &nvalid);
  Expr **shape = NEW_ARRAY(b->ir->arena, Expr *, w->rank),
       **vshape = NEW_ARRAY(b->ir->arena, Expr *, w->rank);
  bool narrowed = false;
  for (int i = 0; i < t->rank; i++) narrowed = narrowed || !same_extent(t->shape[i], valid[i]);
  for (int d = 0; d < w->rank; d++) {
    bool unit = is_dropped(w, d);
    shape[d] = unit ? expr_index(b->ir, 1) : t->shape[from++];
    vshape[d] = unit ? expr_index(b->ir, 1) : valid[vfrom++];
  }
  AttrValue pos[3] = {attr_of_expr(source), list_of(b, shape, w->rank)};
  bool tensor = type_is_tensor(t);
  if (tensor && narrowed) pos[2] = list_of(b, vshape, w->rank);
  return call_op(b, tensor ? OP_TENSOR_RESHAPE : OP_TILE_RESHAPE, pos, tensor && narrowed ? 3 : 2,
                 (AttrList){0}, at);
}

static bool assign_window(Builder *b, const SynExpr *target, Expr *x, const SynExpr *value) {
  size_t n;
  Window w;
  const Type *t = x->type;
  bool tile = type_is_tile(t);
  SynExpr *const *idx = indices_of(target, &n);
  if (!check_rank(b, target, n, t)) return false;
  if (n == t->rank && all_scalar(idx, n)) {
    build_error(
        b, target->at,
        "a single element of a %s is not assigned so: use pl.write, or a slice of one element",
        type_kind_name(t));
    return false;
  }
  if (!tensor_window(b, idx, n, t, &w))
    return false; /* of a tile, too: no valid shape is written */
  Expr *source = build_expr(b, value);
  if (!source) return false;
  const Type *st = source->type;
  if (tile ? !type_is_tile(st) : !type_is_tensor(st)) {
    build_error(b, value->at, "a window of a %s is assigned a %s, not a %s", type_kind_name(t),
                type_kind_name(t), type_kind_name(st));
    return false;
  }
  int natural = w.rank - w.ndropped, floored = tile && natural < 2 ? 2 : natural;
  if (st->rank != natural && st->rank != floored) {
    build_error(b, value->at, "the window has %d dimension%s, the value %d", natural,
                natural == 1 ? "" : "s", st->rank);
    return false;
  }
  int lead = st->rank - natural;
  if (!check_extents(b, value, &w, st, lead)) return false;
  if (st->rank != w.rank && !(source = lift(b, source, &w, lead, target->at))) return false;
  AttrValue pos[3] = {attr_of_expr(x), attr_of_expr(source), list_of(b, w.offset, w.rank)};
  Expr *e =
      call_op(b, tile ? OP_TILE_ASSEMBLE : OP_TENSOR_ASSEMBLE, pos, 3, (AttrList){0}, target->at);
  return e && emit_bind(b, target->lhs->name, e, NULL, target->at);
}

bool build_subscript_assign(Builder *b, const SynExpr *target, const SynExpr *value) {
  if (b->strict_ssa) {
    build_error(b, target->at,
                "a subscript is assigned only where variables may be assigned again: this program "
                "was declared strict_ssa");
    return false;
  }
  if (target->lhs->kind != SYN_NAME) {
    build_error(b, target->lhs->at, "a subscript of a variable is assigned, not of '%s'",
                syn_text(b->ir->arena, target->lhs));
    return false;
  }
  Expr *x = build_expr(b, target->lhs);
  if (!x) return false;
  if (x->type->kind == TYPE_ARRAY) return assign_array(b, target, x, value);
  if (type_is_shaped(x->type)) return assign_window(b, target, x, value);
  build_error(b, target->at, "a %s has no elements to assign", type_kind_name(x->type));
  return false;
}
