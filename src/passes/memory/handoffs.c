#include "passes/memory/handoffs.h"

#include <stdlib.h>
#include <string.h>

#include "ir/view.h"
#include "ir/visit.h"
#include "passes/memory/memref.h"
#include "passes/memory/pipe.h"

/* One reading or writing of an allocation. */
typedef struct Access {
  int point; /* as in lives.h */
  PipeKind pipe;
  bool write;
} Access;

/* What counts of an allocation's accesses, while all of them are alike. */
typedef struct Summary {
  bool unknown; /* an access that tells nothing, or not all in one list, or not to the whole */
  bool any;
  int path;  /* the statement list of its accesses; 0: the function's body */
  int first; /* point of the earliest ones */
  bool first_reads, first_mixed, first_in_tuple;
  PipeKind first_pipe;
  bool has_last[PIPE_COUNT];
  Access last[PIPE_COUNT];
} Summary;

typedef struct Scan {
  const Target *target;
  const Lives *l;
  const uint64_t *sizes;
  Summary *of;
  Map items;          /* tuple variable -> TupleItems */
  VEC(bool) loops;    /* [path]: inside a loop */
  VEC(int) accessing; /* [point]: how many points before it access a tile */
  bool accesses;      /* does the point at hand? */
  int path, point;
} Scan;

/* The variables that a tuple is unpacked into, by position. */
typedef struct TupleItems {
  Expr **vars;
  int n;
} TupleItems;

/* ---------------------------------------------------------------- accesses */

static bool wholly_valid(const Type *t) {
  int n;
  Expr *const *valid = type_valid_shape(t, &n);
  if (n != t->rank) return false;
  for (int i = 0; i < n; i++)
    if (!expr_same(valid[i], t->shape[i])) return false;
  return true;
}

