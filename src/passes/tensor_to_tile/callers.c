#include "passes/tensor_to_tile/callers.h"

#include "ir/op.h"
#include "ir/visit.h"
#include "passes/util/retype.h"

typedef struct CallRewriter {
  const Grown *grown;
  Expr **outs; /* wrapper: its own new parameters */
  bool done;   /* wrapper: the call was rewritten */
} CallRewriter;

/* What a call of the function gives now. */
static const Type *result_type(Ir *ir, const Function *f) {
  if (f->nreturns == 0) return type_unknown(ir);
  return f->nreturns == 1 ? f->returns[0] : type_tuple(ir, f->returns, f->nreturns);
}

static Expr *with_args(Ir *ir, const Expr *call, Expr *const *more, int n) {
  Expr *c = expr_copy(ir, call);
  int old = call->u.call.nargs;
  c->u.call.args = NEW_ARRAY(ir->arena, Expr *, old + n);
  for (int i = 0; i < old + n; i++)
    c->u.call.args[i] = i < old ? call->u.call.args[i] : more[i - old];
  c->u.call.nargs = old + n;
  return c;
}

/* Replaces `v = f(..)` by `v = f(.., more)` with the type that f returns now; a submit keeps its type. */
static void put_call(Rewriter *r, Stmt *s, const Expr *call, const Function *callee,
                     Expr *const *more, int n, StmtList *out) {
  Expr *c = with_args(r->ir, call, more, n);
  if (c->kind == EXPR_CALL) c->type = result_type(r->ir, callee);
  Expr *var = s->u.assign.var;
  Stmt *a = stmt_copy(r->ir, s);
  a->u.assign.value = c;
  if (c->kind == EXPR_CALL) {
    a->u.assign.var = expr_var(r->ir, var->u.var.name, c->type, var->span);
    map_set(&r->subst, var, a->u.assign.var);
  }
  vec_push(out, a);
}

/* ---------------------------------------------------------------- wrappers */

static bool find_call(Visitor *v, Expr *e) {
  const Expr **found = ((void **)v->ctx)[0];
  const Grown *g = ((void **)v->ctx)[1];
  if (!*found && e->kind == EXPR_CALL && grown_by(g, e->u.call.callee)) *found = e;
  return !*found;
}

static void on_wrapper_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  CallRewriter *cr = r->ctx;
  Expr *value = s->kind == STMT_ASSIGN ? rewrite_expr(r, s->u.assign.value) : NULL;
  int n = value && value->kind == EXPR_CALL ? grown_by(cr->grown, value->u.call.callee) : 0;
  if (!n) {
    retype_stmt(r, s, out);
    return;
  }
  if (cr->done) {
    diag_error(r->ir->diag, value->span,
               "a wrapper hands its outputs to one kernel, but this is its second call");
    return;
  }
  cr->done = true;
  put_call(r, s, value, map_get(&cr->grown->funcs, value->u.call.callee), cr->outs, n, out);
}

Function *grow_wrapper(Ir *ir, Grown *g, Function *f) {
  const Expr *call = NULL;
  void *ctx[] = {&call, g};
  Visitor v = {.ctx = ctx, .expr = find_call};
  visit_block(&v, f->body);
  if (!call) return f;

  const Function *callee = map_get(&g->funcs, call->u.call.callee);
  int n = grown_by(g, call->u.call.callee);
  Function *w = func_copy(ir, f);
  w->nparams = f->nparams + n;
  w->params = NEW_ARRAY(ir->arena, Expr *, w->nparams);
  w->dirs = NEW_ARRAY(ir->arena, ParamDir, w->nparams);
  for (int i = 0; i < w->nparams; i++) {
    const Expr *like = i < f->nparams ? NULL : callee->params[callee->nparams - n + i - f->nparams];
    w->params[i] = like ? expr_var(ir, like->u.var.name, like->type, f->span) : f->params[i];
    w->dirs[i] = like ? PARAM_OUT : f->dirs[i];
  }
  CallRewriter cr = {.grown = g, .outs = w->params + f->nparams};
  Rewriter r;
  retype_init(&r, ir, &cr);
  r.stmt = on_wrapper_stmt;
  w->body = rewrite_block(&r, f->body);
  rewriter_free(&r);
  if (!cr.done) {
    diag_error(ir->diag, call->span, "the result of this call must be bound to a variable");
    return NULL;
  }
  map_set(&g->funcs, w->name, w);
  map_set(&g->added, w->name, map_int(n));
  return w;
}

