/* calls.c -- an orchestration's calls of kernels that have a narrow copy. */
#include "ir/calls.h"
#include "ir/ops/deduce_common.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/orch_tensors/roots.h"

typedef struct ParentUndo {
  const Expr *var;
  Expr *was; /* NULL: none */
} ParentUndo;

/* Where something stands in the text: between those numbers. */
typedef struct Place {
  int from, to;
} Place;

typedef struct Calls {
  WindowPass *w;
  Roots roots;
  Rewriter r;
  VEC(const Stmt *) loops; /* around, the outermost first; no `while` */
  int whiles;
  Scalars scalars;
  Map parents;          /* tensor -> what has been assembled into it */
  VEC(ParentUndo) undo; /* of inner blocks */
  Map tuples;           /* result of a narrowed call -> the tuple that it stands for */
  Map places;           /* loop, or variable of a tensor created -> Place* */
  int place;
  bool changed;
} Calls;

/* A call at hand. */
typedef struct CallSite {
  Calls *c;
  const Stmt *s;
  const Expr *call;
  WindowPlan *plan;
  Map args; /* the kernel's parameters -> arguments */
  StmtList out;
  Expr ***slices; /* by index in plan->outs: one for each piece */
  Expr **parents; /* the same: what they are slices of */
} CallSite;

/* ---------------------------------------------------------------- may the call be narrowed? */

static Expr *arg_of(const CallSite *site, int param) {
  return param < site->call->u.call.nargs ? site->call->u.call.args[param] : NULL;
}

static bool is_narrowable_arg(const CallSite *site, int param) {
  const Expr *arg = arg_of(site, param);
  return arg && arg->kind == EXPR_VAR;
}

static Expr *at_site(const CallSite *site, Expr *e) {
  Rewriter r;
  rewriter_init(&r, site->c->w->ir, NULL);
  r.subst = site->args;
  return rewrite_expr(&r, e);
}

static bool created_in(const Calls *c, const Expr *tensor, const Stmt *loop) {
  const Place *at = tensor ? map_get(&c->places, tensor) : NULL, *in = map_get(&c->places, loop);
  return at && in && in->from < at->from && at->from < in->to;
}

/* Do iterations of the loop write windows of their own, or all the same one? */
static bool apart_in_loop(const CallSite *site, const Stmt *loop, const OutWindow *o,
                          bool *dims_taken) {
  Calls *c = site->c;
  int64_t trips, step;
  if (created_in(c, root_storage(&c->roots, arg_of(site, o->param)), loop)) return true;
  if (loop_trip_count(loop, &trips) && trips <= 1) return true;
  const Window *win = &o->pieces[0];
  int moving = -1;
  for (int i = 0; i < win->rank; i++) {
    int64_t growth, extent, stride;
    Expr *at = scalars_expand(&c->scalars, at_site(site, win->at[i]));
    if (!linear_in(at, loop->u.loop.var, &growth)) return false;
    if (!growth) continue;
    if (moving >= 0 || dims_taken[i] || !expr_const_int(win->shape[i], &extent) ||
        !expr_const_int(loop->u.loop.step, &step) ||
        __builtin_mul_overflow(growth, step, &stride) || stride == INT64_MIN ||
        (stride < 0 ? -stride : stride) < extent)
      return false;
    moving = i;
  }
  if (moving >= 0) dims_taken[moving] = true;
  return true;
}

static bool has_pieces(const WindowPlan *plan) {
  for (size_t k = 0; k < plan->outs.len; k++)
    if (plan->outs.data[k].npieces > 1) return true;
  return false;
}

static bool apart_in_loops(const CallSite *site) {
  Calls *c = site->c;
  if (has_pieces(site->plan)) return true;
  if (c->whiles) return false;
  for (size_t k = 0; k < site->plan->outs.len; k++) {
    const OutWindow *o = &site->plan->outs.data[k];
    bool *taken = NEW_ARRAY(c->w->ir->arena, bool, o->pieces[0].rank + 1);
    for (size_t i = 0; i < c->loops.len; i++)
      if (c->loops.data[i]->u.loop.kind != FOR_PARALLEL &&
          !apart_in_loop(site, c->loops.data[i], o, taken))
        return false;
  }
  return true;
}