static bool same_shape(const Type *a, const Type *b) {
  if (a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (!expr_same(a->shape[i], b->shape[i])) return false;
  return true;
}

static bool is_whole_store(const Expr *call) {
  return expr_is_op(call, OP_TILE_STORE) && call->u.call.nargs == 3 &&
         type_is_tile(call->u.call.args[0]->type) && wholly_valid(call->u.call.args[0]->type);
}

/* An assemble that replaces all of its target. */
static bool is_whole_assemble(const Expr *call, Expr *const *results, int n) {
  if (!expr_is_op(call, OP_TILE_ASSEMBLE) || call->u.call.nargs != 3 || n != 1 || !results[0])
    return false;
  const Expr *target = call->u.call.args[0], *source = call->u.call.args[1],
             *at = call->u.call.args[2];
  if (!var_base(target) || !var_base(source) || var_base(results[0]) != var_base(target))
    return false;
  if (!same_shape(target->type, source->type) || !same_shape(target->type, results[0]->type))
    return false;
  if (!wholly_valid(target->type) || !wholly_valid(source->type) || !wholly_valid(results[0]->type))
    return false;
  if (at->kind != EXPR_TUPLE || at->u.tuple.len != target->type->rank) return false;
  for (int i = 0; i < at->u.tuple.len; i++) {
    int64_t v;
    if (!expr_const_int(at->u.tuple.elems[i], &v) || v != 0) return false;
  }
  return true;
}

static void note_access(Scan *s, int interval, const Expr *var, Access a) {
  Summary *m = &s->of[interval];
  const MemRef *r = var->type->memref;
  int64_t offset;
  bool whole = expr_const_int(r->offset, &offset) && offset == 0 && r->size == s->sizes[interval] &&
               wholly_valid(var->type);
  if (!whole || (m->any && m->path != s->path)) m->unknown = true;
  if (!m->any) {
    m->any = true;
    m->path = s->path;
    m->first = a.point;
    m->first_pipe = a.pipe;
  }
  if (a.point == m->first) { /* the walk goes in order, so the first ones come first */
    if (!a.write) m->first_reads = true;
    if (a.pipe != m->first_pipe) m->first_mixed = true;
  }
  Access *last = &m->last[a.pipe];
  if (!m->has_last[a.pipe] || last->point < a.point || (a.write && !last->write)) *last = a;
  m->has_last[a.pipe] = true;
}

static void note_call(Scan *s, const Expr *call, Expr *const *results, int n) {
  bool replaces = is_whole_assemble(call, results, n);
  const Op *op = expr_op(call);
  OpAccess access = op ? op->access : ACCESS_UNKNOWN;
  if (access == ACCESS_NONE) return;
  if (access == ACCESS_UNKNOWN && (is_whole_store(call) || replaces)) access = ACCESS_FUNCTIONAL;
  PipeKind pipe = PIPE_ALL;
  bool known = access == ACCESS_FUNCTIONAL && call_pipe(s->target, call, &pipe);
  int nargs = call->u.call.nargs;
  for (int i = replaces ? 1 : 0; i < nargs + n; i++) {
    const Expr *var = i < nargs ? call->u.call.args[i] : results[i - nargs];
    int interval = var ? lives_interval(s->l, var_base(var)) : -1;
    if (interval < 0) continue;
    s->accesses = true;
    if (known)
      note_access(s, interval, var, (Access){s->point, pipe, i >= nargs});
    else
      s->of[interval].unknown = true;
  }
}

static void note_value(Scan *s, Expr *value, Expr *result) {
  if (value->kind != EXPR_CALL) return;
  if (!result) {
    note_call(s, value, NULL, 0);
  } else if (result->type->kind == TYPE_TUPLE) {
    const TupleItems *items = map_get(&s->items, result);
    note_call(s, value, items ? items->vars : NULL, items ? items->n : 0);
    for (int i = 0; items && i < items->n; i++) {
      int interval = items->vars[i] ? lives_interval(s->l, var_base(items->vars[i])) : -1;
      if (interval >= 0 && s->of[interval].first == s->point) s->of[interval].first_in_tuple = true;
    }
  } else {
    note_call(s, value, &result, 1);
  }
}

/* ---------------------------------------------------------------- the walk */

/* Finds which variables tuples are unpacked into. */
static bool note_item(Visitor *v, Stmt *stmt) {
  Scan *s = v->ctx;
  if (stmt->kind != STMT_ASSIGN) return true;
  Expr *value = stmt->u.assign.value;
  if (value->kind != EXPR_TUPLE_GET || !expr_is_var(value->u.get.tuple)) return false;
  const Type *t = value->u.get.tuple->type;
  int at = value->u.get.index;
  if (at < 0 || at >= t->nelems) return false;
  TupleItems *items = map_get(&s->items, value->u.get.tuple);
  if (!items) {
    items = xmalloc(sizeof *items);
    items->n = t->nelems;
    items->vars = xmalloc((size_t)t->nelems * sizeof *items->vars);
    memset(items->vars, 0, (size_t)t->nelems * sizeof *items->vars);
    map_set(&s->items, value->u.get.tuple, items);
  }
  items->vars[at] = stmt->u.assign.var;
  return false;
}

static void walk(Scan *s, Block b);

static void walk_inside(Scan *s, Block b, bool loop) {
  int outer = s->path;
  bool in_loop = loop || s->loops.data[outer];
  s->path = (int)s->loops.len;
  vec_push(&s->loops, in_loop);
  walk(s, b);
  s->path = outer;
}

static void next_point(Scan *s) {
  vec_push(&s->accessing, vec_last(&s->accessing) + s->accesses);
  s->accesses = false;
  s->point++;
}

static void walk(Scan *s, Block b) {
  for (int i = 0; i < b.len; i++) {
    Stmt *t = b.items[i];
    if (t->kind == STMT_ASSIGN) note_value(s, t->u.assign.value, t->u.assign.var);
    if (t->kind == STMT_EVAL) note_value(s, t->u.eval, NULL);
    for (int k = 0; t->kind == STMT_RETURN && k < t->u.ret.len; k++)
      note_value(s, t->u.ret.values[k], NULL);
    if (t->kind == STMT_ASSIGN || t->kind == STMT_EVAL || t->kind == STMT_RETURN ||
        t->kind == STMT_YIELD)
      next_point(s);
    if (t->kind == STMT_IF) {
      walk_inside(s, t->u.if_.then_body, false);
      if (t->u.if_.has_else) walk_inside(s, t->u.if_.else_body, false);
    }
    if (stmt_is_loop(t)) walk_inside(s, t->u.loop.body, true);
    if (t->kind == STMT_SCOPE) walk(s, t->u.scope.body);
  }
}

static bool is_clear(const Summary *m) {
  return m->any && !m->unknown && !m->first_reads && !m->first_mixed;
}

/* ---------------------------------------------------------------- kinds */

/* What the accesses of an interval have in common with those of others, so far as waiting goes. */
typedef struct Kind {
  PipeKind first;
  uint32_t last; /* bit 1 << pipe */
  bool loop;
} Kind;

/* Would B, lying over A that was dead before it, make a pipe wait? */
static bool waits(Kind a, Kind b) {
  if (a.last & ~(1u << b.first)) return true;
  return b.loop && (b.last & ~(1u << a.first)); /* round the loop: from this one to the next */
}

static Kind kind_of(const Scan *s, const Summary *m) {
  Kind k = {.first = m->first_pipe, .loop = s->loops.data[m->path]};
  for (int i = 0; i < PIPE_COUNT; i++)
    if (m->has_last[i]) k.last |= 1u << i;
  return k;
}

static uint32_t number_of(Map *numbers, uint64_t key) {
  void **slot = map_at(numbers, map_int((intptr_t)key + 1));
  if (!*slot) *slot = map_int((intptr_t)numbers->count);
  return (uint32_t)(intptr_t)*slot;
}

/* Do the accesses lie within the life, so that of two such intervals that are not alive together all accesses of
 * the one lie before those of the other?  A tuple is written before the tiles in it are defined, which does no
 * harm where nothing is accessed in between. */
static bool is_regular(const Scan *s, const Interval *iv, const Summary *m) {
  int last = m->first;
  for (int k = 0; k < PIPE_COUNT; k++)
    if (m->has_last[k] && m->last[k].point > last) last = m->last[k].point;
  if (last > iv->last) return false;
  if (m->first < iv->def && s->accessing.data[m->first + 1] != s->accessing.data[iv->def + 1])
    return false;
  return !(m->first_in_tuple && last == m->first);
}

static void find_kinds(const Scan *s, Handoffs *h) {
  size_t n = s->l->intervals.len;
  Map groups = {0}, numbers = {0};
  VEC(Kind) kinds = {0};
  h->group = xmalloc((n + 1) * sizeof *h->group);
  h->kind = xmalloc((n + 1) * sizeof *h->kind);
  for (size_t i = 0; i < n; i++) {
    const Interval *iv = &s->l->intervals.data[i];
    const Summary *m = &s->of[i];
    h->group[i] = h->kind[i] = 0;
    if (!is_clear(m) || !is_regular(s, iv, m)) continue;
    Kind k = kind_of(s, m);
    h->group[i] = number_of(&groups, (uint64_t)m->path * MEM_COUNT + iv->space);
    h->kind[i] = number_of(&numbers, (uint64_t)k.last << 9 | (uint64_t)k.first << 1 | k.loop) - 1;
    if (h->kind[i] == kinds.len) vec_push(&kinds, k);
  }
  h->ngroups = groups.count;
  h->nkinds = kinds.len;
  h->costly = xmalloc(kinds.len * kinds.len + 1);
  for (size_t a = 0; a < kinds.len; a++)
    for (size_t b = 0; b < kinds.len; b++)
      h->costly[a * kinds.len + b] = waits(kinds.data[a], kinds.data[b]);
  map_free(&groups);
  map_free(&numbers);
  vec_free(&kinds);
}

/* ---------------------------------------------------------------- pairs */

int interval_pair_cmp(const void *x, const void *y) {
  const IntervalPair *a = x, *b = y;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return a->b < b->b ? -1 : a->b > b->b;
}

/* Does interval b, lying over a, make a pipe wait? */
static bool pair_waits(const Scan *s, int a, int b) {
  const Summary *x = &s->of[a], *y = &s->of[b];
  if (s->l->intervals.data[a].last > s->l->intervals.data[b].def) return false;
  for (int k = 0; k < PIPE_COUNT; k++) {
    if (x->has_last[k] && k != (int)y->first_pipe && x->last[k].point <= y->first) return true;
    if (!s->loops.data[x->path]) continue;
    if (y->has_last[k] && k != (int)x->first_pipe && y->last[k].point > x->first) return true;
  }
  return false;
}

/* Pairs the intervals that kinds don't tell enough about with all others, one by one. */
static void pair_irregular(const Scan *s, Handoffs *h) {
  int n = (int)s->l->intervals.len;
  for (int i = 0; i < n; i++) {
    const Summary *m = &s->of[i];
    if (!is_clear(m) || h->group[i]) continue;
    for (int k = 0; k < n; k++) {
      const Summary *o = &s->of[k];
      if (k == i || !is_clear(o) || o->path != m->path) continue;
      if (s->l->intervals.data[i].space != s->l->intervals.data[k].space) continue;
      if (pair_waits(s, i, k) || pair_waits(s, k, i)) vec_push(&h->pairs, interval_pair(i, k));
    }
  }
}

static void tidy(IntervalPairs *out, const IntervalPairs *apart) {
  sort_array(out->data, out->len, sizeof *out->data, interval_pair_cmp);
  size_t n = 0;
  for (size_t i = 0; i < out->len; i++) {
    IntervalPair e = out->data[i];
    if (n && interval_pair_cmp(&out->data[n - 1], &e) == 0) continue;
    if (search_array(&e, apart->data, apart->len, sizeof e, interval_pair_cmp)) continue;
    out->data[n++] = e;
  }
  out->len = n;
}

void handoffs_init(Handoffs *h, const Target *target, const Function *f, const Lives *l,
                   const uint64_t *sizes, const IntervalPairs *apart) {
  *h = (Handoffs){0};
  Scan s = {.target = target, .l = l, .sizes = sizes};
  s.of = xmalloc((l->intervals.len + 1) * sizeof *s.of);
  memset(s.of, 0, (l->intervals.len + 1) * sizeof *s.of);
  Visitor v = {.ctx = &s, .stmt = note_item};
  visit_block(&v, f->body);
  vec_push(&s.loops, false);
  vec_push(&s.accessing, 0);
  walk(&s, f->body);
  find_kinds(&s, h);
  pair_irregular(&s, h);
  tidy(&h->pairs, apart);
  for (MapEntry *e = NULL; (e = map_next(&s.items, e));) {
    free(((TupleItems *)e->value)->vars);
    free(e->value);
  }
  map_free(&s.items);
  vec_free(&s.loops);
  vec_free(&s.accessing);
  free(s.of);
}

void handoffs_free(Handoffs *h) {
  free(h->group);
  free(h->kind);
  free(h->costly);
  vec_free(&h->pairs);
}
