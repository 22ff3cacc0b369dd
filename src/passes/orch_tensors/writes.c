/* writes.c -- windows of what a kernel writes. */
#include "ir/visit.h"
#include "passes/orch_tensors/windows.h"

/* The first `return` at the top of the body, or NULL. */
static const Stmt *first_return(const Function *f) {
  for (int i = 0; i < f->body.len; i++)
    if (f->body.items[i]->kind == STMT_RETURN) return f->body.items[i];
  return NULL;
}

static int returned_at(const Stmt *ret, const Expr *value) {
  for (int i = 0; i < ret->u.ret.len; i++)
    if (ret->u.ret.values[i] == value) return i;
  return -1;
}

static bool count_var(Visitor *v, Expr *e) {
  Map *count = v->ctx;
  if (map_has(count, e)) map_set(count, e, map_int(map_get_int(count, e) + 1));
  return true;
}

/* How often the body uses the variable. */
static intptr_t uses_of(const Function *f, const Expr *var) {
  Map count = {0};
  map_set(&count, var, map_int(0));
  Visitor v = {.ctx = &count, .expr = count_var};
  visit_block(&v, f->body);
  intptr_t n = map_get_int(&count, var);
  map_free(&count);
  return n;
}

/* A store into `param` at the top of the body, or false. */
static bool stores_into(const Stmt *s, const Expr *param, Window *out) {
  Access a;
  if (s->kind != STMT_ASSIGN || !expr_is_op(s->u.assign.value, OP_TILE_STORE)) return false;
  if (!access_of(s->u.assign.value, &a) || a.tensor != param) return false;
  *out = a.window;
  return true;
}

/* ---------------------------------------------------------------- one store */

/* Besides the store, and besides `ret` (may be NULL), nothing mentions the parameter; of an InOut parameter the
 * same box may be read. */
static bool only_stored(const Function *f, int param, const Mentions *m, const Stmt *store,
                        const Window *win, const Stmt *ret) {
  for (int i = 0; i < f->body.len; i++) {
    const Stmt *s = f->body.items[i];
    if (s == store || s == ret || !mentions_in(m, s)) continue;
    Access a;
    if (f->dirs[param] != PARAM_INOUT || s->kind != STMT_ASSIGN ||
        !access_of(s->u.assign.value, &a) || a.write || a.tensor != f->params[param] ||
        !access_is_exact(s->u.assign.value) || !window_same(&a.window, win))
      return false;
  }
  return true;
}

static const Stmt *store_bound_to(const Function *f, const Expr *var, const Expr *param,
                                  Window *win) {
  for (int i = f->body.len; i-- > 0;) {
    const Stmt *s = f->body.items[i];
    if (s->kind == STMT_ASSIGN && s->u.assign.var == var)
      return stores_into(s, param, win) ? s : NULL;
  }
  return NULL;
}

/* The store whose result is returned, or whose parameter is; with *position. */
static const Stmt *final_store(const Function *f, int param, const Mentions *m, Window *win,
                               int *position) {
  const Stmt *ret = first_return(f);
  for (int i = 0; ret && i < ret->u.ret.len; i++) {
    const Stmt *store = store_bound_to(f, ret->u.ret.values[i], f->params[param], win);
    if (!store) continue;
    *position = i;
    return only_stored(f, param, m, store, win, NULL) && uses_of(f, store->u.assign.var) == 1
               ? store
               : NULL;
  }
  *position = ret ? returned_at(ret, f->params[param]) : -1;
  if (*position < 0 || mentions_in(m, ret) != 1) return NULL;
  for (int i = 0; i < f->body.len; i++) {
    const Stmt *s = f->body.items[i];
    if (stores_into(s, f->params[param], win) && only_stored(f, param, m, s, win, ret))
      return uses_of(f, s->u.assign.var) == 0 ? s : NULL;
  }
  return NULL;
}

bool find_stored_window(WindowPass *w, const Function *f, int param, OutWindow *out) {
  Mentions m;
  Window win;
  mentions_find(&m, f->body, f->params[param]);
  *out = (OutWindow){.param = param, .npieces = 1};
  bool ok = final_store(f, param, &m, &win, &out->position) != NULL;
  mentions_free(&m);
  if (!ok) return false;
  out->pieces = COPY_ARRAY(w->ir->arena, Window, &win, 1);
  out->whole = window_is_whole(&win, f->params[param]->type);
  return true;
}

/* ---------------------------------------------------------------- a loop that carries outputs */

/* A parameter that the loop carries: which of the carried values, and where it is returned. */
typedef struct Carried {
  int param, index, position;
} Carried;

