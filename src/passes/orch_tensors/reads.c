/* reads.c -- windows of what a kernel only reads. */
#include "passes/orch_tensors/windows.h"

/* An exact read of `tensor`, or false. */
static bool reads(const Stmt *s, const Expr *tensor, Window *out) {
  Access a;
  if (s->kind != STMT_ASSIGN || !access_of(s->u.assign.value, &a)) return false;
  *out = a.window;
  return !a.write && a.tensor == tensor && a.window.rank == tensor->type->rank &&
         access_is_exact(s->u.assign.value);
}

static size_t mentions_in_block(const Mentions *m, Block b) {
  size_t n = 0;
  for (int i = 0; i < b.len; i++) n += mentions_in(m, b.items[i]);
  return n;
}

/* All mentions are at the top of `b`, and read one and the same window. */
static bool read_alike(const Mentions *m, Block b, const Expr *tensor, Window *out) {
  bool found = false;
  for (int i = 0; i < b.len; i++) {
    Window win;
    if (!mentions_in(m, b.items[i])) continue;
    if (!reads(b.items[i], tensor, &win) || (found && !window_same(&win, out))) return false;
    *out = win;
    found = true;
  }
  return found;
}

/* ---------------------------------------------------------------- loops run in thought */

typedef struct ReadRun {
  WindowPass *w;
  const Expr *tensor;
  const Mentions *m;
  Scalars scalars;
  VEC(Window) list;
  int steps; /* statements run so far */
} ReadRun;

static Expr **expand_all(ReadRun *run, Expr *const *list, int n) {
  Expr **out = NEW_ARRAY(run->w->ir->arena, Expr *, n);
  for (int i = 0; i < n; i++)
    out[i] = analyzer_simplify(run->w->an, scalars_expand(&run->scalars, list[i]));
  return out;
}

static bool run_block(ReadRun *run, Block b);

static bool run_loop(ReadRun *run, const Stmt *loop) {
  enum { MAX_TRIPS = 256 };
  size_t all = mentions_in(run->m, loop);
  if (!all) return true;
  int64_t trips;
  Block body = loop->u.loop.body;
  if (all != mentions_in_block(run->m, body) || !known_trips(run->w, loop, &trips) ||
      trips > MAX_TRIPS)
    return false;
  for (int64_t k = 0; k < trips; k++) {
    Expr *value = value_at_trip(run->w, loop, k);
    if (!value) return false;
    value = analyzer_simplify(run->w->an, scalars_expand(&run->scalars, value));
    map_set(&run->scalars.values, loop->u.loop.var, value);
    if (!run_block(run, body)) return false;
  }
  map_remove(&run->scalars.values, loop->u.loop.var);
  return true;
}

static bool run_block(ReadRun *run, Block b) {
  enum { MAX_READS = 512, MAX_STEPS = 1 << 20 };
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    if (s->kind == STMT_FOR) {
      if (!run_loop(run, s)) return false;
      continue;
    }
    if (mentions_in(run->m, s)) {
      Window win;
      if (!reads(s, run->tensor, &win) || run->list.len == MAX_READS) return false;
      win.shape = expand_all(run, win.shape, win.rank);
      win.at = expand_all(run, win.at, win.rank);
      vec_push(&run->list, win);
    }
    if (s->kind == STMT_ASSIGN) scalars_note(&run->scalars, s, true);
    if (++run->steps > MAX_STEPS) return false;
  }
  return true;
}

/* The box around all reads. */
static bool read_box(WindowPass *w, Block body, const Expr *tensor, const Mentions *m,
                     Window *out) {
  ReadRun run = {.w = w, .tensor = tensor, .m = m, .scalars = {.w = w}};
  BoundingBox box = {0};
  int rank = tensor->type->rank;
  bool ok = run_block(&run, body) && run.list.len;
  for (size_t k = 0; ok && k < run.list.len; k++)
    for (int i = 0; ok && i < rank; i++) {
      const Window *win = &run.list.data[k];
      ok = bounding_add(w, &box, rank, i, win->at[i], simplified_sum(w, win->at[i], win->shape[i]));
    }
  ok = ok && bounding_window(w, &box, out) &&
       (run.list.len > 1 || !window_same(&run.list.data[0], out));
  map_free(&run.scalars.values);
  vec_free(&run.list);
  return ok;
}

