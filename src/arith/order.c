/* order.c -- known comparisons as a graph; what follows along its paths. */
#include "arith/fold.h"
#include "arith/state.h"

/* Contradictory facts can strengthen each other for ever; a proof that needs more steps is not found. */
enum { MAX_STEPS = 256 };

static Ordering mirrored(Ordering o) {
  unsigned less = o & ORDER_LT, greater = o & ORDER_GT;
  return (Ordering)((o & ORDER_EQ) | (less ? ORDER_GT : 0) | (greater ? ORDER_LT : 0));
}

/* Integers: x < y + n is x <= y + n - 1. */
static Comparison normal(const Expr *lhs, const Expr *rhs, int64_t offset, Ordering rel) {
  if (rel == ORDER_LT) return (Comparison){lhs, rhs, offset - 1, ORDER_LE};
  if (rel == ORDER_GT) return (Comparison){lhs, rhs, offset + 1, ORDER_GE};
  return (Comparison){lhs, rhs, offset, rel};
}

static Comparison turned(Comparison c) {
  return (Comparison){c.rhs, c.lhs, -c.offset, mirrored(c.rel)};
}

/* Of the same two vertices: does `c` say at least what `d` says? */
static bool implies(const Comparison *c, const Comparison *d) {
  bool at_most = c->rel == ORDER_EQ || c->rel == ORDER_LE,
       at_least = c->rel == ORDER_EQ || c->rel == ORDER_GE;
  if (c->rel == d->rel && c->offset == d->offset) return true;
  switch (d->rel) {
    case ORDER_LE: return at_most && c->offset <= d->offset;
    case ORDER_GE: return at_least && c->offset >= d->offset;
    case ORDER_NE: return (at_most && c->offset < d->offset) || (at_least && c->offset > d->offset);
    default: return false;
  }
}

/* ---- vertices ---- */

/* e = vertex + *offset; numbers are the zero vertex plus themselves. */
static const Expr *vertex_of(Analyzer *a, const Expr *e, int64_t *offset) {
  int64_t n;
  *offset = 0;
  if (e->kind == EXPR_ADD && expr_const_int(e->u.bin.rhs, offset)) return e->u.bin.lhs;
  if (e->kind == EXPR_ADD && expr_const_int(e->u.bin.lhs, offset)) return e->u.bin.rhs;
  if (e->kind == EXPR_SUB && expr_const_int(e->u.bin.rhs, &n) && n != INT64_MIN) {
    *offset = -n;
    return e->u.bin.lhs;
  }
  if (expr_const_int(e, offset)) return a->zero;
  return e;
}

/* Far from the ends, so that sums of path lengths cannot overflow. */
static bool is_moderate(int64_t n) { return n > -(INT64_C(1) << 52) && n < INT64_C(1) << 52; }

static bool split(Analyzer *a, const Expr *lhs, const Expr *rhs, Comparison *c) {
  int64_t left, right;
  c->lhs = vertex_of(a, lhs, &left);
  c->rhs = vertex_of(a, rhs, &right);
  c->offset = is_moderate(left) && is_moderate(right) ? right - left : 0;
  return is_moderate(left) && is_moderate(right);
}

/* ---- facts ---- */

static ComparisonList *edges_of(Analyzer *a, const Expr *vertex) {
  void **slot = map_at(&a->comparisons, vertex);
  if (!*slot) *slot = NEW(&a->arena, ComparisonList);
  return *slot;
}

static void add_edge(Analyzer *a, Comparison c, bool scoped) {
  ComparisonList *left = edges_of(a, c.lhs);
  vec_push(left, c);
  ComparisonList *right = edges_of(a, c.rhs);
  vec_push(right, turned(c));
  if (scoped) vec_push(&a->scope, (Retract){.key = c.lhs, .other = c.rhs});
}

void order_add(Analyzer *a, const Expr *cond, bool scoped) {
  static const Ordering relations[] = {
      [EXPR_EQ - EXPR_EQ] = ORDER_EQ, [EXPR_NE - EXPR_EQ] = ORDER_NE,
      [EXPR_LT - EXPR_EQ] = ORDER_LT, [EXPR_LE - EXPR_EQ] = ORDER_LE,
      [EXPR_GT - EXPR_EQ] = ORDER_GT, [EXPR_GE - EXPR_EQ] = ORDER_GE};
  if (cond->kind == EXPR_AND) {
    order_add(a, cond->u.bin.lhs, scoped);
    order_add(a, cond->u.bin.rhs, scoped);
    return;
  }
  if (cond->kind < EXPR_EQ || cond->kind > EXPR_GE) return;
  const Expr *lhs = cond->u.bin.lhs, *rhs = cond->u.bin.rhs;
  if (!dtype_is_int(scalar_dtype(lhs)) || !dtype_is_int(scalar_dtype(rhs))) return;
  Comparison c;
  if (!split(a, lhs, rhs, &c) || c.lhs == c.rhs) return;
  add_edge(a, normal(c.lhs, c.rhs, c.offset, relations[cond->kind - EXPR_EQ]), scoped);
}

static void drop_edges_to(ComparisonList *list, const Expr *vertex, bool only_last) {
  for (size_t i = list->len; i-- > 0;) {
    if (list->data[i].rhs != vertex) continue;
    for (size_t k = i; k + 1 < list->len; k++) list->data[k] = list->data[k + 1];
    list->len--;
    if (only_last) return;
  }
}

