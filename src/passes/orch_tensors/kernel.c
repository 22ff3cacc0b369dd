/* kernel.c -- the narrow copy of a kernel. */
#include "ir/rewrite.h"
#include "passes/orch_tensors/windows.h"
#include "passes/util/clone.h"
#include "passes/util/retype.h"

/* ---------------------------------------------------------------- calls in offsets */

typedef struct Temps {
  WindowPass *w;
  Name prefix;
  Span span;
  StmtList *out;
} Temps;

static Expr *call_to_temp(Rewriter *r, Expr *e) {
  Temps *t = r->ctx;
  Expr *n = rewrite_expr_children(r, e);
  if (!expr_is_call(n)) return n;
  Expr *var =
      expr_var(r->ir, name_printf(&r->ir->names, "%s__expr_tmp_%d", t->prefix, t->w->temps++),
               n->type, n->span);
  vec_push(t->out, stmt_assign(r->ir, var, n, n->span));
  return var;
}

Expr *calls_to_temps(WindowPass *w, Expr *e, Name prefix, StmtList *out) {
  Temps t = {.w = w, .prefix = prefix, .out = out};
  Rewriter r;
  rewriter_init(&r, w->ir, &t);
  r.expr = call_to_temp;
  Expr *n = rewrite_expr(&r, e);
  rewriter_free(&r);
  return n;
}

/* ---------------------------------------------------------------- accesses become relative */

/* A narrow tensor and the window it is. */
typedef struct Narrow {
  Map windows; /* variable that stands for it -> Window* */
  WindowPass *w;
} Narrow;

static const Window *window_of(const Narrow *n, const Expr *var) {
  return map_get(&n->windows, var);
}

static Expr *narrow_def(Rewriter *r, Expr *var) {
  Narrow *n = r->ctx;
  if (!var->u.var.is_iter_arg) return rewrite_def_default(r, var);
  Expr *init = rewrite_expr(r, var->u.var.init);
  const Window *win = window_of(n, init);
  if (init == var->u.var.init && !win) return var;
  Expr *carried =
      expr_iter_arg(r->ir, var->u.var.name, win ? init->type : var->type, init, var->span);
  if (win) map_set(&n->windows, carried, (void *)win);
  map_set(&r->subst, var, carried);
  return carried;
}

/* The access with its offset counted from where the window begins. */
static Expr *relative_access(Narrow *n, const Expr *call, const Access *a, const Window *win,
                             Name prefix, StmtList *out) {
  Ir *ir = n->w->ir;
  const Expr *old = call->u.call.args[a->offset_arg];
  Expr **at = NEW_ARRAY(ir->arena, Expr *, old->u.tuple.len);
  for (int i = 0; i < old->u.tuple.len; i++) {
    Expr *e = simplified_difference(n->w, old->u.tuple.elems[i], win->at[i]);
    at[i] = calls_to_temps(n->w, e, prefix, out);
  }
  Expr *c = expr_copy(ir, call);
  c->u.call.args = COPY_ARRAY(ir->arena, Expr *, call->u.call.args, call->u.call.nargs);
  c->u.call.args[a->offset_arg] = expr_tuple(ir, at, old->u.tuple.len, old->span);
  if (a->write) c->type = a->tensor->type;
  return c;
}

static void narrow_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Narrow *n = r->ctx;
  if (s->kind == STMT_ASSIGN) {
    Expr *value = rewrite_expr(r, s->u.assign.value);
    Access a;
    const Window *win = access_of(value, &a) ? window_of(n, a.tensor) : NULL;
    if (win && a.window.rank == win->rank)
      value = relative_access(n, value, &a, win, s->u.assign.var->u.var.name, out);
    retype_assign(r, s, value, out);
    if (win && a.write) map_set(&n->windows, vec_last(out)->u.assign.var, (void *)win);
    return;
  }
  retype_stmt(r, s, out);
  const Stmt *last = out->len ? vec_last(out) : NULL;
  if (!stmt_is_loop(s)) return;
  for (int i = 0; i < last->u.loop.nresults && i < last->u.loop.ncarried; i++) {
    const Window *win = window_of(n, last->u.loop.iter_args[i]);
    if (win) map_set(&n->windows, last->u.loop.results[i], (void *)win);
  }
}

