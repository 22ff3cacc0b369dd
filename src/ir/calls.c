#include "ir/calls.h"

#include <string.h>

#include "ir/op.h"
#include "ir/visit.h"

/* ---- returned parameters ---- */

static Stmt *first_return_in(Block b);

static Stmt *first_return(Stmt *s) {
  switch (s->kind) {
    case STMT_RETURN: return s;
    case STMT_IF: {
      Stmt *found = first_return_in(s->u.if_.then_body);
      return found ? found : first_return_in(s->u.if_.else_body);
    }
    case STMT_FOR:
    case STMT_WHILE: return first_return_in(s->u.loop.body);
    case STMT_SCOPE: return first_return_in(s->u.scope.body);
    default: return NULL;
  }
}

static Stmt *first_return_in(Block b) {
  for (int i = 0; i < b.len; i++) {
    Stmt *found = first_return(b.items[i]);
    if (found) return found;
  }
  return NULL;
}

void number_params(const Function *f, Map *number) {
  for (int i = 0; i < f->nparams; i++) map_set(number, f->params[i], map_int(i + 1));
}

const Stmt *func_return(const Function *f) {
  Block b = f->body;
  bool ends = b.len && b.items[b.len - 1]->kind == STMT_RETURN;
  return ends ? b.items[b.len - 1] : first_return_in(b);
}

const ReturnedParams *returned_params(Ir *ir, Map *cache, const Function *f) {
  ReturnedParams *known = map_get(cache, f);
  if (known) return known;
  known = NEW(ir->arena, ReturnedParams);
  map_set(cache, f, known);
  const Stmt *ret = func_return(f);
  if (!ret) return known;
  known->n = ret->u.ret.len;
  known->param = NEW_ARRAY(ir->arena, int, known->n);
  Map number = {0};
  number_params(f, &number);
  for (int i = 0; i < known->n; i++)
    known->param[i] = numbered_param(&number, ret->u.ret.values[i]);
  map_free(&number);
  return known;
}

int returned_param(Ir *ir, Map *cache, const Function *f, int pos) {
  const ReturnedParams *r = returned_params(ir, cache, f);
  return pos < r->n ? r->param[pos] : -1;
}

/* Where the variables of a body come from. */
typedef struct Trace {
  Ir *ir;
  Map *cache;
  const Program *program;
  Map from; /* variable -> the expression that it is assigned, or begins a loop with */
  int steps;
} Trace;

enum { MAX_TRACE_STEPS = 1000 };

static bool note_origin(Visitor *v, Stmt *s) {
  Trace *t = v->ctx;
  if (s->kind == STMT_ASSIGN) map_set(&t->from, s->u.assign.var, s->u.assign.value);
  if (s->kind == STMT_FOR || s->kind == STMT_WHILE)
    for (int i = 0; i < s->u.loop.ncarried; i++) {
      map_set(&t->from, s->u.loop.iter_args[i], s->u.loop.iter_args[i]->u.var.init);
      if (i < s->u.loop.nresults)
        map_set(&t->from, s->u.loop.results[i], s->u.loop.iter_args[i]->u.var.init);
    }
  return true;
}

/* The argument that result `pos` of a call is, or NULL. */
static Expr *returned_arg(Trace *t, const Expr *call, int pos) {
  const Function *callee = call_target(t->program, call);
  if (!callee || ++t->steps > MAX_TRACE_STEPS) return NULL;
  int param = traced_param(t->ir, t->cache, t->program, callee, pos);
  return param >= 0 && param < call->u.call.nargs ? call->u.call.args[param] : NULL;
}