void order_remove(Analyzer *a, const Expr *var) {
  ComparisonList *list = map_get(&a->comparisons, var);
  if (!list) return;
  while (list->len > 0) {
    Comparison c = vec_pop(list);
    drop_edges_to(map_get(&a->comparisons, c.rhs), var, false);
  }
}

void order_retract(Analyzer *a, const Retract *r) {
  drop_edges_to(map_get(&a->comparisons, r->key), r->other, true);
  drop_edges_to(map_get(&a->comparisons, r->other), r->key, true);
}

/* ---- search ---- */

typedef struct Search {
  Analyzer *a;
  const Expr *from, *to;
} Search;

/* The facts of `from` and `vertex`; what is kept for one search is used again by the next. */
static ComparisonList *facts_of(Search *s, const Expr *vertex) {
  Analyzer *a = s->a;
  void **slot = map_at(&a->found, vertex);
  if (!*slot) {
    size_t n = a->found.count;
    if (n > a->found_facts.len) vec_push(&a->found_facts, (ComparisonList){0});
    vec_clear(&a->found_facts.data[n - 1]);
    *slot = map_int((intptr_t)n);
  }
  return &a->found_facts.data[(intptr_t)*slot - 1];
}

/* Keeps what is new; a vertex whose facts grew is looked at again. */
static void declare(Search *s, Comparison c) {
  ComparisonList *list = facts_of(s, c.rhs);
  size_t i = 0;
  for (size_t k = 0; k < list->len; k++)
    if (implies(&list->data[k], &c)) return;
  while (i < list->len && !implies(&c, &list->data[i])) i++;
  if (i < list->len)
    list->data[i] = c;
  else
    vec_push(list, c);
  if (c.rhs != s->to) vec_push(&s->a->open, c.rhs);
}

/* x p y + n and y q z + m: what of x and z? */
static bool chain(const Comparison *p, const Comparison *q, Comparison *out) {
  Ordering rel;
  if (p->rel == ORDER_EQ)
    rel = q->rel;
  else if (q->rel == ORDER_EQ || (p->rel == q->rel && p->rel != ORDER_NE))
    rel = p->rel;
  else
    return false;
  *out = (Comparison){p->lhs, q->rhs, p->offset + q->offset, rel};
  return is_moderate(out->offset);
}

static void expand(Search *s, const Expr *middle) {
  const ComparisonList *edges = map_get(&s->a->comparisons, middle);
  const ComparisonList *known = facts_of(s, middle);
  ComparisonList derived = {0};
  for (size_t i = 0; edges && i < edges->len; i++) {
    if (edges->data[i].rhs == s->from) continue;
    for (size_t k = 0; k < known->len; k++) {
      Comparison c;
      if (chain(&known->data[k], &edges->data[i], &c)) vec_push(&derived, c);
    }
  }
  for (size_t i = 0; i < derived.len; i++) declare(s, derived.data[i]);
  vec_free(&derived);
}

static Ordering merge(const ComparisonList *list, int64_t offset) {
  unsigned result = ORDER_ANY;
  for (size_t i = 0; list && i < list->len; i++) {
    Comparison c = list->data[i];
    if (c.rel == ORDER_EQ) result &= c.offset == offset ? ORDER_EQ : ORDER_NE;
    if (c.rel == ORDER_LE && c.offset <= offset) result &= c.offset < offset ? ORDER_LT : ORDER_LE;
    if (c.rel == ORDER_GE && c.offset >= offset) result &= c.offset > offset ? ORDER_GT : ORDER_GE;
    if (c.rel == ORDER_NE && c.offset == offset) result &= ORDER_NE;
  }
  return (Ordering)result;
}

static Ordering search(Analyzer *a, const Expr *from, const Expr *to, int64_t offset) {
  Search s = {a, from, to};
  map_clear(&a->found);
  vec_clear(&a->open);
  const ComparisonList *edges = map_get(&a->comparisons, from);
  for (size_t i = 0; edges && i < edges->len; i++) declare(&s, edges->data[i]);
  for (int steps = 0; a->open.len > 0 && steps < MAX_STEPS; steps++) expand(&s, vec_pop(&a->open));
  return merge(facts_of(&s, to), offset);
}

void order_free(Analyzer *a) {
  for (size_t i = 0; i < a->found_facts.len; i++) vec_free(&a->found_facts.data[i]);
  vec_free(&a->found_facts);
  vec_free(&a->open);
  map_free(&a->found);
}

Ordering order_of(Analyzer *a, Expr *x, Expr *y) {
  if (!dtype_is_int(scalar_dtype(x)) || !dtype_is_int(scalar_dtype(y))) return ORDER_ANY;
  Comparison c;
  if (!split(a, x, y, &c)) return ORDER_ANY;
  if (c.lhs == c.rhs) return c.offset < 0 ? ORDER_GT : c.offset > 0 ? ORDER_LT : ORDER_EQ;
  if (!map_has(&a->comparisons, c.lhs) || !map_has(&a->comparisons, c.rhs)) return ORDER_ANY;
  return search(a, c.lhs, c.rhs, c.offset);
}