/* Outputs are clear, each another tensor, and none is written without a window next to this call. */
static bool outputs_allow(const CallSite *site) {
  Map seen = {0};
  bool ok = true;
  for (size_t k = 0; ok && k < site->plan->outs.len; k++) {
    Expr *arg = arg_of(site, site->plan->outs.data[k].param);
    const Expr *root = arg ? root_of(&site->c->roots, arg) : NULL;
    ok = root && !map_has(&site->c->roots.unwindowed, root) && map_set(&seen, root, map_int(1));
  }
  map_free(&seen);
  return ok;
}

/* `assembled`: variable -> index of the block's last statement that assembles it. */
static bool may_narrow(const CallSite *site, const Map *assembled, int index) {
  const WindowPlan *plan = site->plan;
  if (!plan->outs.len && site->call->kind == EXPR_SUBMIT) return false;
  if (!plan->outs.len && map_get_int(assembled, site->s->u.assign.var) > index) return false;
  if (plan->outs.len && !apart_in_loops(site)) return false;
  if (!outputs_allow(site)) return false;
  for (size_t k = 0; k < plan->ins.len; k++)
    if (!is_narrowable_arg(site, plan->ins.data[k].param)) return false;
  for (size_t k = 0; k < plan->outs.len; k++)
    if (!is_narrowable_arg(site, plan->outs.data[k].param)) return false;
  return true;
}

static bool check_static(Visitor *v, Expr *e) {
  CallSite *site = v->ctx;
  int64_t n;
  if (e->kind != EXPR_VAR) return true;
  for (size_t i = 0; i < site->c->loops.len; i++)
    if (site->c->loops.data[i]->u.loop.var == e && loop_trip_count(site->c->loops.data[i], &n))
      return true;
  v->ctx = NULL;
  return false;
}

/* Where the kernel's tensor has a dynamic dimension, a constant extent at an offset that constant bounds decide
 * might reach beyond it. */
static bool fits_dynamic(CallSite *site, const Type *tensor, Expr *const *shape, Expr *const *at) {
  for (int i = 0; i < tensor->rank; i++) {
    if (tensor->shape[i]->kind == EXPR_INT || shape[i]->kind != EXPR_INT) continue;
    Visitor v = {.ctx = site, .expr = check_static};
    visit_expr(&v, at[i]);
    if (v.ctx) return false;
  }
  return true;
}

/* False if the window surely reaches out of the tensor, as that of a tile that is only partly valid may. */
static bool is_inside(Ir *ir, const Type *tensor, Expr *const *shape, Expr *const *at) {
  for (int i = 0; i < tensor->rank; i++)
    if (extent_gt(ir, expr_index(ir, 0), at[i]) ||
        extent_gt(ir, extent_add(ir, at[i], shape[i], NO_SPAN), tensor->shape[i]))
      return false;
  return true;
}

/* ---------------------------------------------------------------- slices */

static Expr *bind(CallSite *site, Name name, Expr *value, const Type *type) {
  Expr *var = expr_var(site->c->w->ir, name, type, site->s->u.assign.var->span);
  vec_push(&site->out, stmt_assign(site->c->w->ir, var, value, site->s->span));
  return var;
}