static bool may_narrow(WindowPass *w, const Function *f, const Expr *tensor, const Window *win) {
  return !window_is_whole(win, tensor->type) && window_type(w->ir, tensor->type, win, false) &&
         caller_can_compute_window(f, win);
}

static bool is_input(const Function *f, int i) {
  return f->dirs[i] == PARAM_IN && f->params[i]->type->kind == TYPE_TENSOR;
}

void find_read_windows(WindowPass *w, WindowPlan *plan) {
  const Function *f = plan->kernel;
  for (int i = 0; f->nreturns && i < f->nparams; i++) {
    if (!is_input(f, i)) continue;
    Mentions m;
    Window win;
    mentions_find(&m, f->body, f->params[i]);
    if (m.total &&
        ((read_alike(&m, f->body, f->params[i], &win) && may_narrow(w, f, f->params[i], &win)) ||
         (read_box(w, f->body, f->params[i], &m, &win) && may_narrow(w, f, f->params[i], &win))))
      vec_push(&plan->ins, (InWindow){i, win});
    mentions_free(&m);
  }
}

/* ---------------------------------------------------------------- what one loop sweeps */

/* The window that `read`, at the top of the loop's body, sweeps; `local`: its offset relative to that. */
static bool sweep(WindowPass *w, const Function *f, const Stmt *loop, int64_t trips,
                  Scalars *scalars, const Window *read, Window *out, Expr **local) {
  Expr *var = loop->u.loop.var, *first = value_at_trip(w, loop, 0),
       *last = value_at_trip(w, loop, trips - 1);
  BoundingBox box = {0};
  bool moves = false;
  for (int i = 0; i < read->rank; i++) {
    Expr *at = scalars_expand(scalars, read->at[i]);
    LoopOffsets ends;
    if (!caller_can_compute(f, var, at) || !first || !last ||
        !loop_offsets(w, at, loop, first, last, &ends))
      return false;
    if (!bounding_add(w, &box, read->rank, i, ends.least,
                      simplified_sum(w, ends.most, read->shape[i])))
      return false;
    moves |= !expr_same(ends.least, ends.most);
    local[i] = simplified_difference(w, read->at[i], ends.least);
  }
  return moves && bounding_window(w, &box, out);
}

static bool find_sweep(WindowPass *w, const Function *f, const Stmt *loop, int64_t trips,
                       Scalars *scalars, const Expr *tensor, Window *out) {
  Mentions m;
  mentions_find(&m, f->body, tensor);
  Block body = loop->u.loop.body;
  int rank = tensor->type->rank;
  bool ok = m.total && m.total == mentions_in_block(&m, body), found = false;
  Expr **local = NEW_ARRAY(w->ir->arena, Expr *, rank),
       **first_local = NEW_ARRAY(w->ir->arena, Expr *, rank);
  for (int i = 0; ok && i < body.len; i++) {
    Window read, win;
    if (!mentions_in(&m, body.items[i])) continue;
    ok = reads(body.items[i], tensor, &read) &&
         sweep(w, f, loop, trips, scalars, &read, &win, local) &&
         window_type(w->ir, tensor->type, &win, false);
    if (!ok) break;
    if (found)
      ok = window_same(&win, out) &&
           window_same(&(Window){win.shape, local, rank}, &(Window){win.shape, first_local, rank});
    else
      memcpy(first_local, local, sizeof *local * (size_t)rank);
    *out = win;
    found = true;
  }
  mentions_free(&m);
  return ok && found && caller_can_compute_window(f, out);
}

void find_swept_windows(WindowPass *w, WindowPlan *plan) {
  const Function *f = plan->kernel;
  const Stmt *loop = f->body.items[plan->loop];
  int64_t trips;
  if (!known_trips(w, loop, &trips) || trips <= 0) return;
  Scalars scalars = {.w = w};
  for (int i = 0; i < loop->u.loop.body.len; i++)
    if (loop->u.loop.body.items[i]->kind == STMT_ASSIGN)
      scalars_note(&scalars, loop->u.loop.body.items[i], false);
  size_t known = plan->ins.len;
  for (int i = 0; i < f->nparams; i++) {
    bool done = !is_input(f, i);
    for (size_t k = 0; k < known; k++) done |= plan->ins.data[k].param == i;
    Window win;
    if (!done && find_sweep(w, f, loop, trips, &scalars, f->params[i], &win))
      vec_push(&plan->ins, (InWindow){i, win});
  }
  map_free(&scalars.values);
}
