/* bounds.c -- distances of offsets, iterations of loops, and boxes made of them. */
#include "arith/fold.h"
#include "passes/orch_tensors/windows.h"

/* ---------------------------------------------------------------- distances */

Expr *simplified_sum(WindowPass *w, Expr *a, Expr *b) {
  Expr *sum = make_binary(w->ir, EXPR_ADD, a, b, a->span);
  return sum ? analyzer_simplify(w->an, sum) : NULL;
}

Expr *simplified_difference(WindowPass *w, Expr *a, Expr *b) {
  Expr *difference = make_binary(w->ir, EXPR_SUB, a, b, a->span);
  return difference ? analyzer_simplify(w->an, difference) : NULL;
}

/* Adds `scale * e` to the coefficients of variables and the constant; false if `e` is not linear. */
static bool add_linear(Map *coeffs, int64_t *constant, const Expr *e, int64_t scale) {
  int64_t n;
  switch (e->kind) {
    case EXPR_INT:
      return !__builtin_mul_overflow(e->u.i, scale, &n) &&
             !__builtin_add_overflow(*constant, n, constant);
    case EXPR_VAR: {
      int64_t sum;
      if (__builtin_add_overflow((int64_t)map_get_int(coeffs, e), scale, &sum)) return false;
      map_set(coeffs, e, map_int(sum));
      return true;
    }
    case EXPR_ADD:
      return add_linear(coeffs, constant, e->u.bin.lhs, scale) &&
             add_linear(coeffs, constant, e->u.bin.rhs, scale);
    case EXPR_SUB:
      return scale != INT64_MIN && add_linear(coeffs, constant, e->u.bin.lhs, scale) &&
             add_linear(coeffs, constant, e->u.bin.rhs, -scale);
    case EXPR_MUL: {
      const Expr *x = e->u.bin.lhs, *factor = e->u.bin.rhs;
      if (x->kind == EXPR_INT) x = e->u.bin.rhs, factor = e->u.bin.lhs;
      return expr_const_int(factor, &n) && !__builtin_mul_overflow(n, scale, &scale) &&
             add_linear(coeffs, constant, x, scale);
    }
    default: return false;
  }
}

static bool linear_distance(const Expr *a, const Expr *b, int64_t *out) {
  Map coeffs = {0};
  *out = 0;
  bool ok = add_linear(&coeffs, out, a, 1) && add_linear(&coeffs, out, b, -1);
  for (MapEntry *m = NULL; ok && (m = map_next(&coeffs, m));) ok = !m->value;
  map_free(&coeffs);
  return ok;
}

bool known_distance(WindowPass *w, Expr *a, Expr *b, int64_t *out) {
  return expr_const_int(simplified_difference(w, a, b), out) || linear_distance(a, b, out);
}

static bool mentions(const Expr *e, const Expr *var) {
  switch (e->kind) {
    case EXPR_VAR: return e == var;
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL: return false;
    case EXPR_CALL:
    case EXPR_SUBMIT:
      for (int i = 0; i < e->u.call.nargs; i++)
        if (mentions(e->u.call.args[i], var)) return true;
      return false;
    case EXPR_TUPLE:
      for (int i = 0; i < e->u.tuple.len; i++)
        if (mentions(e->u.tuple.elems[i], var)) return true;
      return false;
    case EXPR_TUPLE_GET: return mentions(e->u.get.tuple, var);
    default: break;
  }
  if (expr_is_unary(e)) return mentions(e->u.operand, var);
  return mentions(e->u.bin.lhs, var) || mentions(e->u.bin.rhs, var);
}