static void narrow_init(Rewriter *r, Narrow *n) {
  retype_init(r, n->w->ir, n);
  r->stmt = narrow_stmt;
  r->def = narrow_def;
}

/* ---------------------------------------------------------------- the copy */

typedef struct Copy {
  WindowPass *w;
  const WindowPlan *plan;
  const Function *kernel;
  Function *f; /* the copy, being built */
  Map subst; /* the kernel's parameters -> the copy's, the first piece's where there are several */
  Narrow narrow;
  Expr ***params;   /* by index in plan->outs: a parameter for each piece */
  Window **windows; /* the same for windows, in the copy's variables */
} Copy;

static Expr **rewrite_list(Rewriter *r, Expr *const *list, int n) {
  Expr **out = NEW_ARRAY(r->ir->arena, Expr *, n);
  for (int i = 0; i < n; i++) out[i] = rewrite_expr(r, list[i]);
  return out;
}

/* The kernel's window in the copy's variables. */
static Window own_window(Copy *c, const Window *win) {
  Rewriter r;
  rewriter_init(&r, c->w->ir, NULL);
  r.subst = c->subst;
  return (Window){rewrite_list(&r, win->shape, win->rank), rewrite_list(&r, win->at, win->rank),
                  win->rank};
}

static Expr *add_param(Copy *c, const Expr *old, const Type *type, ParamDir dir, int piece) {
  Ir *ir = c->w->ir;
  Name name =
      piece ? name_printf(&ir->names, "%s_piece%d", old->u.var.name, piece) : old->u.var.name;
  Rewriter r;
  rewriter_init(&r, ir, NULL);
  r.subst = c->subst;
  Expr *p = expr_var(ir, name, rewrite_type(&r, type), old->span);
  c->f->params[c->f->nparams] = p;
  c->f->dirs[c->f->nparams++] = dir;
  return p;
}

static int out_of(const WindowPlan *plan, int param) {
  for (size_t k = 0; k < plan->outs.len; k++)
    if (plan->outs.data[k].param == param) return (int)k;
  return -1;
}

static const Window *in_of(const WindowPlan *plan, int param) {
  for (size_t k = 0; k < plan->ins.len; k++)
    if (plan->ins.data[k].param == param) return &plan->ins.data[k].window;
  return NULL;
}

/* One parameter for each piece; the returned value takes the first one's type, the others come last. */
static void add_pieces(Copy *c, int out, int param) {
  Ir *ir = c->w->ir;
  const OutWindow *o = &c->plan->outs.data[out];
  const Type *whole = c->kernel->params[param]->type;
  c->params[out] = NEW_ARRAY(ir->arena, Expr *, o->npieces);
  for (int k = 0; k < o->npieces; k++) {
    const Type *t = window_type(ir, whole, &o->pieces[k], true);
    Expr *p = add_param(c, c->kernel->params[param], t, c->kernel->dirs[param], k);
    c->params[out][k] = p;
    c->f->returns[k ? c->f->nreturns++ : o->position] = p->type;
  }
  map_set(&c->subst, c->kernel->params[param], c->params[out][0]);
}

static void add_params(Copy *c) {
  for (int i = 0; i < c->kernel->nparams; i++) {
    Expr *old = c->kernel->params[i];
    int out = out_of(c->plan, i);
    if (out >= 0) {
      add_pieces(c, out, i);
      continue;
    }
    const Window *win = in_of(c->plan, i);
    const Type *t = win ? window_type(c->w->ir, old->type, win, false) : old->type;
    map_set(&c->subst, old, add_param(c, old, t, c->kernel->dirs[i], 0));
  }
}

