#include "passes/util/handoffs.h"

#include <stdlib.h>
#include <string.h>

#include "ir/view.h"
#include "ir/visit.h"
#include "passes/util/memref.h"
#include "passes/util/pipe.h"

/* One reading or writing of an allocation. */
typedef struct Access {
  int order; /* statements so far */
  PipeKind pipe;
  bool write;
} Access;

/* What counts of an allocation's accesses, while all of them are alike. */
typedef struct Summary {
  bool unknown;  /* an access that tells nothing, or not all in one list, or not to the whole */
  bool any;
  int path;      /* the statement list of its accesses; 0: the function's body */
  int first;     /* order of the earliest ones */
  bool first_reads, first_mixed;
  PipeKind first_pipe;
  bool has_last[PIPE_COUNT];
  Access last[PIPE_COUNT];
} Summary;

typedef struct Scan {
  const Target *target;
  const Lives *l;
  const uint64_t *sizes;
  Summary *of;
  Map items;   /* tuple variable -> TupleItems */
  VEC(bool) loops; /* [path]: inside a loop */
  int path, order;
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
  const Expr *target = call->u.call.args[0], *source = call->u.call.args[1], *at = call->u.call.args[2];
  if (!var_base(target) || !var_base(source) || var_base(results[0]) != var_base(target)) return false;
  if (!same_shape(target->type, source->type) || !same_shape(target->type, results[0]->type)) return false;
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
    m->first = a.order;
    m->first_pipe = a.pipe;
  }
  if (a.order == m->first) { /* the walk goes in order, so the first ones come first */
    if (!a.write) m->first_reads = true;
    if (a.pipe != m->first_pipe) m->first_mixed = true;
  }
  Access *last = &m->last[a.pipe];
  if (!m->has_last[a.pipe] || last->order < a.order || (a.write && !last->write)) *last = a;
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
    if (known)
      note_access(s, interval, var, (Access){s->order, pipe, i >= nargs});
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

static void walk(Scan *s, Block b) {
  for (int i = 0; i < b.len; i++) {
    Stmt *t = b.items[i];
    if (t->kind == STMT_ASSIGN) note_value(s, t->u.assign.value, t->u.assign.var);
    if (t->kind == STMT_EVAL) note_value(s, t->u.eval, NULL);
    for (int k = 0; t->kind == STMT_RETURN && k < t->u.ret.len; k++)
      note_value(s, t->u.ret.values[k], NULL);
    if (t->kind == STMT_ASSIGN || t->kind == STMT_EVAL || t->kind == STMT_RETURN) s->order++;
    if (t->kind == STMT_IF) {
      walk_inside(s, t->u.if_.then_body, false);
      if (t->u.if_.has_else) walk_inside(s, t->u.if_.else_body, false);
    }
    if (t->kind == STMT_FOR || t->kind == STMT_WHILE) walk_inside(s, t->u.loop.body, true);
    if (t->kind == STMT_SCOPE) walk(s, t->u.scope.body);
  }
}

static bool is_clear(const Summary *m) {
  return m->any && !m->unknown && !m->first_reads && !m->first_mixed;
}

/* ---------------------------------------------------------------- pairs */

int interval_pair_cmp(const void *x, const void *y) {
  const IntervalPair *a = x, *b = y;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return a->b < b->b ? -1 : a->b > b->b;
}

typedef VEC(int) Ints;

/* Intervals of one statement list that are dead by now, by the pipe of their first and last accesses. */
typedef struct Dead {
  Ints first[PIPE_COUNT], last[PIPE_COUNT];
} Dead;

typedef struct ByPoint {
  int space, point, id;
} ByPoint;

static int by_point(const void *x, const void *y) {
  const ByPoint *a = x, *b = y;
  if (a->space != b->space) return a->space - b->space;
  return a->point != b->point ? (a->point < b->point ? -1 : 1) : a->id - b->id;
}

static void bury(const Scan *s, Map *by_path, int id) {
  const Summary *m = &s->of[id];
  if (!is_clear(m)) return;
  void **slot = map_at(by_path, map_int(m->path + 1));
  if (!*slot) {
    *slot = xmalloc(sizeof(Dead));
    memset(*slot, 0, sizeof(Dead));
  }
  Dead *d = *slot;
  vec_push(&d->first[m->first_pipe], id);
  for (int k = 0; k < PIPE_COUNT; k++)
    if (m->has_last[k]) vec_push(&d->last[k], id);
}

