/* carried.c -- rule 1: a kernel writes its result into the buffer that a loop carries. */
#include "ir/calls.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/orch_tensors/orch_tensors.h"

/* The Out parameter `out` goes, the In parameter `in` takes its place. */
typedef struct Merge {
  int out, in;
} Merge;

typedef struct Merges {
  VEC(Merge) list;
} Merges;

typedef struct Reuse {
  Ir *ir;
  const Program *program;
  Map merges; /* kernel's name -> Merges* */
  Map sites;  /* kernel's name -> Sites*: calls outside loops with carried values */
} Reuse;

static Merges *merges_of(const Reuse *re, Name kernel) { return map_get(&re->merges, kernel); }

static bool removes_arg(const Merges *m, int i) {
  for (size_t k = 0; k < m->list.len; k++)
    if (m->list.data[k].out == i) return true;
  return false;
}

/* ---------------------------------------------------------------- calls in loops */

typedef struct LoopBody {
  const Stmt *loop, *yield;
  Map creates; /* variables bound by tensor.create */
  Map taken; /* variable bound to v[i] -> v's statement is found through `from`; value: the TUPLE_GET */
} LoopBody;

static const Stmt *find_yield(Block b) {
  for (int i = b.len; i-- > 0;)
    if (b.items[i]->kind == STMT_YIELD) return b.items[i];
  return NULL;
}

/* Position at which the result `position` of call `v` is yielded, or -1. */
static int yielded_at(const LoopBody *body, const Expr *v, int position, bool single) {
  for (int i = 0; i < body->yield->u.ret.len; i++) {
    const Expr *value = body->yield->u.ret.values[i];
    if (single) {
      if (value == v && is_plain_var(value)) return i;
      continue;
    }
    const Expr *get = map_get(&body->taken, value);
    if (get && get->u.get.tuple == v && get->u.get.index == position) return i;
  }
  return -1;
}

static int find_arg(const Expr *call, const Expr *var) {
  for (int i = 0; i < call->u.call.nargs; i++)
    if (call->u.call.args[i] == var) return i;
  return -1;
}

static void analyze_call(Reuse *re, const LoopBody *body, const Stmt *s, const Function *kernel) {
  const Expr *call = s->u.assign.value;
  if (merges_of(re, kernel->name)) return;
  OutReturnList returns = {0};
  out_returns(kernel, false, &returns);
  Merges *m = NEW(re->ir->arena, Merges);
  bool single = returns.len == 1 && kernel->nreturns == 1;
  for (size_t i = 0; i < returns.len; i++) {
    OutReturn r = returns.data[i];
    if (r.param >= call->u.call.nargs || !map_has(&body->creates, call->u.call.args[r.param]))
      continue;
    int y = yielded_at(body, s->u.assign.var, r.position, single);
    if (y < 0 || y >= body->loop->u.loop.ncarried) continue;
    int in = find_arg(call, body->loop->u.loop.iter_args[y]);
    if (in >= 0 && in < kernel->nparams && kernel->dirs[in] == PARAM_IN)
      vec_push(&m->list, (Merge){r.param, in});
  }
  vec_free(&returns);
  if (m->list.len) map_set(&re->merges, kernel->name, m);
}

/* Called after the loops inside. */
static void analyze_loop(Visitor *v, Stmt *loop) {
  Reuse *re = v->ctx;
  if (!stmt_is_loop(loop) || !loop->u.loop.ncarried) return;
  Block b = loop->u.loop.body;
  LoopBody body = {.loop = loop, .yield = find_yield(b)};
  if (!body.yield) return;
  for (int i = 0; i < b.len; i++) {
    if (b.items[i]->kind != STMT_ASSIGN) continue;
    Expr *var = b.items[i]->u.assign.var, *value = b.items[i]->u.assign.value;
    if (expr_is_op(value, OP_TENSOR_CREATE)) map_set(&body.creates, var, value);
    if (value->kind == EXPR_TUPLE_GET) map_set(&body.taken, var, value);
  }
  for (int i = 0; i < b.len; i++) {
    const Function *kernel =
        b.items[i]->kind == STMT_ASSIGN ? kernel_of(re->program, b.items[i]->u.assign.value) : NULL;
    if (kernel) analyze_call(re, &body, b.items[i], kernel);
  }
  map_free(&body.creates);
  map_free(&body.taken);
}