typedef struct Update {
  const Expr *result; /* the variable that a write gives */
  Window window;
} Update;

/* What is done with one carried value in the loop. */
typedef struct Chain {
  Carried carried;
  const Expr *tail; /* who stands for it here */
  VEC(Update) writes;
  VEC(Window) reads;
} Chain;

typedef struct LoopScan {
  WindowPass *w;
  const Function *f;
  const Stmt *loop;
  int64_t trips;
  Expr *first, *last; /* the loop variable's values */
  VEC(Chain) chains;
  Scalars scalars;
  Map handed;     /* all variables that stood for a carried value */
  Map recognized; /* statements that read or write one */
  int accesses;   /* so far, those in inner loops once per iteration */
} LoopScan;

static int carries(const Stmt *loop, const Expr *first) {
  for (int i = 0; i < loop->u.loop.ncarried && i < loop->u.loop.nresults; i++)
    if (loop->u.loop.iter_args[i]->u.var.init == first) return i;
  return -1;
}

/* The outputs among what the loop carries. */
static void find_carried(LoopScan *ls, const Stmt *loop, const Stmt *ret) {
  const Function *f = ls->f;
  for (int i = 0; i < f->nparams; i++) {
    if (f->dirs[i] != PARAM_OUT && f->dirs[i] != PARAM_INOUT) continue;
    int index = carries(loop, f->params[i]);
    int position = returned_at(ret, f->params[i]);
    if (index >= 0 && position < 0) position = returned_at(ret, loop->u.loop.results[index]);
    if (index >= 0 && position >= 0)
      vec_push(&ls->chains, (Chain){.carried = {i, index, position}});
  }
}

/* The index of the only loop that carries outputs, or -1. */
static int find_loop(LoopScan *ls) {
  const Function *f = ls->f;
  const Stmt *ret = f->body.len ? f->body.items[f->body.len - 1] : NULL;
  int at = -1;
  if (!ret || ret->kind != STMT_RETURN) return -1;
  for (int i = 0; i < f->body.len; i++) {
    size_t before = ls->chains.len;
    if (f->body.items[i]->kind != STMT_FOR) continue;
    find_carried(ls, f->body.items[i], ret);
    if (ls->chains.len == before) continue;
    if (before) return -1;
    at = i;
  }
  return at;
}

static bool scan_body(LoopScan *ls, Block b, const Stmt **yield);

static const Expr *expanded_at(LoopScan *ls, const Stmt *s, const Access *a, Window *out) {
  Expr **at = NEW_ARRAY(ls->w->ir->arena, Expr *,
                        s->u.assign.value->u.call.args[a->offset_arg]->u.tuple.len);
  for (int i = 0; i < a->window.rank; i++) at[i] = scalars_expand(&ls->scalars, a->window.at[i]);
  *out = (Window){a->window.shape, at, a->window.rank};
  return s->u.assign.var;
}

/* Notes a read or write of a carried value; false if the statement is none. */
static bool scan_access(LoopScan *ls, const Stmt *s) {
  Access a;
  if (!access_of(s->u.assign.value, &a)) return false;
  for (size_t k = 0; k < ls->chains.len; k++) {
    Chain *c = &ls->chains.data[k];
    Window win;
    if (c->tail != a.tensor) continue;
    const Expr *result = expanded_at(ls, s, &a, &win);
    if (a.write) {
      vec_push(&c->writes, (Update){result, win});
      c->tail = result;
      map_set(&ls->handed, result, map_int(1));
    } else {
      vec_push(&c->reads, win);
    }
    map_set(&ls->recognized, s, map_int(1));
    ls->accesses++;
    return true;
  }
  return false;
}

/* An inner loop that carries tails on; `inner`: which of its carried values each chain is, or -1. */
static bool scan_trips(LoopScan *ls, const Stmt *loop, const int *inner, int64_t trips) {
  for (int64_t t = 0; t < trips; t++) {
    Expr *value = value_at_trip(ls->w, loop, t);
    if (!value) return false;
    map_set(&ls->scalars.values, loop->u.loop.var, scalars_expand(&ls->scalars, value));
    for (size_t k = 0; k < ls->chains.len; k++) {
      ls->chains.data[k].tail = inner[k] < 0 ? NULL : loop->u.loop.iter_args[inner[k]];
      if (inner[k] >= 0) map_set(&ls->handed, ls->chains.data[k].tail, map_int(1));
    }
    const Stmt *yield = NULL;
    if (!scan_body(ls, loop->u.loop.body, &yield) || !yield ||
        yield->u.ret.len != loop->u.loop.nresults)
      return false;
    for (size_t k = 0; k < ls->chains.len; k++)
      if (inner[k] >= 0 && yield->u.ret.values[inner[k]] != ls->chains.data[k].tail) return false;
  }
  map_remove(&ls->scalars.values, loop->u.loop.var);
  return true;
}

