#include "arith/analyzer.h"

#include "arith/fold.h"
#include "arith/state.h"

/* One walk leaves what a rule's result needs for another rule further up. */
enum { SIMPLIFY_STEPS = 2 };

Analyzer *analyzer_new(Ir *ir) {
  Analyzer *a = xmalloc(sizeof *a);
  *a = (Analyzer){.ir = ir};
  arena_init(&a->arena);
  rules_init(&a->rules, &a->arena, ir);
  a->zero = expr_int(ir, 0, DT_INT64, NO_SPAN);
  return a;
}

void analyzer_free(Analyzer *a) {
  for (MapEntry *m = NULL; (m = map_next(&a->differences, m));) vec_free((Differences *)m->value);
  map_free(&a->bounds);
  map_free(&a->mods);
  map_free(&a->values);
  map_free(&a->intervals);
  map_free(&a->differences);
  order_free(a);
  vec_free(&a->scope);
  arena_free(&a->arena);
  free(a);
}

Expr *analyzer_simplify(Analyzer *a, Expr *e) {
  for (int i = 0; i < SIMPLIFY_STEPS; i++) e = rewrite_simplify(a, e);
  return e;
}

/* ---- facts ---- */

static void set_bound(Analyzer *a, Expr *var, Bound b) {
  map_set(&a->bounds, var, arena_copy(&a->arena, &b, sizeof b));
}

static void set_mod(Analyzer *a, Expr *var, ModSet m) {
  map_set(&a->mods, var, arena_copy(&a->arena, &m, sizeof m));
}

static void set_interval(Analyzer *a, Expr *var, Expr *min, Expr *max) {
  Interval i = {min, max};
  map_set(&a->intervals, var, arena_copy(&a->arena, &i, sizeof i));
}

static void add_comparison(Analyzer *a, ExprKind kind, Expr *x, Expr *y) {
  Expr *cond = make_binary(a->ir, kind, x, y, NO_SPAN);
  if (cond) order_add(a, cond, false);
}

/* A variable with a value is replaced by it wherever it is asked about: no comparison with it is needed. */
void analyzer_bind(Analyzer *a, Expr *var, Expr *value) {
  value = rewrite_simplify(a, value);
  set_bound(a, var, bound_of(a, value));
  set_mod(a, var, mod_of(a, value));
  map_set(&a->values, var, value);
  set_interval(a, var, value, value);
}

void analyzer_bind_range(Analyzer *a, Expr *var, int64_t start, int64_t stop) {
  Expr *first = expr_int(a->ir, start, scalar_dtype(var), NO_SPAN);
  Expr *last = expr_int(a->ir, stop - 1, scalar_dtype(var), NO_SPAN);
  set_bound(a, var, (Bound){start, stop - 1});
  set_interval(a, var, first, last);
  if (start == stop - 1) {
    map_set(&a->values, var, first);
    set_mod(a, var, mod_of(a, first));
    return;
  }
  add_comparison(a, EXPR_GE, var, first);
  add_comparison(a, EXPR_LE, var, last);
}

void analyzer_bind_bound(Analyzer *a, Expr *var, Bound b) { set_bound(a, var, b); }

void analyzer_unbind(Analyzer *a, Expr *var) {
  map_remove(&a->bounds, var);
  map_remove(&a->mods, var);
  map_remove(&a->values, var);
  map_remove(&a->intervals, var);
  order_remove(a, var);
}

/* ---- constraints ---- */

void scoped_set(Analyzer *a, Map *map, const Expr *var, void *fact) {
  vec_push(&a->scope, (Retract){.map = map, .key = var, .old = map_get(map, var)});
  map_set(map, var, fact);
}

size_t analyzer_enter(Analyzer *a, Expr *cond) {
  size_t mark = a->scope.len;
  cond = rewrite_simplify(a, cond);
  bound_enter(a, cond);
  mod_enter(a, cond);
  order_add(a, cond, true);
  interval_enter(a, cond);
  return mark;
}

void analyzer_leave(Analyzer *a, size_t mark) {
  while (a->scope.len > mark) {
    Retract r = vec_pop(&a->scope);
    if (!r.map)
      order_retract(a, &r);
    else if (r.old)
      map_set(r.map, r.key, r.old);
    else
      map_remove(r.map, r.key);
  }
}