/* ---------------------------------------------------------------- calls outside loops */

/* What a caller's body holds: how often variables are used, which are created here. */
typedef struct CallerIndex {
  Map uses, creates;
} CallerIndex;

typedef struct Site {
  const CallerIndex *caller;
  const Expr *call;
} Site;

typedef struct Sites {
  VEC(Site) list;
} Sites;

typedef struct SiteScan {
  Reuse *re;
  CallerIndex *index;
  int depth; /* loops with carried values around */
} SiteScan;

static void count_var(CallerIndex *index, const Expr *var) {
  map_set(&index->uses, var, map_int(map_get_int(&index->uses, var) + 1));
}

static bool count_use(Visitor *v, Expr *e) {
  if (e->kind == EXPR_VAR) count_var(((SiteScan *)v->ctx)->index, e);
  return true;
}

static bool has_carried(const Stmt *s) { return (stmt_is_loop(s)) && s->u.loop.ncarried; }

static bool enter_stmt(Visitor *v, Stmt *s) {
  SiteScan *sc = v->ctx;
  sc->depth += has_carried(s);
  /* What an `if` gives counts as used: it may be the memory of something else. */
  for (int i = 0; s->kind == STMT_IF && i < s->u.if_.nresults; i++)
    count_var(sc->index, s->u.if_.results[i]);
  if (s->kind != STMT_ASSIGN) return true;
  const Expr *value = s->u.assign.value;
  if (expr_is_op(value, OP_TENSOR_CREATE))
    map_set(&sc->index->creates, s->u.assign.var, map_int(1));
  const Function *kernel = kernel_of(sc->re->program, value);
  if (!kernel || sc->depth) return true;
  Sites *sites = map_get(&sc->re->sites, kernel->name);
  if (!sites) {
    sites = NEW(sc->re->ir->arena, Sites);
    map_set(&sc->re->sites, kernel->name, sites);
  }
  vec_push(&sites->list, (Site){sc->index, value});
  return true;
}

static void leave_stmt(Visitor *v, Stmt *s) { ((SiteScan *)v->ctx)->depth -= has_carried(s); }

static bool same_constant_tensor(const Type *a, const Type *b) {
  if (a->kind != TYPE_TENSOR || b->kind != TYPE_TENSOR || a->dtype != b->dtype ||
      a->rank != b->rank)
    return false;
  int64_t x, y;
  for (int i = 0; i < a->rank; i++)
    if (!expr_const_int(a->shape[i], &x) || !expr_const_int(b->shape[i], &y) || x != y)
      return false;
  return true;
}

static bool loads_all(const Expr *load, const Type *t) {
  if (load->u.call.nargs < 4) return false;
  for (int k = 1; k < 4; k++)
    if (load->u.call.args[k]->kind != EXPR_TUPLE || load->u.call.args[k]->u.tuple.len != t->rank)
      return false;
  for (int i = 0; i < t->rank; i++) {
    int64_t want, at, shape, valid;
    if (!expr_const_int(t->shape[i], &want) ||
        !expr_const_int(load->u.call.args[1]->u.tuple.elems[i], &at) ||
        !expr_const_int(load->u.call.args[2]->u.tuple.elems[i], &shape) ||
        !expr_const_int(load->u.call.args[3]->u.tuple.elems[i], &valid))
      return false;
    if (at || shape != want || valid != want) return false;
  }
  return true;
}

/* Assignments and loop results of a kernel, anywhere in it. */
typedef struct KernelIndex {
  Map def;   /* variable -> value */
  Map first; /* loop result -> first value of what it carries */
  Map param; /* parameter -> its index + 1 */
  const Stmt *ret;
} KernelIndex;

static bool index_stmt(Visitor *v, Stmt *s) {
  KernelIndex *k = v->ctx;
  if (s->kind == STMT_ASSIGN) map_set(&k->def, s->u.assign.var, s->u.assign.value);
  if (s->kind == STMT_RETURN && !k->ret) k->ret = s;
  if (stmt_is_loop(s))
    for (int i = 0; i < s->u.loop.nresults && i < s->u.loop.ncarried; i++)
      map_set(&k->first, s->u.loop.results[i], s->u.loop.iter_args[i]->u.var.init);
  return true;
}