static bool scan_inner(LoopScan *ls, const Stmt *loop) {
  enum { MAX_TRIPS = 32 };
  size_t n = ls->chains.len;
  int *inner = NEW_ARRAY(ls->w->ir->arena, int, n);
  const Expr **tails = NEW_ARRAY(ls->w->ir->arena, const Expr *, n);
  bool any = false;
  for (size_t k = 0; k < n; k++) {
    tails[k] = ls->chains.data[k].tail;
    inner[k] = tails[k] ? carries(loop, tails[k]) : -1;
    any |= inner[k] >= 0;
  }
  if (!any) return true;
  int64_t trips;
  if (!known_trips(ls->w, loop, &trips) || trips > MAX_TRIPS ||
      loop->u.loop.ncarried != loop->u.loop.nresults || !scan_trips(ls, loop, inner, trips))
    return false;
  for (size_t k = 0; k < n; k++) {
    ls->chains.data[k].tail = inner[k] < 0 ? tails[k] : loop->u.loop.results[inner[k]];
    if (inner[k] >= 0) map_set(&ls->handed, ls->chains.data[k].tail, map_int(1));
  }
  return true;
}

/* Follows the carried values through a body; *yield is its yield. */
static bool scan_body(LoopScan *ls, Block b, const Stmt **yield) {
  enum { MAX_ACCESSES = 4096 };
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    if (s->kind == STMT_ASSIGN) {
      if (!scan_access(ls, s)) scalars_note(&ls->scalars, s, false);
    } else if (s->kind == STMT_FOR) {
      if (!scan_inner(ls, s)) return false;
    } else if (s->kind == STMT_YIELD) {
      if (*yield) return false;
      *yield = s;
    }
    if (ls->accesses > MAX_ACCESSES) return false;
  }
  return true;
}

/* ---------------------------------------------------------------- uses of carried values */

/* How often each variable occurs, bound or used; using a carried value counts for what it starts as, too. */
typedef struct Uses {
  const LoopScan *ls;
  Map count;
  bool stray; /* a carried value is used by a statement that was not recognized */
  bool known; /* the statement at hand was */
} Uses;

static void count_use(Uses *u, const Expr *var) {
  for (; var->kind == EXPR_VAR; var = var->u.var.init) {
    map_set(&u->count, var, map_int(map_get_int(&u->count, var) + 1));
    u->stray |= !u->known && map_has(&u->ls->handed, var);
    if (!var->u.var.is_iter_arg) return;
  }
}

static bool use_expr(Visitor *v, Expr *e) {
  if (e->kind == EXPR_VAR) count_use(v->ctx, e);
  return true;
}

static void use_def(Visitor *v, Expr *var) {
  Uses *u = v->ctx;
  map_set(&u->count, var, map_int(map_get_int(&u->count, var) + 1));
}

/* Yields and the headers of loops may use carried values: the scan has looked at them. */
static bool use_stmt(Visitor *v, Stmt *s) {
  Uses *u = v->ctx;
  u->known = s->kind == STMT_YIELD || s->kind == STMT_FOR || map_has(&u->ls->recognized, s);
  return true;
}

/* Of each write the result is used at most once; of what the loop carries, nothing else is done. */
static bool count_uses(LoopScan *ls, Uses *u) {
  *u = (Uses){.ls = ls};
  Visitor v = {.ctx = u, .expr = use_expr, .stmt = use_stmt, .def = use_def};
  visit_block(&v, ls->loop->u.loop.body);
  return !u->stray;
}

static bool used_in_line(const Uses *u, const Chain *c) {
  for (size_t i = 0; i < c->writes.len; i++)
    if (map_get_int(&u->count, c->writes.data[i].result) > 2) return false;
  return true;
}

/* Nothing but the loop's header mentions the parameter, and either it or the loop's result is returned, once. */
static bool only_carried(const LoopScan *ls, const Chain *c) {
  const Function *f = ls->f;
  const Expr *param = f->params[c->carried.param];
  Mentions m;
  mentions_find(&m, f->body, param);
  intptr_t returned = uses_of(f, ls->loop->u.loop.results[c->carried.index]);
  bool ok = true;
  for (int i = 0; i < f->body.len; i++) {
    const Stmt *s = f->body.items[i];
    if (s->kind == STMT_RETURN)
      returned += (intptr_t)mentions_in(&m, s);
    else if (s != ls->loop)
      ok &= !mentions_in(&m, s);
  }
  mentions_free(&m);
  ok &= returned == 1;
  Uses u = {.ls = ls, .known = true};
  Visitor v = {.ctx = &u, .expr = use_expr};
  visit_block(&v, ls->loop->u.loop.body);
  /* Uses of the carried value count for it; so it must itself be used as often. */
  ok &= map_get_int(&u.count, param) ==
        map_get_int(&u.count, ls->loop->u.loop.iter_args[c->carried.index]);
  map_free(&u.count);
  return ok;
}