static Expr *origin(Trace *t, Expr *e) {
  while (e && ++t->steps <= MAX_TRACE_STEPS) {
    if (e->kind == EXPR_TUPLE_GET) {
      Expr *call = expr_is_var(e->u.get.tuple) ? map_get(&t->from, e->u.get.tuple) : NULL;
      e = call && expr_is_call(call) ? returned_arg(t, call, e->u.get.index) : NULL;
    } else if (expr_is_call(e)) {
      e = returned_arg(t, e, 0);
    } else {
      Expr *next = expr_is_var(e) ? map_get(&t->from, e) : NULL;
      if (!next) return e;
      e = next;
    }
  }
  return NULL;
}

int traced_param(Ir *ir, Map *cache, const Program *p, const Function *f, int pos) {
  int direct = returned_param(ir, cache, f, pos);
  const Stmt *ret = direct < 0 ? func_return(f) : NULL;
  if (!ret || pos >= ret->u.ret.len) return direct;
  Trace t = {.ir = ir, .cache = cache, .program = p};
  Visitor v = {.ctx = &t, .stmt = note_origin, .expr = visit_no_expr};
  visit_block(&v, f->body);
  Expr *e = origin(&t, ret->u.ret.values[pos]);
  map_free(&t.from);
  for (int i = 0; e && i < f->nparams; i++)
    if (f->params[i] == e) return i;
  return -1;
}

/* ---- calls ---- */

Function *call_target(const Program *p, const Expr *call) {
  if (!expr_is_call(call) || !call->u.call.callee) return NULL;
  return program_func(p, call->u.call.callee);
}

Expr *stmt_call(const Stmt *s) {
  Expr *e = s->kind == STMT_ASSIGN ? s->u.assign.value : s->kind == STMT_EVAL ? s->u.eval : NULL;
  return e && expr_is_call(e) ? e : NULL;
}

const AttrValue *call_directions(Ir *ir, const Expr *call) {
  const AttrValue *v = attr_get(call->u.call.attrs, ir_name(ir, "arg_directions"));
  if (!v || v->kind != ATTR_LIST || v->u.list.len != call->u.call.nargs) return NULL;
  return v;
}

AttrValue directions_attr(Ir *ir, const ArgDir *dirs, int n) {
  AttrValue *items = NEW_ARRAY(ir->arena, AttrValue, n);
  for (int i = 0; i < n; i++) items[i] = attr_of_enum(ENUM_ADIR, dirs[i]);
  return attr_of_list(items, n);
}

bool call_is_ring_allreduce(Ir *ir, const Expr *call) {
  if (!expr_is_op(call, OP_PLD_TENSOR_ALLREDUCE)) return false;
  const AttrValue *mode = attr_get(call->u.call.kwargs, ir_name(ir, "mode"));
  return mode && mode->kind == ATTR_STR && strcmp(mode->u.str, "ring") == 0;
}

bool call_is_submit(const Expr *call) {
  const Type *t = call->type;
  if (!t || t->kind != TYPE_TUPLE || t->nelems == 0) return false;
  const Type *last = t->elems[t->nelems - 1];
  return type_is_scalar(last) && last->dtype == DT_TASK_ID;
}

/* ---- wrappers ---- */

typedef VEC(InnerCall) InnerCalls;

typedef struct Gather {
  const Program *program;
  InnerCalls *calls;
} Gather;

static bool gather_call(Visitor *v, Expr *e) {
  Gather *g = v->ctx;
  Function *callee = call_target(g->program, e);
  if (callee) vec_push(g->calls, (InnerCall){e, callee});
  return true;
}

static void inner_calls(const Program *p, const Function *wrapper, InnerCalls *out) {
  Gather g = {p, out};
  Visitor v = {.ctx = &g, .expr = gather_call};
  visit_block(&v, wrapper->body);
}

InnerCall wrapper_first_call(const Program *p, const Function *wrapper) {
  InnerCalls calls = {0};
  inner_calls(p, wrapper, &calls);
  InnerCall first = calls.len ? calls.data[0] : (InnerCall){NULL, NULL};
  vec_free(&calls);
  return first;
}