bool linear_in(const Expr *e, const Expr *var, int64_t *out) {
  int64_t x, y;
  *out = 0;
  if (e == var) {
    *out = 1;
    return true;
  }
  if (!mentions(e, var)) return true;
  if (e->kind == EXPR_ADD || e->kind == EXPR_SUB) {
    if (!linear_in(e->u.bin.lhs, var, &x) || !linear_in(e->u.bin.rhs, var, &y)) return false;
    return e->kind == EXPR_ADD ? !__builtin_add_overflow(x, y, out)
                               : !__builtin_sub_overflow(x, y, out);
  }
  if (e->kind != EXPR_MUL) return false;
  const Expr *inner = e->u.bin.lhs, *factor = e->u.bin.rhs;
  if (inner->kind == EXPR_INT) inner = e->u.bin.rhs, factor = e->u.bin.lhs;
  return expr_const_int(factor, &x) && linear_in(inner, var, &y) &&
         !__builtin_mul_overflow(x, y, out);
}

/* ---------------------------------------------------------------- loops */

bool known_trips(WindowPass *w, const Stmt *loop, int64_t *out) {
  int64_t step, distance;
  if (!expr_const_int(loop->u.loop.step, &step) || step == 0 || step == INT64_MIN) return false;
  Expr *from = loop->u.loop.start, *to = loop->u.loop.stop;
  if (!known_distance(w, step > 0 ? to : from, step > 0 ? from : to, &distance)) return false;
  if (step < 0) step = -step;
  *out = distance <= 0 ? 0 : (distance - 1) / step + 1;
  return true;
}

Expr *value_at_trip(WindowPass *w, const Stmt *loop, int64_t trip) {
  int64_t step = 0, delta;
  if (!expr_const_int(loop->u.loop.step, &step) || __builtin_mul_overflow(trip, step, &delta))
    return NULL;
  return delta ? simplified_sum(w, loop->u.loop.start, expr_int(w->ir, delta, DT_INDEX, loop->span))
               : loop->u.loop.start;
}

Expr *with_value(WindowPass *w, Expr *e, Expr *var, Expr *value) {
  analyzer_bind(w->an, var, value);
  e = analyzer_simplify(w->an, e);
  analyzer_unbind(w->an, var);
  return e;
}

bool loop_offsets(WindowPass *w, Expr *e, const Stmt *loop, Expr *first, Expr *last,
                  LoopOffsets *out) {
  int64_t growth, step;
  if (!linear_in(e, loop->u.loop.var, &growth) || !expr_const_int(loop->u.loop.step, &step))
    return false;
  Expr *at_first = with_value(w, e, loop->u.loop.var, first),
       *at_last = with_value(w, e, loop->u.loop.var, last);
  *out = growth == 0 || (growth > 0) == (step > 0) ? (LoopOffsets){at_first, at_last}
                                                   : (LoopOffsets){at_last, at_first};
  return true;
}

/* ---------------------------------------------------------------- boxes */

bool bounding_add(WindowPass *w, BoundingBox *b, int rank, int i, Expr *from, Expr *to) {
  if (!b->least) {
    b->least = NEW_ARRAY(w->ir->arena, Expr *, rank);
    b->end = NEW_ARRAY(w->ir->arena, Expr *, rank);
    b->rank = rank;
  }
  int64_t d;
  if (!from || !to) return false;
  if (!b->least[i]) {
    b->least[i] = from;
  } else if (!expr_same(b->least[i], from)) {
    if (!known_distance(w, b->least[i], from, &d)) return false;
    if (d > 0) b->least[i] = from;
  }
  if (!b->end[i]) {
    b->end[i] = to;
  } else if (!expr_same(b->end[i], to)) {
    if (!known_distance(w, b->end[i], to, &d)) return false;
    if (d < 0) b->end[i] = to;
  }
  return true;
}

bool bounding_extent(WindowPass *w, const BoundingBox *b, int i, int64_t *out) {
  return b->least && b->least[i] && known_distance(w, b->end[i], b->least[i], out) && *out > 0;
}