/* Which narrow tensors the copy's parameters are. */
static void note_windows(Copy *c) {
  for (size_t k = 0; k < c->plan->outs.len; k++) {
    const OutWindow *o = &c->plan->outs.data[k];
    c->windows[k] = NEW_ARRAY(c->w->ir->arena, Window, o->npieces);
    for (int p = 0; p < o->npieces; p++) {
      c->windows[k][p] = own_window(c, &o->pieces[p]);
      map_set(&c->narrow.windows, c->params[k][p], &c->windows[k][p]);
    }
  }
  for (size_t k = 0; k < c->plan->ins.len; k++) {
    Window *win = NEW(c->w->ir->arena, Window);
    *win = own_window(c, &c->plan->ins.data[k].window);
    map_set(&c->narrow.windows, map_get(&c->subst, c->kernel->params[c->plan->ins.data[k].param]),
            win);
  }
}

/* ---------------------------------------------------------------- pieces */

typedef struct Unroll {
  Copy *copy;
  Rewriter *r;
  const Stmt *loop;
  Expr **now;      /* by carried value: what it is in the iteration at hand */
  Expr ***written; /* by index in plan->outs: what each piece has become */
  int *carried;    /* by index in plan->outs: which carried value */
} Unroll;

/* The loop's body for one iteration; what it yields becomes `now`. */
static void unroll_trip(Unroll *u, int trip, StmtList *out) {
  Copy *c = u->copy;
  Ir *ir = c->w->ir;
  Map subst = {0};
  for (size_t k = 0; k < c->plan->outs.len; k++)
    if (c->plan->outs.data[k].npieces > 1) u->now[u->carried[k]] = c->params[k][trip];
  for (int i = 0; i < u->loop->u.loop.ncarried; i++)
    map_set(&subst, u->loop->u.loop.iter_args[i], u->now[i]);
  map_set(&subst, u->loop->u.loop.var, value_at_trip(c->w, u->loop, trip));
  Block body = clone_block(ir, u->loop->u.loop.body, &subst, CLONE_FRESH_DEFS);
  map_free(&subst);
  for (int i = 0; i < body.len; i++) {
    if (body.items[i]->kind != STMT_YIELD) {
      rewrite_stmt(u->r, body.items[i], out);
      continue;
    }
    for (int k = 0; k < u->loop->u.loop.ncarried; k++)
      u->now[k] = rewrite_expr(u->r, body.items[i]->u.ret.values[k]);
  }
  for (size_t k = 0; k < c->plan->outs.len; k++) u->written[k][trip] = u->now[u->carried[k]];
}

static void unroll_loop(Unroll *u, StmtList *out) {
  Copy *c = u->copy;
  int64_t trips = 0;
  known_trips(c->w, u->loop, &trips);
  size_t n = c->plan->outs.len;
  u->now = NEW_ARRAY(c->w->ir->arena, Expr *, u->loop->u.loop.ncarried);
  u->written = NEW_ARRAY(c->w->ir->arena, Expr **, n);
  u->carried = NEW_ARRAY(c->w->ir->arena, int, n);
  for (int i = 0; i < u->loop->u.loop.ncarried; i++)
    u->now[i] = u->loop->u.loop.iter_args[i]->u.var.init;
  for (size_t k = 0; k < n; k++) {
    u->written[k] = NEW_ARRAY(c->w->ir->arena, Expr *, trips);
    for (int i = u->loop->u.loop.ncarried; i-- > 0;)
      if (u->loop->u.loop.iter_args[i]->u.var.init == c->params[k][0]) u->carried[k] = i;
  }
  for (int trip = 0; trip < (int)trips; trip++) unroll_trip(u, trip, out);
}