/* Dependencies, a block count and so on belong to the task that the group is, not to its parts. */
static bool is_detailed(const Expr *call) {
  const Launch *l = call->kind == EXPR_SUBMIT ? call->u.call.launch : NULL;
  return l && (l->ndeps || l->core_num || l->predicate || l->sync_start || l->allow_early_resolve);
}

GroupKernels group_kernels(const Program *p, const Function *group) {
  GroupKernels k = {0};
  InnerCalls calls = {0};
  inner_calls(p, group, &calls);
  for (size_t i = 0; i < calls.len; i++) {
    Function *f = calls.data[i].callee;
    if (!k.detailed && is_detailed(calls.data[i].call)) k.detailed = calls.data[i].call;
    bool first_of_kind = (f->type == FUNC_AIC && !k.aic) || (f->type == FUNC_AIV && !k.aiv) ||
                         f->type == FUNC_INCORE;
    if (!first_of_kind) continue;
    if (f->type == FUNC_AIC) k.aic = f;
    if (f->type == FUNC_AIV) k.aiv = f;
    if (!k.first.call) k.first = calls.data[i];
  }
  vec_free(&calls);
  return k;
}

/* A wrapper on its way to its fixed point. */
typedef struct Wrapper {
  Function *func;
  ParamDir *dirs;
  Map number; /* of the parameters */
  InnerCalls calls;
  VEC(int) callers; /* wrappers that call this one */
  bool queued;
} Wrapper;

static int dir_strength(ParamDir d) { return d == PARAM_IN ? 0 : d == PARAM_OUT ? 1 : 2; }

/* Raises `w` to what its inner calls do; true if anything rose. */
static bool raise_once(Wrapper *all, const Map *index, Wrapper *w) {
  bool rose = false;
  for (size_t c = 0; c < w->calls.len; c++) {
    const Expr *call = w->calls.data[c].call;
    const Function *callee = w->calls.data[c].callee;
    if (callee->type == FUNC_ORCHESTRATION || callee->type == FUNC_OPAQUE) continue;
    intptr_t at = map_get_int(index, callee);
    const ParamDir *dirs = at ? all[at - 1].dirs : callee->dirs;
    for (int a = 0; a < call->u.call.nargs && a < callee->nparams; a++) {
      int i = numbered_param(&w->number, call->u.call.args[a]);
      if (i < 0 || dir_strength(dirs[a]) <= dir_strength(w->dirs[i])) continue;
      w->dirs[i] = dirs[a];
      rose = true;
    }
  }
  return rose;
}

static void raise_to_fixed_point(Wrapper *all, const Map *index, int n) {
  VEC(int) work = {0};
  for (int i = 0; i < n; i++) {
    vec_push(&work, i);
    all[i].queued = true;
  }
  while (work.len) {
    Wrapper *w = &all[vec_pop(&work)];
    w->queued = false;
    if (!raise_once(all, index, w)) continue;
    for (size_t c = 0; c < w->callers.len; c++) {
      Wrapper *caller = &all[w->callers.data[c]];
      if (caller->queued) continue;
      caller->queued = true;
      vec_push(&work, w->callers.data[c]);
    }
  }
  vec_free(&work);
}

static bool dirs_equal(const ParamDir *a, const ParamDir *b, int n) {
  for (int i = 0; i < n; i++)
    if (a[i] != b[i]) return false;
  return true;
}