/* `param`'s argument, cut to `win`; of several pieces the one with number `piece`, else -1. */
static Expr *slice_arg(CallSite *site, int param, Expr *parent, const Window *win, int piece,
                       bool output) {
  WindowPass *w = site->c->w;
  Ir *ir = w->ir;
  Expr *arg = arg_of(site, param);
  Name prefix = arg->u.var.name;
  Expr **shape = NEW_ARRAY(ir->arena, Expr *, win->rank),
       **at = NEW_ARRAY(ir->arena, Expr *, win->rank);
  for (int i = 0; i < win->rank; i++)
    shape[i] = calls_to_temps(w, at_site(site, win->shape[i]), prefix, &site->out);
  for (int i = 0; i < win->rank; i++)
    at[i] =
        calls_to_temps(w, analyzer_simplify(w->an, at_site(site, win->at[i])), prefix, &site->out);
  if (parent->type->rank != win->rank || !is_inside(ir, parent->type, shape, at)) return NULL;
  if (output && !fits_dynamic(site, site->plan->kernel->params[param]->type, shape, at))
    return NULL;
  Expr *args[] = {parent, expr_tuple(ir, shape, win->rank, site->s->span),
                  expr_tuple(ir, at, win->rank, site->s->span)};
  Expr *slice = op_call_id(ir, OP_TENSOR_SLICE, args, 3, (AttrList){0}, site->s->span);
  if (!slice) return NULL;
  Name name = piece < 0 ? name_printf(&ir->names, "%s__window", prefix)
                        : name_printf(&ir->names, "%s__window_%d", prefix, piece);
  return bind(site, name, slice, slice->type);
}

/* What an argument is cut from: a loop's result is its first value, and what was assembled counts. */
static Expr *parent_of(CallSite *site, int param) {
  return rewrite_expr(&site->c->r, root_of_result(&site->c->roots, arg_of(site, param)));
}

static bool slice_inputs(CallSite *site, Expr **by_param) {
  for (size_t k = 0; k < site->plan->ins.len; k++) {
    const InWindow *in = &site->plan->ins.data[k];
    Expr *slice = slice_arg(site, in->param, parent_of(site, in->param), &in->window, -1, false);
    if (!slice) return false;
    by_param[in->param] = slice;
  }
  return true;
}

static bool slice_outputs(CallSite *site) {
  Arena *arena = site->c->w->ir->arena;
  site->slices = NEW_ARRAY(arena, Expr **, site->plan->outs.len + 1);
  site->parents = NEW_ARRAY(arena, Expr *, site->plan->outs.len + 1);
  for (size_t k = 0; k < site->plan->outs.len; k++) {
    const OutWindow *o = &site->plan->outs.data[k];
    site->parents[k] = parent_of(site, o->param);
    site->slices[k] = NEW_ARRAY(arena, Expr *, o->npieces);
    for (int p = 0; p < o->npieces; p++) {
      site->slices[k][p] =
          slice_arg(site, o->param, site->parents[k], &o->pieces[p], o->npieces > 1 ? p : -1, true);
      if (!site->slices[k][p]) return false;
    }
  }
  return true;
}

/* ---------------------------------------------------------------- the narrow call */

/* What the runtime takes for one task. */
static bool within_limits(const Function *f, Expr *const *args, int nargs) {
  enum { MAX_TENSORS = 32, MAX_SCALARS = 16 };
  int tensors = 0, scalars = 0;
  for (int i = 0; i < nargs; i++) {
    if (type_is_scalar(args[i]->type))
      scalars++;
    else
      tensors++;
  }
  for (int i = nargs; i < f->nparams; i++)
    if (f->dirs[i] == PARAM_OUT) {
      if (type_is_scalar(f->params[i]->type))
        scalars++;
      else
        tensors++;
    }
  return tensors <= MAX_TENSORS && scalars <= MAX_SCALARS;
}

static int narrow_args(CallSite *site, Expr **inputs, Expr **args) {
  int n = 0;
  for (int i = 0; i < site->call->u.call.nargs; i++) {
    size_t k = 0;
    while (k < site->plan->outs.len && site->plan->outs.data[k].param != i) k++;
    if (inputs[i])
      args[n++] = inputs[i];
    else if (k == site->plan->outs.len)
      args[n++] = rewrite_expr(&site->c->r, site->call->u.call.args[i]);
    else
      for (int p = 0; p < site->plan->outs.data[k].npieces; p++) args[n++] = site->slices[k][p];
  }
  return n;
}