bool bounding_window(WindowPass *w, const BoundingBox *b, Window *out) {
  Expr **shape = NEW_ARRAY(w->ir->arena, Expr *, b->rank);
  for (int i = 0; i < b->rank; i++) {
    int64_t extent;
    if (!bounding_extent(w, b, i, &extent)) return false;
    shape[i] = expr_index(w->ir, extent);
  }
  *out = (Window){shape, b->least, b->rank};
  return true;
}

static bool same_exprs(Expr *const *a, Expr *const *b, int n) {
  for (int i = 0; i < n; i++)
    if (!expr_same(a[i], b[i])) return false;
  return true;
}

bool window_same(const Window *a, const Window *b) {
  return a->rank == b->rank && same_exprs(a->shape, b->shape, a->rank) &&
         same_exprs(a->at, b->at, a->rank);
}

bool window_is_whole(const Window *win, const Type *tensor) {
  if (win->rank != tensor->rank || !same_exprs(win->shape, tensor->shape, win->rank)) return false;
  for (int i = 0; i < win->rank; i++)
    if (win->at[i]->kind != EXPR_INT || win->at[i]->u.i != 0) return false;
  return true;
}

bool window_is_constant(const Window *win) {
  int64_t n, volume = 1;
  for (int i = 0; i < win->rank; i++)
    if (!expr_const_int(win->shape[i], &n) || n <= 0 || __builtin_mul_overflow(volume, n, &volume))
      return false;
  return true;
}

Expr **zero_offsets(Ir *ir, int n) {
  Expr **zeros = NEW_ARRAY(ir->arena, Expr *, n);
  for (int i = 0; i < n; i++) zeros[i] = expr_index(ir, 0);
  return zeros;
}

/* ---------------------------------------------------------------- cover */

/* Elements `from` .. `end` of a box in row-major order. */
typedef struct Range {
  int64_t from, end;
} Range;

static int by_start(const void *a, const void *b) {
  const Range *x = a, *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

/* The elements of `bounds` that `win` consists of, if those are one range. */
static bool range_in(WindowPass *w, const Window *win, const Window *bounds, Range *out) {
  if (win->rank != bounds->rank) return false;
  int64_t stride = 1, first = 0, last = 0, volume = 1;
  for (int i = win->rank; i-- > 0;) {
    int64_t extent = win->shape[i]->u.i, all = bounds->shape[i]->u.i, at;
    if (!expr_const_int(simplified_difference(w, win->at[i], bounds->at[i]), &at)) return false;
    if (at < 0 || at > all - extent) return false;
    first += at * stride;
    last += (at + extent - 1) * stride;
    volume *= extent;
    stride *= all;
  }
  *out = (Range){first, last + 1};
  return last - first + 1 == volume;
}

bool windows_cover(WindowPass *w, const Window *list, size_t n, const Window *bounds) {
  /* With these the products above fit 64 bits. */
  if (!window_is_constant(bounds)) return false;
  for (size_t i = 0; i < n; i++)
    if (!window_is_constant(&list[i])) return false;
  Range *ranges = xmalloc(n * sizeof *ranges);
  bool ok = n > 0;
  for (size_t i = 0; ok && i < n; i++) ok = range_in(w, &list[i], bounds, &ranges[i]);
  int64_t end = 0, volume = 1;
  for (int i = 0; i < bounds->rank; i++) volume *= bounds->shape[i]->u.i;
  if (ok) sort_array(ranges, n, sizeof *ranges, by_start);
  for (size_t i = 0; ok && i < n; i++) {
    ok = ranges[i].from == end;
    end = ranges[i].end;
  }
  free(ranges);
  return ok && end == volume;
}

bool windows_apart(WindowPass *w, const Window *a, const Window *b) {
  for (int i = 0; i < a->rank; i++) {
    int64_t d, na, nb;
    if (!expr_const_int(a->shape[i], &na) || !expr_const_int(b->shape[i], &nb)) return false;
    if (!expr_const_int(simplified_difference(w, b->at[i], a->at[i]), &d)) continue;
    if (d >= na || d <= -nb) return true;
  }
  return false;
}