Program *raise_wrapper_directions(Ir *ir, Program *p) {
  Map index = {0}; /* Function* -> 1 + its place in `all` */
  VEC(Wrapper) all = {0};
  for (int i = 0; i < p->nfuncs; i++) {
    Function *f = p->funcs[i];
    if (!func_is_wrapper(f->type)) continue;
    Wrapper w = {.func = f, .dirs = COPY_ARRAY(ir->arena, ParamDir, f->dirs, f->nparams)};
    inner_calls(p, f, &w.calls);
    number_params(f, &w.number);
    vec_push(&all, w);
    map_set(&index, f, map_int((intptr_t)all.len));
  }
  for (size_t i = 0; i < all.len; i++)
    for (size_t c = 0; c < all.data[i].calls.len; c++) {
      intptr_t callee = map_get_int(&index, all.data[i].calls.data[c].callee);
      if (callee) vec_push(&all.data[callee - 1].callers, (int)i);
    }
  raise_to_fixed_point(all.data, &index, (int)all.len);

  Program *result = p;
  for (int i = 0; i < p->nfuncs; i++) {
    intptr_t at = map_get_int(&index, p->funcs[i]);
    if (!at || dirs_equal(all.data[at - 1].dirs, p->funcs[i]->dirs, p->funcs[i]->nparams)) continue;
    if (result == p) {
      result = NEW(ir->arena, Program);
      *result = *p;
      result->funcs = COPY_ARRAY(ir->arena, Function *, p->funcs, p->nfuncs);
    }
    result->funcs[i] = func_copy(ir, p->funcs[i]);
    result->funcs[i]->dirs = all.data[at - 1].dirs;
  }
  for (size_t i = 0; i < all.len; i++) {
    map_free(&all.data[i].number);
    vec_free(&all.data[i].calls);
    vec_free(&all.data[i].callers);
  }
  vec_free(&all);
  map_free(&index);
  return result;
}

/* ---- loops, scopes, levels ---- */

bool expr_known_int(const Expr *e, int64_t *out) {
  if (expr_const_int(e, out)) return true;
  int64_t inner;
  if (!e || e->kind != EXPR_NEG || !expr_const_int(e->u.operand, &inner) || inner == INT64_MIN)
    return false;
  *out = -inner;
  return true;
}

bool loop_trip_count(const Stmt *loop, int64_t *out) {
  int64_t start, stop, step;
  if (!expr_known_int(loop->u.loop.start, &start) || !expr_known_int(loop->u.loop.stop, &stop) ||
      !expr_known_int(loop->u.loop.step, &step))
    return false;
  bool runs = step > 0 ? start < stop : step < 0 && start > stop;
  if (!runs) {
    *out = 0;
    return true;
  }
  /* In unsigned arithmetic the span fits even where the signed difference does not. */
  uint64_t span = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
  uint64_t stride = step > 0 ? (uint64_t)step : (uint64_t)0 - (uint64_t)step;
  uint64_t trips = (span - 1) / stride + 1;
  if (trips > INT64_MAX) return false;
  *out = (int64_t)trips;
  return true;
}

Block unwrap_auto_scope(Ir *ir, Block b) {
  while (b.len == 1 && b.items[0]->kind == STMT_SCOPE &&
         b.items[0]->u.scope.kind == SCOPE_RUNTIME) {
    const Stmt *s = b.items[0];
    if (s->u.scope.manual &&
        !attr_bool(s->u.scope.attrs, ir_name(ir, "__compiler_auto_manual_scope_candidate"), false))
      break;
    b = s->u.scope.body;
  }
  return b;
}

int level_rank(Level level) {
  static const int ranks[LEVEL_COUNT] = {
      [LEVEL_CHIP_DIE] = 1,  [LEVEL_CHIP] = 2,      [LEVEL_HOST] = 3,   [LEVEL_CLUSTER_0] = 4,
      [LEVEL_CLUSTER_1] = 5, [LEVEL_CLUSTER_2] = 6, [LEVEL_GLOBAL] = 7,
  };
  return ranks[level];
}

static bool orchestrates(const Function *f) {
  return f->type == FUNC_ORCHESTRATION || f->role == ROLE_ORCHESTRATOR;
}

bool func_is_host_orch(const Function *f) { return f->level == LEVEL_HOST && orchestrates(f); }

bool func_is_chip_orch(const Function *f) {
  return f->level == LEVEL_CHIP && f->type != FUNC_GRAPH && orchestrates(f);
}