/* Pairs interval `id`, born now, with those dead before it. */
static void pair_with_dead(const Scan *s, const Map *by_path, int id, IntervalPairs *out) {
  const Summary *m = &s->of[id];
  const Dead *d = is_clear(m) ? map_get(by_path, map_int(m->path + 1)) : NULL;
  if (!d) return;
  for (int k = 0; k < PIPE_COUNT; k++) {
    for (size_t i = 0; k != (int)m->first_pipe && i < d->last[k].len; i++) {
      int before = d->last[k].data[i];
      if (s->of[before].last[k].order <= m->first) vec_push(out, interval_pair(before, id));
    }
    if (!s->loops.data[m->path] || !m->has_last[k]) continue;
    for (int other = 0; other < PIPE_COUNT; other++) { /* round the loop: from this one to the next */
      for (size_t i = 0; other != k && i < d->first[other].len; i++) {
        int next = d->first[other].data[i];
        if (m->last[k].order > s->of[next].first) vec_push(out, interval_pair(next, id));
      }
    }
  }
}

static void free_dead(Map *by_path) {
  for (MapEntry *e = NULL; (e = map_next(by_path, e));) {
    Dead *d = e->value;
    for (int k = 0; k < PIPE_COUNT; k++) {
      vec_free(&d->first[k]);
      vec_free(&d->last[k]);
    }
    free(d);
  }
  map_free(by_path);
}

static void pair_all(const Scan *s, IntervalPairs *out) {
  int n = (int)s->l->intervals.len;
  ByPoint *born = xmalloc((size_t)(n + 1) * sizeof *born), *dead = xmalloc((size_t)(n + 1) * sizeof *dead);
  for (int i = 0; i < n; i++) {
    const Interval *iv = &s->l->intervals.data[i];
    born[i] = (ByPoint){iv->space, iv->def, i};
    dead[i] = (ByPoint){iv->space, iv->last, i};
  }
  sort_array(born, (size_t)n, sizeof *born, by_point);
  sort_array(dead, (size_t)n, sizeof *dead, by_point);
  for (int i = 0, k = 0; i < n;) {
    int space = born[i].space;
    Map by_path = {0};
    for (; i < n && born[i].space == space; i++) {
      for (; k < n && dead[k].space == space && dead[k].point <= born[i].point; k++)
        bury(s, &by_path, dead[k].id);
      pair_with_dead(s, &by_path, born[i].id, out);
    }
    while (k < n && dead[k].space == space) k++;
    free_dead(&by_path);
  }
  free(born);
  free(dead);
}

static void tidy(IntervalPairs *out, const IntervalPairs *apart) {
  if (out->len == 0) return;
  sort_array(out->data, out->len, sizeof *out->data, interval_pair_cmp);
  size_t n = 0;
  for (size_t i = 0; i < out->len; i++) {
    IntervalPair e = out->data[i];
    if (e.a == e.b || (n && interval_pair_cmp(&out->data[n - 1], &e) == 0)) continue;
    if (search_array(&e, apart->data, apart->len, sizeof e, interval_pair_cmp)) continue;
    out->data[n++] = e;
  }
  out->len = n;
}

void find_handoffs(const Target *target, const Function *f, const Lives *l, const uint64_t *sizes,
                   const IntervalPairs *apart, IntervalPairs *out) {
  Scan s = {.target = target, .l = l, .sizes = sizes};
  s.of = xmalloc((l->intervals.len + 1) * sizeof *s.of);
  memset(s.of, 0, (l->intervals.len + 1) * sizeof *s.of);
  Visitor v = {.ctx = &s, .stmt = note_item};
  visit_block(&v, f->body);
  vec_push(&s.loops, false);
  walk(&s, f->body);
  pair_all(&s, out);
  tidy(out, apart);
  for (MapEntry *e = NULL; (e = map_next(&s.items, e));) {
    free(((TupleItems *)e->value)->vars);
    free(e->value);
  }
  map_free(&s.items);
  vec_free(&s.loops);
  free(s.of);
}