/* The In parameter whose whole contents the loops behind a stored value start from, or -1. */
static int loop_source(const Function *f, const KernelIndex *k, const Expr *stored) {
  enum { MAX_HOPS = 16 };
  const Expr *at = stored;
  int hops = 0;
  for (const Expr *init; hops < MAX_HOPS && (init = map_get(&k->first, at)); hops++) at = init;
  const Expr *load = hops && at->kind == EXPR_VAR ? map_get(&k->def, at) : NULL;
  if (!load || !expr_is_op(load, OP_TILE_LOAD)) return -1;
  int i = numbered_param(&k->param, load->u.call.args[0]);
  return i >= 0 && f->dirs[i] == PARAM_IN && loads_all(load, f->params[i]->type) ? i : -1;
}

typedef struct VarCount {
  const Expr *var;
  intptr_t n;
} VarCount;

static bool count_one(Visitor *v, Expr *e) {
  VarCount *c = v->ctx;
  c->n += e == c->var;
  return true;
}

static bool site_allows(const Site *site, Merge m) {
  const Expr *call = site->call;
  if (m.out >= call->u.call.nargs || m.in >= call->u.call.nargs) return false;
  const Expr *out = call->u.call.args[m.out], *in = call->u.call.args[m.in];
  if (!is_plain_var(out) || !is_plain_var(in) || !map_has(&site->caller->creates, out))
    return false;
  VarCount here = {in, 0};
  Visitor v = {.ctx = &here, .expr = count_one};
  visit_expr(&v, (Expr *)call);
  return map_get_int(&site->caller->uses, in) == here.n;
}

static void merge_standalone(Reuse *re, const Function *f, const Sites *sites) {
  KernelIndex k = {0};
  Visitor v = {.ctx = &k, .stmt = index_stmt};
  visit_block(&v, f->body);
  number_params(f, &k.param);
  OutReturnList returns = {0};
  out_returns(f, false, &returns);
  Merges *m = NEW(re->ir->arena, Merges);
  Map used = {0};
  for (size_t i = 0; k.ret && i < returns.len; i++) {
    const Expr *store = map_get(&k.def, k.ret->u.ret.values[returns.data[i].position]);
    if (!store || !expr_is_op(store, OP_TILE_STORE)) continue;
    Merge merge = {returns.data[i].param, loop_source(f, &k, store->u.call.args[0])};
    if (merge.in < 0 ||
        !same_constant_tensor(f->params[merge.in]->type, f->params[merge.out]->type))
      continue;
    if (!map_set(&used, f->params[merge.in], map_int(1))) continue;
    bool ok = true;
    for (size_t s = 0; s < sites->list.len; s++) ok &= site_allows(&sites->list.data[s], merge);
    if (ok) vec_push(&m->list, merge);
  }
  if (m->list.len) map_set(&re->merges, f->name, m);
  vec_free(&returns);
  map_free(&used);
  map_free(&k.def);
  map_free(&k.first);
  map_free(&k.param);
}

/* ---------------------------------------------------------------- rewriting */

static Function *merge_params(Ir *ir, const Merges *m, Function *f) {
  Rewriter r;
  rewriter_init(&r, ir, NULL);
  Function *n = func_copy(ir, f);
  n->params = NEW_ARRAY(ir->arena, Expr *, f->nparams);
  n->dirs = NEW_ARRAY(ir->arena, ParamDir, f->nparams);
  n->nparams = 0;
  for (int i = 0; i < f->nparams; i++) {
    if (removes_arg(m, i)) continue;
    n->params[n->nparams] = f->params[i];
    n->dirs[n->nparams] = f->dirs[i];
    for (size_t k = 0; k < m->list.len; k++)
      if (m->list.data[k].in == i) n->dirs[n->nparams] = PARAM_INOUT;
    n->nparams++;
  }
  for (size_t k = 0; k < m->list.len; k++)
    map_set(&r.subst, f->params[m->list.data[k].out], f->params[m->list.data[k].in]);
  n->body = rewrite_block(&r, f->body);
  rewriter_free(&r);
  return n;
}

