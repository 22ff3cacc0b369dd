/* order.c -- what is known of the difference of two integer expressions, and what follows from it.
 *
 * Textbook: difference constraints, solved by shortest paths from one vertex (Bellman and Ford, with a
 * queue).  The vertices are expressions; the upper bound of x - y is the shortest path from y to x, the
 * lower one the longest. */
#include "arith/fold.h"
#include "arith/state.h"

/* Contradictory facts can tighten each other for ever; a proof that needs more steps is not found. */
enum { MAX_STEPS = 256 };

#define NO_LOW INT64_MIN
#define NO_HIGH INT64_MAX

/* Far from the ends, so that sums along paths cannot overflow. */
static bool is_moderate(int64_t n) { return n > -(INT64_C(1) << 52) && n < INT64_C(1) << 52; }

/* ---- expressions as vertices ---- */

/* e = vertex + *offset; constants are the zero vertex plus themselves. */
static const Expr *vertex_of(const Analyzer *a, const Expr *e, int64_t *offset) {
  int64_t n;
  *offset = 0;
  if (expr_const_int(e, offset)) return a->zero;
  if (e->kind != EXPR_ADD && e->kind != EXPR_SUB) return e;
  const Expr *lhs = e->u.bin.lhs, *rhs = e->u.bin.rhs;
  if (expr_const_int(rhs, &n) && n != INT64_MIN) {
    *offset = e->kind == EXPR_ADD ? n : -n;
    return lhs;
  }
  if (e->kind == EXPR_SUB || !expr_const_int(lhs, &n)) return e;
  *offset = n;
  return rhs;
}

/* Two expressions that are compared: what is asked of e1 against e2 is asked of x - y against `n`. */
typedef struct Pair {
  const Expr *x, *y;
  int64_t n;
} Pair;

static bool pair_of(const Analyzer *a, const Expr *e1, const Expr *e2, Pair *p) {
  if (!dtype_is_int(scalar_dtype(e1)) || !dtype_is_int(scalar_dtype(e2))) return false;
  int64_t n1, n2;
  *p = (Pair){vertex_of(a, e1, &n1), vertex_of(a, e2, &n2), 0};
  if (!is_moderate(n1) || !is_moderate(n2)) return false;
  p->n = n2 - n1;
  return true;
}

/* ---- facts ---- */

static Difference fact(ExprKind comparison, const Pair *p) {
  Difference d = {p->x, NO_LOW, NO_HIGH, false};
  switch (comparison) {
    case EXPR_LT: d.high = p->n - 1; break;
    case EXPR_LE: d.high = p->n; break;
    case EXPR_GT: d.low = p->n + 1; break;
    case EXPR_GE: d.low = p->n; break;
    case EXPR_NE: d.low = p->n, d.differs = true; break;
    default: d.low = d.high = p->n;
  }
  return d;
}

static void keep(Analyzer *a, const Expr *y, Difference d) {
  void **slot = map_at(&a->differences, y);
  if (!*slot) *slot = NEW(&a->arena, Differences);
  Differences *known = *slot;
  vec_push(known, d);
}

/* The same of y - x. */
static Difference negated(Difference d, const Expr *y) {
  Difference r = {y, NO_LOW, NO_HIGH, d.differs};
  if (d.differs || d.high != NO_HIGH) r.low = d.differs ? -d.low : -d.high;
  if (!d.differs && d.low != NO_LOW) r.high = -d.low;
  return r;
}

void order_add(Analyzer *a, const Expr *cond, bool scoped) {
  if (cond->kind == EXPR_AND) {
    order_add(a, cond->u.bin.lhs, scoped);
    order_add(a, cond->u.bin.rhs, scoped);
    return;
  }
  Pair p;
  if (cond->kind < EXPR_EQ || cond->kind > EXPR_GE) return;
  if (!pair_of(a, cond->u.bin.lhs, cond->u.bin.rhs, &p) || p.x == p.y) return;
  Difference d = fact(cond->kind, &p);
  keep(a, p.y, d);
  keep(a, p.x, negated(d, p.y));
  if (scoped) vec_push(&a->scope, (Retract){.key = p.x, .other = p.y});
}

static void forget_last(Differences *known, const Expr *x) {
  size_t i = known->len;
  while (i > 0 && known->data[i - 1].x != x) i--;
  if (i == 0) return;
  for (; i < known->len; i++) known->data[i - 1] = known->data[i];
  known->len--;
}

void order_retract(Analyzer *a, const Retract *r) {
  Differences *of_key = map_get(&a->differences, r->key);
  Differences *of_other = map_get(&a->differences, r->other);
  if (of_key) forget_last(of_key, r->other);
  if (of_other) forget_last(of_other, r->key);
}