/* The narrow copy's result types here, a submit's task included; *n: how many. */
static const Type **result_types(const CallSite *site, Expr **args, int nargs, int *n) {
  Ir *ir = site->c->w->ir;
  const Function *f = site->plan->narrow;
  const Type **types = NEW_ARRAY(ir->arena, const Type *, f->nreturns + 1);
  Rewriter r;
  rewriter_init(&r, ir, NULL);
  for (int i = 0; i < f->nparams && i < nargs; i++) map_set(&r.subst, f->params[i], args[i]);
  for (int i = 0; i < f->nreturns; i++) types[i] = rewrite_type(&r, f->returns[i]);
  rewriter_free(&r);
  *n = f->nreturns;
  if (call_is_submit(site->call))
    types[(*n)++] = site->call->type->elems[site->call->type->nelems - 1];
  return types;
}

static Expr *narrow_call_expr(const CallSite *site, Expr **args, int nargs, const Type *type) {
  Ir *ir = site->c->w->ir;
  Expr *call = expr_copy(ir, site->call);
  call->u.call.callee = site->plan->narrow->name;
  call->u.call.args = args;
  call->u.call.nargs = nargs;
  call->u.call.attrs = key_without(ir, call->u.call.attrs, KEY_ARG_DIRECTIONS);
  call->type = type;
  return call;
}

/* ---------------------------------------------------------------- results */

static void set_parent(Calls *c, Expr *parent, Expr *now) {
  if (parent->kind != EXPR_VAR || parent->u.var.is_iter_arg) return;
  vec_push(&c->undo, (ParentUndo){parent, map_get(&c->parents, parent)});
  map_set(&c->parents, parent, now);
}

static Expr *assemble(CallSite *site, Expr *parent, Expr *part, const Expr *slice_var) {
  Ir *ir = site->c->w->ir;
  const Expr *slice = NULL;
  for (size_t i = 0; i < site->out.len; i++)
    if (site->out.data[i]->u.assign.var == slice_var) slice = site->out.data[i]->u.assign.value;
  Expr *args[] = {parent, part, slice->u.call.args[2]};
  return op_call_id(ir, OP_TENSOR_ASSEMBLE, args, 3, (AttrList){0}, site->s->span);
}

static Expr *item(CallSite *site, Expr *whole, const Type *const *types, int ntypes, int i,
                  const char *kind, int name) {
  Ir *ir = site->c->w->ir;
  if (ntypes == 1) return whole;
  return bind(site,
              name_printf(&ir->names, "%s__%s_%d", site->s->u.assign.var->u.var.name, kind, name),
              expr_tuple_get(ir, whole, i, site->s->span), types[i]);
}

/* The visible results: outputs put together, the rest passed on.  NULL after an error. */
static Expr **visible_results(CallSite *site, Expr *whole, const Type *const *types, int ntypes,
                              int nvisible) {
  Ir *ir = site->c->w->ir;
  Expr **results = NEW_ARRAY(ir->arena, Expr *, nvisible);
  int next_piece = site->plan->kernel->nreturns;
  for (size_t k = 0; k < site->plan->outs.len; k++) {
    const OutWindow *o = &site->plan->outs.data[k];
    Expr *now = site->parents[k];
    for (int p = 0; p < o->npieces; p++) {
      int at = p ? next_piece++ : o->position;
      Expr *part = item(site, whole, types, ntypes, at, "windowed", at);
      Expr *value = assemble(site, now, part, site->slices[k][p]);
      if (!value) return NULL;
      Name name = name_printf(&ir->names, "%s__assembled_%d_%d", site->s->u.assign.var->u.var.name,
                              o->position, p);
      now = bind(site, name, value, now->type);
    }
    results[o->position] = now;
  }
  for (int i = 0; i < nvisible; i++) {
    int at = i < site->plan->kernel->nreturns ? i : ntypes - 1;
    if (!results[i]) results[i] = item(site, whole, types, ntypes, at, "pass", i);
  }
  return results;
}

