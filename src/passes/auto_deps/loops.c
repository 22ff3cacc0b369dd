/* Loops: section Loops of the page. */
#include <string.h>

#include "ir/calls.h"
#include "passes/auto_deps/auto_deps.h"

/* A carried tensor. */
typedef struct Carry {
  Expr *root, *value, *result;
  Map reached; /* ids of the body that the task of `value` waits for, itself included */
} Carry;

/* Versions of one name: the generator finds the ids of a carried value by it. */
static bool same_base(const Expr *a, const Expr *b) {
  const char *x = a->u.var.name, *y = b->u.var.name, *end = strstr(x, "__");
  size_t n = end ? (size_t)(end - x) : strlen(x);
  return strncmp(x, y, n) == 0 && (y[n] == '\0' || strncmp(y + n, "__", 2) == 0);
}

static bool surely_runs(const Stmt *s) {
  int64_t trips;
  return loop_trip_count(s, &trips) && trips > 0;
}

/* The tasks that the one of `c->value` waits for in the same run of the body, also through others;
 * what a task in a branch waits for need not have been waited for. */
static void find_reached(const Derive *d, Carry *c, int block) {
  map_set(&c->reached, c->value, NULL);
  for (MapEntry *e = NULL; (e = map_next(&c->reached, e));) {
    const Task *t = map_get(&d->by_id, e->key);
    size_t at = (size_t)(e - c->reached.entries);
    if (t && t->block == block) {
      const Launch *l = t->call->u.call.launch;
      for (size_t i = 0; i < t->edges.len; i++) map_set(&c->reached, t->edges.data[i], NULL);
      for (int i = 0; l && i < l->ndeps; i++) map_set(&c->reached, l->deps[i], NULL);
    }
    e = &c->reached.entries[at]; /* they may have moved */
  }
}

/* Are all uses in the body over when the task that ends a carry is?  The carried value itself is
 * one, of the run before. */
static bool all_reached(const UseList *l, const Carry *c, const Expr *arg, int block) {
  for (size_t i = l->len; i > 0 && l->data[i - 1].block >= block; i--) {
    const Expr *id = l->data[i - 1].id;
    if (id != arg && (!id || !map_has(&c->reached, id))) return false;
  }
  return true;
}

/* A carried tensor that stays one buffer and ends with a plain call of the body itself. */
static bool carry_fits(Derive *d, const Stmt *s, int k, Carry *c, int block) {
  const Expr *arg = s->u.loop.iter_args[k];
  const Task *t = expr_is_var(c->value) ? map_get(&d->by_id, c->value) : NULL;
  if (!t || t->block != block || !type_is_tensor(c->value->type)) return false;
  if (!same_base(arg, c->value) || !same_base(arg, c->result)) return false;
  if (s->u.loop.kind != FOR_PARALLEL && !surely_runs(s)) return false;
  Place at = auto_deps_place(d, arg), ends = auto_deps_place(d, c->value);
  if (!c->root || ends.root != c->root || ends.region != at.region) return false;
  const Uses *u = auto_deps_uses(d, c->root);
  find_reached(d, c, block);
  return all_reached(&u->reads, c, arg, block) && all_reached(&u->writes, c, arg, block);
}

static void drop_inner(UseList *l, int block) {
  while (l->len && vec_last(l).block >= block) l->len--;
}

/* What the body did to a carried buffer is over when its last tasks are, in all iterations. */
static void close_carry(Derive *d, const Stmt *s, const Carry *c, int block) {
  Uses *u = auto_deps_uses(d, c->root);
  drop_inner(&u->reads, block);
  drop_inner(&u->writes, block);
  /* The task waited for these in the first iteration. */
  if (surely_runs(s)) auto_deps_retire(d, c->root, auto_deps_place(d, c->value).region);
  vec_push(&u->writes, auto_deps_use(d, c->result, &region_opaque));
}