/* ---------------------------------------------------------------- callers */

static Expr *create_out(Rewriter *r, const Expr *param, int number, Span call_at, Span at,
                        StmtList *out) {
  Ir *ir = r->ir;
  const Type *t = param->type;
  TensorLayout layout = t->tensor_view ? t->tensor_view->layout : LAYOUT_ND;
  AttrList kw = key_with(ir, (AttrList){0}, KEY_DTYPE, attr_of_dtype(t->dtype));
  kw = key_with(ir, kw, KEY_LAYOUT, attr_of_enum(ENUM_LAYOUT, layout));
  Expr *shape = expr_tuple(ir, t->shape, t->rank, call_at);
  Expr *create = op_call(ir, op_get(ir, OP_TENSOR_CREATE), &shape, 1, kw, call_at);
  if (!create) return NULL;
  Expr *var = expr_var(ir, name_printf(&ir->names, "ret%d__out", number), create->type, call_at);
  vec_push(out, stmt_assign(ir, var, create, at));
  return var;
}

static void on_caller_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  const Grown *g = ((CallRewriter *)r->ctx)->grown;
  Expr *value = s->kind == STMT_ASSIGN ? rewrite_expr(r, s->u.assign.value) : NULL;
  int n = value && expr_is_call(value) ? grown_by(g, value->u.call.callee) : 0;
  if (!n) {
    retype_stmt(r, s, out);
    return;
  }
  const Function *callee = map_get(&g->funcs, value->u.call.callee);
  Expr **outs = NEW_ARRAY(r->ir->arena, Expr *, n);
  for (int i = 0; i < n; i++) {
    outs[i] = create_out(r, callee->params[callee->nparams - n + i], i, value->span, s->span, out);
    if (!outs[i]) return;
  }
  put_call(r, s, value, callee, outs, n, out);
}

Function *update_caller(Ir *ir, const Grown *g, Function *f) {
  CallRewriter cr = {.grown = g};
  Rewriter r;
  retype_init(&r, ir, &cr);
  r.stmt = on_caller_stmt;
  Block body = rewrite_block(&r, f->body);
  rewriter_free(&r);
  if (body.items == f->body.items && body.len == f->body.len) return f;
  Function *n = func_copy(ir, f);
  n->body = body;
  return n;
}

/* ---------------------------------------------------------------- directions */

typedef struct Raise {
  const Program *program;
  Function *caller;
  Map index; /* parameter -> 1 + index */
  bool changed;
} Raise;

static bool on_call(Visitor *v, Expr *e) {
  Raise *ra = v->ctx;
  const Function *callee =
      e->kind == EXPR_CALL && e->u.call.callee ? program_func(ra->program, e->u.call.callee) : NULL;
  for (int i = 0; callee && i < e->u.call.nargs && i < callee->nparams; i++) {
    intptr_t k = map_get_int(&ra->index, e->u.call.args[i]);
    if (!k) continue;
    ParamDir *mine = &ra->caller->dirs[k - 1], theirs = callee->dirs[i];
    bool raise = (theirs == PARAM_OUT && *mine == PARAM_IN) ||
                 (theirs == PARAM_INOUT && *mine != PARAM_INOUT);
    if (!raise) continue;
    *mine = theirs;
    ra->changed = true;
  }
  return true;
}

Program *raise_caller_directions(Ir *ir, Program *p) {
  /* Directions are changed in place, in copies of the functions. */
  Function **funcs = NEW_ARRAY(ir->arena, Function *, p->nfuncs);
  for (int i = 0; i < p->nfuncs; i++) {
    funcs[i] = func_copy(ir, p->funcs[i]);
    funcs[i]->dirs = COPY_ARRAY(ir->arena, ParamDir, p->funcs[i]->dirs, p->funcs[i]->nparams);
  }
  Program *q = program_new(ir, p->name, funcs, p->nfuncs, p->span);
  bool any = false;
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < q->nfuncs; i++) {
      if (q->funcs[i]->type == FUNC_INCORE) continue;
      Raise ra = {.program = q, .caller = q->funcs[i]};
      for (int k = 0; k < ra.caller->nparams; k++)
        map_set(&ra.index, ra.caller->params[k], map_int(k + 1));
      Visitor v = {.ctx = &ra, .expr = on_call};
      visit_block(&v, ra.caller->body);
      map_free(&ra.index);
      changed |= ra.changed;
    }
    any |= changed;
  }
  return any ? q : p;
}