/* Binds the call's variable to what the narrow call gives; false after an error. */
static bool bind_results(CallSite *site, Expr *call, const Type *const *types, int ntypes) {
  Calls *c = site->c;
  Ir *ir = c->w->ir;
  Expr *var = site->s->u.assign.var, *value = call;
  const WindowPlan *plan = site->plan;
  int nvisible = plan->kernel->nreturns + call_is_submit(site->call);
  if (plan->outs.len) {
    Expr *whole =
        bind(site, name_printf(&ir->names, "%s__windowed", var->u.var.name), call, call->type);
    if (ntypes == 1 && plan->outs.data[0].npieces == 1) {
      value = assemble(site, site->parents[0], whole, site->slices[0][0]);
    } else {
      Expr **results = visible_results(site, whole, types, ntypes, nvisible);
      if (!results) return false;
      value = nvisible == 1 ? results[0] : expr_tuple(ir, results, nvisible, site->s->span);
      if (nvisible > 1) map_set(&c->tuples, var, value);
    }
  }
  if (!value) return false;
  Stmt *s = stmt_copy(ir, site->s);
  s->u.assign.value = value;
  vec_push(&site->out, s);
  return true;
}

/* What the parents stand for behind the call. */
static void set_parents(CallSite *site) {
  const WindowPlan *plan = site->plan;
  Expr *var = site->s->u.assign.var, *all = map_get(&site->c->tuples, var);
  for (size_t k = 0; k < plan->outs.len; k++) {
    Expr *now = var;
    if (all) now = all->u.tuple.elems[plan->outs.data[k].position];
    set_parent(site->c, site->parents[k], now);
  }
}

static bool build_call(CallSite *site) {
  Arena *arena = site->c->w->ir->arena;
  int pieces = 0, ntypes;
  for (size_t k = 0; k < site->plan->outs.len; k++) pieces += site->plan->outs.data[k].npieces;
  Expr **inputs = NEW_ARRAY(arena, Expr *, site->plan->kernel->nparams + 1);
  Expr **args = NEW_ARRAY(arena, Expr *, site->call->u.call.nargs + pieces);
  if (!slice_inputs(site, inputs) || !slice_outputs(site)) return false;
  int nargs = narrow_args(site, inputs, args);
  if (!within_limits(site->plan->narrow, args, nargs)) return false;
  const Type **types = result_types(site, args, nargs, &ntypes);
  const Type *type = ntypes == 1 ? types[0] : type_tuple(site->c->w->ir, types, ntypes);
  if (!ntypes) type = site->call->type;
  return bind_results(site, narrow_call_expr(site, args, nargs, type), types, ntypes);
}

/* Puts what stands for the statement into `out` if it is a call to be narrowed. */
static bool narrow_call(Calls *c, const Stmt *s, const Map *assembled, int index, StmtList *out) {
  if (s->kind != STMT_ASSIGN || !expr_is_call(s->u.assign.value) ||
      !s->u.assign.value->u.call.callee)
    return false;
  const Expr *call = s->u.assign.value;
  CallSite site = {
      .c = c, .s = s, .call = call, .plan = map_get(&c->w->plans, call->u.call.callee)};
  if (!site.plan || !site.plan->narrow) return false;
  for (int i = 0; i < call->u.call.nargs && i < site.plan->kernel->nparams; i++)
    map_set(&site.args, site.plan->kernel->params[i], call->u.call.args[i]);
  bool ok = may_narrow(&site, assembled, index) && build_call(&site);
  if (ok) {
    for (size_t i = 0; i < site.out.len; i++) {
      rewrite_stmt(&c->r, site.out.data[i], out);
      scalars_note(&c->scalars, vec_last(out), false);
    }
    set_parents(&site);
    site.plan->used = c->changed = true;
  }
  map_free(&site.args);
  vec_free(&site.out);
  return ok;
}

/* ---------------------------------------------------------------- the walk */

static Map assembled_sources(Block b) {
  Map m = {0};
  for (int i = 0; i < b.len; i++) {
    const Expr *value = b.items[i]->kind == STMT_ASSIGN ? b.items[i]->u.assign.value : NULL;
    if (value && expr_is_op(value, OP_TENSOR_ASSEMBLE))
      map_set(&m, value->u.call.args[1], map_int(i));
  }
  return m;
}