typedef struct CallRewrite {
  const Reuse *re;
  Map dead; /* variables of creates that nothing needs any more */
} CallRewrite;

/* What is merged in the kernel that the statement calls, or NULL. */
static const Merges *merges_here(const CallRewrite *cr, const Stmt *s) {
  const Expr *call = stmt_call(s);
  return call && call->u.call.callee ? merges_of(cr->re, call->u.call.callee) : NULL;
}

static bool find_dead(Visitor *v, Stmt *s) {
  CallRewrite *cr = v->ctx;
  const Expr *call = stmt_call(s);
  const Merges *m = merges_here(cr, s);
  for (size_t i = 0; m && i < m->list.len; i++)
    if (m->list.data[i].out < call->u.call.nargs)
      map_set(&cr->dead, call->u.call.args[m->list.data[i].out], map_int(1));
  return true;
}

static void on_caller_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  CallRewrite *cr = r->ctx;
  if (s->kind == STMT_ASSIGN && expr_is_op(s->u.assign.value, OP_TENSOR_CREATE) &&
      map_has(&cr->dead, s->u.assign.var))
    return;
  Stmt *n = rewrite_stmt_children(r, s);
  const Merges *m = merges_here(cr, s);
  if (m) {
    Expr *c = expr_copy(r->ir, stmt_call(n));
    Expr **args = NEW_ARRAY(r->ir->arena, Expr *, c->u.call.nargs);
    int nargs = 0;
    for (int i = 0; i < c->u.call.nargs; i++)
      if (!removes_arg(m, i)) args[nargs++] = c->u.call.args[i];
    c->u.call.args = args;
    c->u.call.nargs = nargs;
    n = stmt_copy(r->ir, n);
    if (n->kind == STMT_EVAL)
      n->u.eval = c;
    else
      n->u.assign.value = c;
  }
  vec_push(out, n);
}

static Function *rewrite_one(void *ctx, Function *f) {
  Reuse *re = ctx;
  const Merges *m = merges_of(re, f->name);
  if (f->type == FUNC_INCORE) return m ? merge_params(re->ir, m, f) : f;
  CallRewrite cr = {.re = re};
  Visitor v = {.ctx = &cr, .stmt = find_dead};
  visit_block(&v, f->body);
  Rewriter r;
  rewriter_init(&r, re->ir, &cr);
  r.stmt = on_caller_stmt;
  Function *n = rewrite_func(&r, f);
  rewriter_free(&r);
  map_free(&cr.dead);
  return n;
}

Program *reuse_carried_buffers(Ir *ir, Program *p) {
  Reuse re = {.ir = ir, .program = p};
  Visitor loops = {.ctx = &re, .stmt_end = analyze_loop};
  for (int i = 0; i < p->nfuncs; i++)
    if (p->funcs[i]->type != FUNC_INCORE) visit_block(&loops, p->funcs[i]->body);
  CallerIndex *callers = NEW_ARRAY(ir->arena, CallerIndex, p->nfuncs);
  for (int i = 0; i < p->nfuncs; i++) {
    if (p->funcs[i]->type == FUNC_INCORE) continue;
    SiteScan sc = {.re = &re, .index = &callers[i]};
    Visitor v = {.ctx = &sc, .expr = count_use, .stmt = enter_stmt, .stmt_end = leave_stmt};
    visit_block(&v, p->funcs[i]->body);
  }
  for (MapEntry *e = NULL; (e = map_next(&re.sites, e));) {
    Sites *sites = e->value;
    if (!merges_of(&re, e->key)) merge_standalone(&re, program_func(p, e->key), sites);
    vec_free(&sites->list);
  }
  Program *q = re.merges.count ? rewrite_program(ir, p, rewrite_one, &re) : p;
  for (int i = 0; i < p->nfuncs; i++) {
    map_free(&callers[i].uses);
    map_free(&callers[i].creates);
  }
  for (MapEntry *e = NULL; (e = map_next(&re.merges, e));) vec_free(&((Merges *)e->value)->list);
  map_free(&re.merges);
  map_free(&re.sites);
  return q;
}