static void rename_reached(const Derive *d, UseList *l, const Carry *c, int block) {
  for (size_t i = l->len; i > 0; i--) {
    Use *u = &l->data[i - 1];
    if (u->block < block) return;
    if (u->id && map_has(&c->reached, u->id)) *u = auto_deps_use(d, c->result, u->region);
  }
}

/* The buffers that the body used, each once. */
static Map touched_since(const Derive *d, size_t mark) {
  Map roots = {0};
  for (size_t i = mark; i < d->touched.len; i++) map_set(&roots, d->touched.data[i], NULL);
  return roots;
}

/* May iterations write a buffer that they do not carry?  One made inside is another each time. */
static void check_uncarried(Derive *d, const Map *roots, const Map *carried, int block) {
  for (MapEntry *e = NULL; (e = map_next(roots, e));) {
    if (map_get_int(&d->made_in, e->key) >= block || map_has(carried, e->key)) continue;
    const Uses *u = auto_deps_uses(d, e->key);
    if (u->writes.len && vec_last(&u->writes).block >= block) auto_deps_fail(d);
  }
}

static void close_loop(Derive *d, const Stmt *s, int block, size_t mark) {
  Stmt *y = block_yield(unwrap_auto_scope(d->ir, s->u.loop.body));
  int n = 0;
  Carry *carries = NEW_ARRAY(d->ir->arena, Carry, s->u.loop.ncarried);
  Map carried = {0}, roots = touched_since(d, mark);
  for (int i = 0; i < s->u.loop.ncarried && !d->failed; i++) {
    Expr *arg = s->u.loop.iter_args[i];
    if (!type_is_tensor(arg->type)) continue;
    Carry *c = &carries[n++];
    *c = (Carry){.root = auto_deps_place(d, arg).root, .result = s->u.loop.results[i]};
    if (y && i < y->u.ret.len) c->value = y->u.ret.values[i];
    if (c->value && carry_fits(d, s, i, c, block))
      map_set(&carried, c->root, NULL);
    else
      auto_deps_fail(d);
  }
  if (!d->failed && s->u.loop.kind != FOR_PARALLEL) check_uncarried(d, &roots, &carried, block);
  for (int i = 0; i < n && !d->failed; i++) close_carry(d, s, &carries[i], block);
  for (int i = 0; i < n && !d->failed; i++) {
    for (MapEntry *e = NULL; (e = map_next(&roots, e));) {
      Uses *u = auto_deps_uses(d, e->key);
      rename_reached(d, &u->reads, &carries[i], block);
      rename_reached(d, &u->writes, &carries[i], block);
    }
  }
  for (int i = 0; i < n; i++) map_free(&carries[i].reached);
  map_free(&carried);
  map_free(&roots);
}

/* On entry, a carried tensor is what the iteration before left. */
static void open_carries(Derive *d, const Stmt *s) {
  bool parallel = s->u.loop.kind == FOR_PARALLEL;
  if (!parallel && s->u.loop.kind != FOR_RANGE) auto_deps_fail(d);
  for (int i = 0; i < s->u.loop.ncarried && !d->failed; i++) {
    Expr *arg = s->u.loop.iter_args[i];
    if (!type_is_tensor(arg->type)) {
      if (arg->type->kind == TYPE_ARRAY || arg->type->dtype == DT_TASK_ID) auto_deps_fail(d);
      continue;
    }
    Expr *root = auto_deps_place(d, arg).root;
    if (!root) {
      auto_deps_fail(d);
    } else if (!parallel) {
      vec_push(&auto_deps_uses(d, root)->writes, auto_deps_use(d, arg, &region_opaque));
      vec_push(&d->touched, root);
    }
  }
}

void auto_deps_for(Derive *d, const Stmt *s) {
  size_t mark = d->touched.len;
  int block = auto_deps_enter(d);
  vec_push(&d->loops, block);
  open_carries(d, s);
  auto_deps_walk(d, s->u.loop.body);
  d->loops.len--;
  auto_deps_leave(d);
  if (!d->failed) close_loop(d, s, block, mark);
  if (d->loops.len == 1) d->touched.len = 0;
}