static void *window_key(const Window *win) {
  uint64_t h = 1;
  for (int i = 0; i < win->rank; i++)
    h = hash_mix(hash_mix(h, expr_hash(win->shape[i])), expr_hash(win->at[i]));
  return (void *)(uintptr_t)h;
}

static bool reads_what_it_writes(const Chain *c) {
  Map by_hash = {0};
  for (size_t i = 0; i < c->writes.len; i++)
    map_set(&by_hash, window_key(&c->writes.data[i].window), &c->writes.data[i].window);
  bool ok = true;
  for (size_t i = 0; ok && i < c->reads.len; i++) {
    const Window *win = &c->reads.data[i], *same = map_get(&by_hash, window_key(win));
    ok = same && window_same(win, same);
  }
  map_free(&by_hash);
  return ok;
}

/* ---------------------------------------------------------------- the window */

static const Type *tensor_of(const LoopScan *ls, const Chain *c) {
  return ls->f->params[c->carried.param]->type;
}

/* The box that iteration with the loop variable at `value` writes, if its writes cover it exactly; *boxes gets
 * the writes' boxes. */
static bool iteration_box(LoopScan *ls, const Chain *c, Expr *value, BoundingBox *box,
                          Window *boxes) {
  WindowPass *w = ls->w;
  int rank = tensor_of(ls, c)->rank;
  for (size_t k = 0; k < c->writes.len; k++) {
    const Window *win = &c->writes.data[k].window;
    if (win->rank != rank) return false;
    Expr **at = NEW_ARRAY(w->ir->arena, Expr *, rank);
    for (int i = 0; i < rank; i++) {
      if (!caller_can_compute(ls->f, ls->loop->u.loop.var, win->at[i])) return false;
      at[i] = with_value(w, win->at[i], ls->loop->u.loop.var, value);
      if (!bounding_add(w, box, rank, i, at[i], simplified_sum(w, at[i], win->shape[i])))
        return false;
    }
    boxes[k] = (Window){win->shape, at, rank};
  }
  return true;
}

/* One piece per iteration, or 0. */
static int find_pieces(LoopScan *ls, const Chain *c, Window **out) {
  enum { MAX_PIECES = 32 };
  WindowPass *w = ls->w;
  if (ls->trips > MAX_PIECES) return 0;
  Window *pieces = NEW_ARRAY(w->ir->arena, Window, ls->trips);
  Window *boxes = NEW_ARRAY(w->ir->arena, Window, c->writes.len);
  for (int t = 0; t < (int)ls->trips; t++) {
    BoundingBox box = {0};
    Expr *value = value_at_trip(w, ls->loop, t);
    if (!value || !iteration_box(ls, c, value, &box, boxes) ||
        !bounding_window(w, &box, &pieces[t]) ||
        !windows_cover(w, boxes, c->writes.len, &pieces[t]))
      return 0;
    for (int k = 0; k < t; k++)
      if (!windows_apart(w, &pieces[k], &pieces[t])) return 0;
  }
  *out = pieces;
  return (int)ls->trips;
}

/* The box around all iterations; *moves[i]: its dimension i moves with the loop. */
static bool sweep_box(LoopScan *ls, const Chain *c, BoundingBox *box, bool *moves) {
  WindowPass *w = ls->w;
  int rank = tensor_of(ls, c)->rank;
  for (size_t k = 0; k < c->writes.len; k++) {
    const Window *win = &c->writes.data[k].window;
    if (win->rank != rank || !window_is_constant(win)) return false;
    for (int i = 0; i < rank; i++) {
      LoopOffsets ends;
      if (!caller_can_compute(ls->f, ls->loop->u.loop.var, win->at[i]) ||
          !loop_offsets(w, win->at[i], ls->loop, ls->first, ls->last, &ends))
        return false;
      moves[i] |= !expr_same(ends.least, ends.most);
      if (!bounding_add(w, box, rank, i, ends.least, simplified_sum(w, ends.most, win->shape[i])))
        return false;
    }
  }
  return true;
}

typedef enum Sweep { SWEEP_DENSE, SWEEP_OTHER, SWEEP_NEVER } Sweep;