/* ---- questions ---- */

Bound analyzer_bound(Analyzer *a, const Expr *e) { return bound_of(a, e); }
ModSet analyzer_mod_set(Analyzer *a, const Expr *e) { return mod_of(a, e); }
Interval analyzer_interval(Analyzer *a, Expr *e) { return interval_of(a, e); }
Ordering analyzer_compare(Analyzer *a, Expr *x, Expr *y) { return order_of(a, x, y); }

bool analyzer_proves_ge(Analyzer *a, Expr *e, int64_t n) {
  return bound_of(a, analyzer_simplify(a, e)).min >= n;
}

bool analyzer_proves_less(Analyzer *a, Expr *e, int64_t n) {
  return bound_of(a, analyzer_simplify(a, e)).max < n;
}

/* Bounds of x - y; everything where the difference cannot be made. */
static Bound difference(Analyzer *a, Expr *x, Expr *y) {
  Expr *e = make_binary(a->ir, EXPR_SUB, x, y, NO_SPAN);
  return e ? bound_of(a, analyzer_simplify(a, e)) : BOUND_ALL;
}

bool analyzer_proves_equal(Analyzer *a, Expr *x, Expr *y) {
  if (x == y) return true;
  Bound b = difference(a, x, y);
  return b.min == 0 && b.max == 0;
}

static Bound deep_difference(Analyzer *a, Expr *x, Expr *y) {
  Expr *e = x && y ? make_binary(a->ir, EXPR_SUB, x, y, NO_SPAN) : NULL;
  return e ? bound_of(a, canonical_simplify(a->ir, analyzer_simplify(a, e))) : BOUND_ALL;
}

static bool within(Bound b, Ordering rel) {
  switch (rel) {
    case ORDER_LT: return b.max < 0;
    case ORDER_LE: return b.max <= 0;
    case ORDER_GT: return b.min > 0;
    case ORDER_GE: return b.min >= 0;
    case ORDER_EQ: return b.min == 0 && b.max == 0;
    default: return b.min > 0 || b.max < 0;
  }
}

/* x against the interval of y, and the other way round: the far end of one of them decides. */
static bool proves_by_interval(Analyzer *a, Expr *x, Expr *y, Ordering rel) {
  if (a->in_proof || rel == ORDER_EQ || rel == ORDER_NE) return false;
  a->in_proof = true;
  bool less = rel == ORDER_LT || rel == ORDER_LE;
  Interval i = interval_of(a, x), k = interval_of(a, y);
  Expr *far_x = less ? i.max : i.min, *far_y = less ? k.min : k.max;
  bool proved = within(deep_difference(a, far_x, y), rel) ||
                ((far_x != x || far_y != y) && within(deep_difference(a, x, far_y), rel));
  a->in_proof = false;
  return proved;
}

static Ordering relation_of(ExprKind kind) {
  switch (kind) {
    case EXPR_EQ: return ORDER_EQ;
    case EXPR_NE: return ORDER_NE;
    case EXPR_LT: return ORDER_LT;
    case EXPR_LE: return ORDER_LE;
    case EXPR_GT: return ORDER_GT;
    case EXPR_GE: return ORDER_GE;
    default: return ORDER_ANY;
  }
}

bool analyzer_proves(Analyzer *a, Expr *cond) {
  if (!cond) return false;
  cond = analyzer_simplify(a, cond);
  if (cond->kind == EXPR_BOOL) return cond->u.b;
  if (cond->kind == EXPR_INT) return cond->u.i != 0;
  if (cond->kind == EXPR_AND)
    return analyzer_proves(a, cond->u.bin.lhs) && analyzer_proves(a, cond->u.bin.rhs);
  Ordering rel = relation_of(cond->kind);
  if (rel == ORDER_ANY) return false;
  Expr *x = cond->u.bin.lhs, *y = cond->u.bin.rhs;
  if (dtype_is_float(scalar_dtype(x))) return false;
  if (within(difference(a, x, y), rel)) return true;
  Ordering known = order_of(a, x, y);
  if (known != ORDER_NONE && known != ORDER_ANY && (known & ~(unsigned)rel) == 0) return true;
  return proves_by_interval(a, x, y, rel);
}
