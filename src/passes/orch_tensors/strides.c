/* strides.c -- rules 2 and 4: parameters that are parts of larger tensors get their strides. */
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/orch_tensors/orch_tensors.h"

/* The shape of a larger tensor; conflicting: calls disagree. */
typedef struct Parent {
  Expr **shape;
  int rank;
  bool conflicting;
} Parent;

typedef struct Strides {
  Ir *ir;
  const Program *program;
  Map results; /* variable -> Result*: a kernel's result (rule 2) */
  Map slices;  /* variable -> parent's type (rule 4) */
  Map wanted;  /* kernel's name -> Parent[] by return position (rule 2) or parameter (rule 4) */
} Strides;

typedef struct Result {
  const Function *kernel;
  int position; /* -1: all of several */
} Result;

static Parent *parents_of(Strides *st, const Function *kernel, int n) {
  Parent *list = map_get(&st->wanted, kernel->name);
  if (!list) {
    list = NEW_ARRAY(st->ir->arena, Parent, n + 1);
    map_set(&st->wanted, kernel->name, list);
  }
  return list;
}

/* ---------------------------------------------------------------- rule 2 */

static void note_result(Strides *st, const Expr *var, const Function *kernel, int position) {
  Result *r = NEW(st->ir->arena, Result);
  *r = (Result){kernel, position};
  map_set(&st->results, var, r);
}

static bool scan_assemble(Visitor *v, Stmt *s) {
  Strides *st = v->ctx;
  if (s->kind != STMT_ASSIGN) return true;
  const Expr *value = s->u.assign.value;
  if (value->kind == EXPR_TUPLE_GET) {
    const Result *whole = map_get(&st->results, value->u.get.tuple);
    if (whole) note_result(st, s->u.assign.var, whole->kernel, value->u.get.index);
    return true;
  }
  const Function *kernel = kernel_of(st->program, value);
  if (kernel && kernel->nreturns)
    note_result(st, s->u.assign.var, kernel, kernel->nreturns == 1 ? 0 : -1);
  if (!expr_is_op(value, OP_TENSOR_ASSEMBLE) || value->u.call.nargs != 3) return true;
  const Expr *parent = value->u.call.args[0];
  const Result *r = map_get(&st->results, value->u.call.args[1]);
  if (!r || r->position < 0 || r->position >= r->kernel->nreturns || parent->kind != EXPR_VAR ||
      parent->type->kind != TYPE_TENSOR)
    return true;
  parents_of(st, r->kernel, r->kernel->nreturns)[r->position] =
      (Parent){parent->type->shape, parent->type->rank, false};
  return true;
}

/* A store into a parameter with a new type gives that type. */
static void on_store(Rewriter *r, Stmt *s, StmtList *out) {
  const Map *changed = r->ctx;
  Stmt *n = rewrite_stmt_children(r, s);
  Expr *store = n->kind == STMT_ASSIGN ? n->u.assign.value : NULL;
  Expr *into = store && expr_is_op(store, OP_TILE_STORE) ? store->u.call.args[2] : NULL;
  if (into && map_has(changed, into)) {
    Expr *old = s->u.assign.var;
    Expr *var = expr_var(r->ir, old->u.var.name, into->type, old->span);
    map_set(&r->subst, old, var);
    n = stmt_copy(r->ir, n);
    n->u.assign.value = expr_copy(r->ir, store);
    n->u.assign.value->type = into->type;
    n->u.assign.var = var;
  }
  vec_push(out, n);
}

/* The function with other parameters; new ones are entered in `changed`. */
static Function *with_params(Ir *ir, Function *f, Expr **params, bool stores) {
  Rewriter r;
  Map changed = {0};
  rewriter_init(&r, ir, &changed);
  for (int i = 0; i < f->nparams; i++) {
    if (params[i] == f->params[i]) continue;
    map_set(&r.subst, f->params[i], params[i]);
    map_set(&changed, params[i], map_int(1));
  }
  Function *n = f;
  if (changed.count) {
    if (stores) r.stmt = on_store;
    n = func_copy(ir, f);
    n->params = params;
    n->body = rewrite_block(&r, f->body);
  }
  map_free(&changed);
  rewriter_free(&r);
  return n;
}