/* The return with the values of pieces, the further ones last. */
static Stmt *return_pieces(Rewriter *r, const Unroll *u, const Stmt *ret) {
  Copy *c = u->copy;
  Expr **values = NEW_ARRAY(r->ir->arena, Expr *, c->f->nreturns);
  int n = 0;
  for (; n < ret->u.ret.len; n++) values[n] = rewrite_expr(r, ret->u.ret.values[n]);
  for (size_t k = 0; k < c->plan->outs.len; k++) {
    const OutWindow *o = &c->plan->outs.data[k];
    if (o->npieces > 1) values[o->position] = u->written[k][0];
    for (int p = 1; p < o->npieces; p++) values[n++] = u->written[k][p];
  }
  return stmt_return(r->ir, values, n, ret->span);
}

static Block unroll_body(Copy *c, Block body) {
  Rewriter r;
  Unroll u = {.copy = c, .r = &r, .loop = body.items[c->plan->loop]};
  StmtList out = {0};
  narrow_init(&r, &c->narrow);
  for (int i = 0; i < body.len; i++) {
    if (i == c->plan->loop) {
      unroll_loop(&u, &out);
      for (int k = 0; k < u.loop->u.loop.nresults; k++)
        map_set(&r.subst, u.loop->u.loop.results[k], u.now[k]);
    } else if (body.items[i]->kind == STMT_RETURN) {
      vec_push(&out, return_pieces(&r, &u, body.items[i]));
    } else {
      rewrite_stmt(&r, body.items[i], &out);
    }
  }
  rewriter_free(&r);
  return block_take(c->w->ir, &out);
}

/* ---------------------------------------------------------------- all of it */

static Name free_name(WindowPass *w, Name name) {
  Name n = name_printf(&w->ir->names, "%s__windowed", name);
  for (int k = 1; program_func(w->program, n); k++)
    n = name_printf(&w->ir->names, "%s__windowed_%d", name, k);
  return n;
}

static bool has_pieces(const WindowPlan *plan) {
  for (size_t k = 0; k < plan->outs.len; k++)
    if (plan->outs.data[k].npieces > 1) return true;
  return false;
}

static int count_pieces(const WindowPlan *plan) {
  int n = 0;
  for (size_t k = 0; k < plan->outs.len; k++) n += plan->outs.data[k].npieces;
  return n;
}

/* Is there one loop at the top of the body, and no other? */
static bool has_one_loop(const Function *f) {
  int n = 0;
  for (int i = 0; i < f->body.len; i++) n += f->body.items[i]->kind == STMT_FOR;
  return n == 1;
}

Function *narrow_kernel(WindowPass *w, const WindowPlan *plan) {
  Ir *ir = w->ir;
  const Function *f = plan->kernel;
  int pieces = count_pieces(plan);
  if (plan->loop >= 0 && !plan->outs.len && !has_one_loop(f)) return NULL;
  Copy c = {.w = w, .plan = plan, .kernel = f, .f = func_copy(ir, f), .narrow = {.w = w}};
  c.params = NEW_ARRAY(ir->arena, Expr **, plan->outs.len + 1);
  c.windows = NEW_ARRAY(ir->arena, Window *, plan->outs.len + 1);
  c.f->name = free_name(w, f->name);
  c.f->params = NEW_ARRAY(ir->arena, Expr *, f->nparams + pieces);
  c.f->dirs = NEW_ARRAY(ir->arena, ParamDir, f->nparams + pieces);
  c.f->nparams = 0;
  c.f->returns = NEW_ARRAY(ir->arena, const Type *, f->nreturns + pieces);
  for (int i = 0; i < f->nreturns; i++) c.f->returns[i] = f->returns[i];
  add_params(&c);
  note_windows(&c);
  Block body = clone_block(ir, f->body, &c.subst, CLONE_FRESH_DEFS);
  if (has_pieces(plan)) {
    c.f->body = unroll_body(&c, body);
  } else {
    Rewriter r;
    narrow_init(&r, &c.narrow);
    c.f->body = rewrite_block(&r, body);
    rewriter_free(&r);
  }
  map_free(&c.subst);
  map_free(&c.narrow.windows);
  return c.f;
}