void order_remove(Analyzer *a, const Expr *var) {
  Differences *known = map_get(&a->differences, var);
  while (known && known->len > 0) {
    Difference d = vec_pop(known); /* each has its fellow on the other side */
    forget_last(map_get(&a->differences, d.x), var);
  }
}

/* ---- what follows ---- */

static size_t place_of(Analyzer *a, const Expr *x) {
  void **slot = map_at(&a->reached_at, x);
  if (!*slot) {
    if (a->nreached == a->reached.len) vec_push(&a->reached, (Reached){0});
    Reached *r = &a->reached.data[a->nreached++];
    r->x = x;
    r->low = NO_LOW;
    r->high = NO_HIGH;
    r->waits = false;
    vec_clear(&r->holes);
    *slot = map_int((intptr_t)a->nreached);
  }
  return (size_t)(intptr_t)*slot - 1;
}

static bool is_hole(const Reached *r, int64_t n) {
  for (size_t i = 0; i < r->holes.len; i++)
    if (r->holes.data[i] == n) return true;
  return false;
}

/* Tightens what is known; does it say anything new? */
static bool tighten(Reached *r, int64_t low, int64_t high) {
  bool higher = low != NO_LOW && is_moderate(low) && low > r->low;
  bool lower = high != NO_HIGH && is_moderate(high) && high < r->high;
  if (higher) r->low = low;
  if (lower) r->high = high;
  return higher || lower;
}

static bool add_hole(Reached *r, int64_t n) {
  bool known = n < r->low || n > r->high || is_hole(r, n);
  if (known || !is_moderate(n)) return false;
  vec_push(&r->holes, n);
  return true;
}

/* One more edge: d of its x and the vertex `from` of a path. */
static void relax(Analyzer *a, size_t from, Difference d) {
  size_t to = place_of(a, d.x);
  Reached *r = &a->reached.data[to], *p = &a->reached.data[from];
  bool exact = p->low == p->high, news = false;
  if (d.differs) {
    news = exact && add_hole(r, p->low + d.low);
  } else {
    news = tighten(r, p->low == NO_LOW || d.low == NO_LOW ? NO_LOW : p->low + d.low,
                   p->high == NO_HIGH || d.high == NO_HIGH ? NO_HIGH : p->high + d.high);
    for (size_t i = 0; d.low == d.high && i < p->holes.len; i++)
      news = add_hole(r, p->holes.data[i] + d.low) || news;
  }
  if (!news || r->waits) return;
  r->waits = true;
  vec_push(&a->queue, to);
}

/* How x compares with y + n, if x - y is as `r` says. */
static Ordering ordering(const Reached *r, int64_t n) {
  unsigned possible = ORDER_ANY;
  if (r->high <= n) possible &= r->high < n ? ORDER_LT : ORDER_LE;
  if (r->low >= n) possible &= r->low > n ? ORDER_GT : ORDER_GE;
  if (is_hole(r, n)) possible &= ORDER_NE;
  return (Ordering)possible;
}

static Ordering search(Analyzer *a, const Pair *p) {
  map_clear(&a->reached_at);
  a->nreached = 0;
  vec_clear(&a->queue);
  size_t origin = place_of(a, p->y), goal = place_of(a, p->x);
  a->reached.data[origin].low = a->reached.data[origin].high = 0;
  vec_push(&a->queue, origin);
  for (size_t step = 0; step < a->queue.len && step <= MAX_STEPS; step++) {
    size_t at = a->queue.data[step];
    a->reached.data[at].waits = false;
    if (at == goal) continue;
    const Differences *known = map_get(&a->differences, a->reached.data[at].x);
    for (size_t i = 0; known && i < known->len; i++)
      if (known->data[i].x != p->y) relax(a, at, known->data[i]);
  }
  return ordering(&a->reached.data[goal], p->n);
}

void order_free(Analyzer *a) {
  for (size_t i = 0; i < a->reached.len; i++) vec_free(&a->reached.data[i].holes);
  vec_free(&a->reached);
  vec_free(&a->queue);
  map_free(&a->reached_at);
}

Ordering order_of(Analyzer *a, Expr *e1, Expr *e2) {
  Pair p;
  if (!pair_of(a, e1, e2, &p)) return ORDER_ANY;
  if (p.x == p.y) return p.n < 0 ? ORDER_GT : p.n > 0 ? ORDER_LT : ORDER_EQ;
  if (!map_has(&a->differences, p.x) || !map_has(&a->differences, p.y)) return ORDER_ANY;
  return search(a, &p);
}