static Expr *strided_param(Ir *ir, Expr *param, const Parent *parent) {
  const Type *t = with_parent_strides(ir, param->type, parent->shape, parent->rank);
  return t ? expr_var(ir, param->u.var.name, t, param->span) : param;
}

static Function *stride_outs(void *ctx, Function *f) {
  Strides *st = ctx;
  const Parent *parents = f->type == FUNC_INCORE ? map_get(&st->wanted, f->name) : NULL;
  if (!parents) return f;
  OutReturnList returns = {0};
  out_returns(f, false, &returns);
  Expr **params = COPY_ARRAY(st->ir->arena, Expr *, f->params, f->nparams);
  for (size_t i = 0; i < returns.len; i++) {
    const Parent *parent = &parents[returns.data[i].position];
    int k = returns.data[i].param;
    if (parent->shape) params[k] = strided_param(st->ir, f->params[k], parent);
  }
  vec_free(&returns);
  return with_params(st->ir, f, params, true);
}

/* ---------------------------------------------------------------- rule 4 */

static bool same_constants(const Parent *p, const Type *t) {
  int64_t a, b;
  if (p->rank != t->rank) return false;
  for (int i = 0; i < p->rank; i++)
    if (!expr_const_int(p->shape[i], &a) || !expr_const_int(t->shape[i], &b) || a != b)
      return false;
  return true;
}

static bool scan_slices(Visitor *v, Stmt *s) {
  Strides *st = v->ctx;
  if (s->kind != STMT_ASSIGN) return true;
  const Expr *value = s->u.assign.value;
  if (expr_is_op(value, OP_TENSOR_SLICE) && value->u.call.args[0]->kind == EXPR_VAR &&
      value->u.call.args[0]->type->kind == TYPE_TENSOR)
    map_set(&st->slices, s->u.assign.var, (void *)value->u.call.args[0]->type);
  const Function *kernel = kernel_of(st->program, value);
  for (int i = 0; kernel && i < value->u.call.nargs && i < kernel->nparams; i++) {
    const Type *parent = map_get(&st->slices, value->u.call.args[i]);
    if (kernel->dirs[i] != PARAM_IN || !parent) continue;
    Parent *p = &parents_of(st, kernel, kernel->nparams)[i];
    if (!p->shape)
      *p = (Parent){parent->shape, parent->rank, false};
    else
      p->conflicting |= !same_constants(p, parent);
  }
  return true;
}

static Function *stride_ins(void *ctx, Function *f) {
  Strides *st = ctx;
  const Parent *parents = f->type == FUNC_INCORE ? map_get(&st->wanted, f->name) : NULL;
  if (!parents) return f;
  Expr **params = COPY_ARRAY(st->ir->arena, Expr *, f->params, f->nparams);
  for (int i = 0; i < f->nparams; i++) {
    const TensorView *view = f->params[i]->type->tensor_view;
    if (parents[i].shape && !parents[i].conflicting && !(view && view->nstride))
      params[i] = strided_param(st->ir, f->params[i], &parents[i]);
  }
  return with_params(st->ir, f, params, false);
}

/* ---------------------------------------------------------------- both */

static Program *run(Ir *ir, Program *p, bool (*scan)(Visitor *, Stmt *),
                    Function *(*apply)(void *, Function *)) {
  Strides st = {.ir = ir, .program = p};
  Visitor v = {.ctx = &st, .stmt = scan};
  for (int i = 0; i < p->nfuncs; i++)
    if (p->funcs[i]->type != FUNC_INCORE) visit_block(&v, p->funcs[i]->body);
  if (st.wanted.count) p = rewrite_program(ir, p, apply, &st);
  map_free(&st.results);
  map_free(&st.slices);
  map_free(&st.wanted);
  return p;
}

Program *stride_assembled_results(Ir *ir, Program *p) {
  return run(ir, p, scan_assemble, stride_outs);
}
Program *stride_sliced_arguments(Ir *ir, Program *p) { return run(ir, p, scan_slices, stride_ins); }