static void undo_parents(Calls *c, size_t mark) {
  while (c->undo.len > mark) {
    ParentUndo u = vec_pop(&c->undo);
    if (u.was)
      map_set(&c->parents, u.var, u.was);
    else
      map_remove(&c->parents, u.var);
  }
}

/* A call that is all of its block stays as it is. */
static Block on_block(Rewriter *r, Block b) {
  Calls *c = r->ctx;
  if (b.len < 2) return rewrite_block_children(r, b);
  BlockRoots outer = roots_enter(&c->roots, b);
  size_t mark = c->undo.len;
  Map assembled = assembled_sources(b);
  StmtList out = {0};
  bool same = true;
  for (int i = 0; i < b.len; i++) {
    if (narrow_call(c, b.items[i], &assembled, i, &out)) {
      same = false;
      continue;
    }
    rewrite_stmt(r, b.items[i], &out);
    same &= vec_last(&out) == b.items[i];
    if (vec_last(&out)->kind == STMT_ASSIGN) scalars_note(&c->scalars, vec_last(&out), false);
  }
  undo_parents(c, mark);
  roots_leave(&c->roots, &outer);
  map_free(&assembled);
  if (!same) return block_take(r->ir, &out);
  vec_free(&out);
  return b;
}

static void on_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Calls *c = r->ctx;
  bool loop = stmt_is_loop(s);
  if (loop) roots_enter_loop(&c->roots, s);
  if (s->kind == STMT_FOR) vec_push(&c->loops, s);
  c->whiles += s->kind == STMT_WHILE;
  vec_push(out, rewrite_stmt_children(r, s));
  c->whiles -= s->kind == STMT_WHILE;
  if (s->kind == STMT_FOR) (void)vec_pop(&c->loops);
  if (loop) roots_leave_loop(&c->roots, s);
}

static Expr *on_expr(Rewriter *r, Expr *e) {
  Calls *c = r->ctx;
  if (e->kind == EXPR_TUPLE_GET) {
    const Expr *all = map_get(&c->tuples, e->u.get.tuple);
    if (all && e->u.get.index < all->u.tuple.len)
      return rewrite_expr(r, all->u.tuple.elems[e->u.get.index]);
  }
  if (e->kind == EXPR_VAR && !e->u.var.is_iter_arg)
    for (Expr *now; (now = map_get(&c->parents, e));) e = now;
  return rewrite_expr_children(r, e);
}

static bool place_stmt(Visitor *v, Stmt *s) {
  Calls *c = v->ctx;
  const void *key = NULL;
  if (s->kind == STMT_FOR) key = s;
  if (s->kind == STMT_ASSIGN && type_is_tensor(s->u.assign.var->type) &&
      (expr_is_op(s->u.assign.value, OP_TENSOR_CREATE) ||
       expr_is_op(s->u.assign.value, OP_TENSOR_FULL)))
    key = s->u.assign.var;
  c->place++;
  if (!key) return true;
  Place *p = NEW(c->w->ir->arena, Place);
  *p = (Place){c->place, c->place};
  map_set(&c->places, key, p);
  return true;
}

static void place_end(Visitor *v, Stmt *s) {
  Calls *c = v->ctx;
  Place *p = s->kind == STMT_FOR ? map_get(&c->places, s) : NULL;
  if (p) p->to = ++c->place;
}

Function *narrow_calls(WindowPass *w, Function *f) {
  Calls c = {.w = w, .roots = {.w = w}, .scalars = {.w = w}};
  Visitor v = {.ctx = &c, .stmt = place_stmt, .stmt_end = place_end};
  visit_block(&v, f->body);
  rewriter_init(&c.r, w->ir, &c);
  c.r.expr = on_expr;
  c.r.stmt = on_stmt;
  c.r.block = on_block;
  Function *n = rewrite_func(&c.r, f);
  rewriter_free(&c.r);
  roots_free(&c.roots);
  vec_free(&c.loops);
  vec_free(&c.undo);
  map_free(&c.scalars.values);
  map_free(&c.parents);
  map_free(&c.tuples);
  map_free(&c.places);
  return c.changed ? n : f;
}