/* Is what the loop writes one dense box?  SWEEP_NEVER: two dimensions move, so pieces are no way either. */
static Sweep dense_window(LoopScan *ls, const Chain *c, Window *out) {
  WindowPass *w = ls->w;
  int rank = tensor_of(ls, c)->rank, moving = 0;
  BoundingBox all = {0}, once = {0};
  Window first, *boxes = NEW_ARRAY(w->ir->arena, Window, c->writes.len);
  bool *moves = NEW_ARRAY(w->ir->arena, bool, rank + 1), ok = true;
  if (!sweep_box(ls, c, &all, moves) || !iteration_box(ls, c, ls->first, &once, boxes))
    return SWEEP_OTHER;
  for (int i = 0; ok && i < rank; i++) {
    int64_t extent, step;
    if (!bounding_extent(w, &all, i, &extent)) return moving > 1 ? SWEEP_NEVER : SWEEP_OTHER;
    moving += moves[i];
    ok = bounding_extent(w, &once, i, &step) &&
         (!moves[i] || (!__builtin_mul_overflow(step, ls->trips, &step) && extent == step));
  }
  if (moving > 1) return SWEEP_NEVER;
  ok = ok && bounding_window(w, &once, &first) && windows_cover(w, boxes, c->writes.len, &first) &&
       bounding_window(w, &all, out);
  return ok ? SWEEP_DENSE : SWEEP_OTHER;
}

static void find_chain_window(LoopScan *ls, const Chain *c, const Uses *u, WindowPlan *plan) {
  const Stmt *yield = block_yield(ls->loop->u.loop.body);
  const Type *type = tensor_of(ls, c);
  if (!c->writes.len || yield->u.ret.values[c->carried.index] != c->tail ||
      type->kind != TYPE_TENSOR)
    return;
  if (!only_carried(ls, c) || !used_in_line(u, c) || !reads_what_it_writes(c)) return;
  OutWindow o = {.param = c->carried.param, .position = c->carried.position};
  Window win;
  Sweep how = dense_window(ls, c, &win);
  if (how == SWEEP_DENSE) {
    o.pieces = COPY_ARRAY(ls->w->ir->arena, Window, &win, 1);
    o.npieces = 1;
    o.whole = window_is_whole(&win, type);
  } else if (how == SWEEP_OTHER) {
    o.npieces = find_pieces(ls, c, &o.pieces);
  }
  if (o.npieces) vec_push(&plan->outs, o);
}

static void start_chains(LoopScan *ls) {
  for (size_t k = 0; k < ls->chains.len; k++) {
    Chain *c = &ls->chains.data[k];
    c->tail = ls->loop->u.loop.iter_args[c->carried.index];
    map_set(&ls->handed, c->tail, map_int(1));
  }
}

/* A loop between constants must count upwards. */
static bool may_run(LoopScan *ls) {
  int64_t stop, step;
  if (expr_const_int(ls->loop->u.loop.stop, &stop) &&
      expr_const_int(ls->loop->u.loop.step, &step) && step <= 0)
    return false;
  if (!known_trips(ls->w, ls->loop, &ls->trips) || ls->trips <= 0) return false;
  ls->first = value_at_trip(ls->w, ls->loop, 0);
  ls->last = value_at_trip(ls->w, ls->loop, ls->trips - 1);
  return ls->first && ls->last;
}

void find_looped_windows(WindowPass *w, WindowPlan *plan) {
  LoopScan ls = {.w = w, .f = plan->kernel, .scalars = {.w = w}};
  int at = find_loop(&ls);
  ls.loop = at >= 0 ? plan->kernel->body.items[at] : NULL;
  const Stmt *yield = NULL;
  Uses u = {0};
  if (ls.loop && ls.loop->u.loop.ncarried == ls.loop->u.loop.nresults && may_run(&ls)) {
    start_chains(&ls);
    if (scan_body(&ls, ls.loop->u.loop.body, &yield) && yield &&
        yield == block_yield(ls.loop->u.loop.body) &&
        yield->u.ret.len == ls.loop->u.loop.nresults && count_uses(&ls, &u))
      for (size_t k = 0; k < ls.chains.len; k++)
        find_chain_window(&ls, &ls.chains.data[k], &u, plan);
  }
  if (plan->outs.len) plan->loop = at;
  for (size_t k = 0; k < ls.chains.len; k++) {
    vec_free(&ls.chains.data[k].writes);
    vec_free(&ls.chains.data[k].reads);
  }
  vec_free(&ls.chains);
  map_free(&ls.scalars.values);
  map_free(&ls.handed);
  map_free(&ls.recognized);
  map_free(&u.count);
}
