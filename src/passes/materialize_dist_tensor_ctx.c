/* MaterializeDistTensorCtx: communication contexts as arguments.
 * docs/passes/materialize-dist-tensor-ctx.md */
#include "ir/calls.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/pass.h"

/* The contexts that a function with distributed parameters takes. */
typedef struct Plan {
  int *params;     /* distributed parameters, in order */
  Expr **contexts; /* their context parameters */
  int n;
} Plan;

/* Contexts of the items of a tuple; NULL where none is known. */
typedef struct TupleContexts {
  Expr **items;
  int n;
} TupleContexts;

typedef struct Contexts {
  Ir *ir;
  const Program *program;
  Map plans;    /* Name of a function -> Plan* */
  Map returned; /* cache of returned_params */
  Function *func;
  bool host;
  Map context;      /* distributed variable -> context variable */
  Map tuples;       /* tuple variable -> TupleContexts* */
  Map names;        /* in use in this function */
  StmtList *before; /* where statements for the one at work can be put, or NULL */
  bool failed;
  Name key_directions;
} Contexts;

static bool is_dist(const Expr *e) { return e->type->kind == TYPE_DIST_TENSOR; }

/* ---- names ---- */

static void note_def(Visitor *v, Expr *var) {
  map_set(&((Contexts *)v->ctx)->names, var->u.var.name, v->ctx);
}

static bool note_use(Visitor *v, Expr *e) {
  if (expr_is_var(e)) note_def(v, e);
  return true;
}

static void note_names(Contexts *c, Function *f) {
  map_clear(&c->names);
  Visitor v = {.ctx = c, .def = note_def, .expr = note_use};
  visit_func(&v, f);
}

static Name base_name(Ir *ir, Name name) {
  const char *end = name;
  while (*end && !(end[0] == '_' && end[1] == '_')) end++;
  return name_ofn(&ir->names, name, (size_t)(end - name));
}

static Expr *context_var(Contexts *c, const Expr *tensor, Span span) {
  Name stem = expr_is_var(tensor) ? base_name(c->ir, tensor->u.var.name) : "dist";
  Name name = name_printf(&c->ir->names, "%s_ctx", stem);
  for (int k = 1; map_has(&c->names, name); k++)
    name = name_printf(&c->ir->names, "%s_ctx_%d", stem, k);
  map_set(&c->names, name, c);
  return expr_var(c->ir, name, type_simple(c->ir, TYPE_COMM_CTX), span);
}

/* ---- plans ---- */

static void plan_function(Contexts *c, Function *f) {
  Plan *p = NEW(c->ir->arena, Plan);
  for (int i = 0; i < f->nparams; i++) p->n += is_dist(f->params[i]);
  if (p->n == 0) return;
  note_names(c, f);
  p->params = NEW_ARRAY(c->ir->arena, int, p->n);
  p->contexts = NEW_ARRAY(c->ir->arena, Expr *, p->n);
  for (int i = 0, k = 0; i < f->nparams; i++) {
    if (!is_dist(f->params[i])) continue;
    p->params[k] = i;
    p->contexts[k++] = context_var(c, f->params[i], f->params[i]->span);
  }
  map_set(&c->plans, f->name, p);
}

static Function *extend(Contexts *c, Function *f) {
  const Plan *p = map_get(&c->plans, f->name);
  if (!p) return f;
  Function *out = func_copy(c->ir, f);
  out->nparams = f->nparams + p->n;
  out->params = NEW_ARRAY(c->ir->arena, Expr *, out->nparams);
  out->dirs = NEW_ARRAY(c->ir->arena, ParamDir, out->nparams);
  for (int i = 0; i < out->nparams; i++) {
    out->params[i] = i < f->nparams ? f->params[i] : p->contexts[i - f->nparams];
    out->dirs[i] = i < f->nparams ? f->dirs[i] : PARAM_IN;
  }
  return out;
}

/* ---- whose context a value has ---- */

static Expr *context_of(Contexts *c, const Expr *e);

/* The argument whose memory an operator's result is, or -1. */
static int inherited_argument(const Expr *e) {
  const Op *op = expr_op(e);
  if (!op) return -1;
  int arg = op->reuses_input ? op_written_arg(op) : op_is_view(op) ? 0 : -1;
  return arg < e->u.call.nargs ? arg : -1;
}

/* The contexts of a call's results: those of the distributed arguments that the callee returns. */
static TupleContexts result_contexts(Contexts *c, const Expr *call) {
  TupleContexts out = {0};
  const Function *callee = call_target(c->program, call);
  if (!callee || !map_has(&c->plans, callee->name)) return out;
  const ReturnedParams *r = returned_params(c->ir, &c->returned, callee);
  out.n = r->n;
  out.items = NEW_ARRAY(c->ir->arena, Expr *, r->n);
  for (int i = 0; i < r->n; i++)
    if (r->param[i] >= 0 && r->param[i] < call->u.call.nargs &&
        is_dist(callee->params[r->param[i]]))
      out.items[i] = context_of(c, call->u.call.args[r->param[i]]);
  return out;
}

static Expr *item_context(Contexts *c, const Expr *get) {
  const TupleContexts *t = map_get(&c->tuples, get->u.get.tuple);
  TupleContexts direct = {0};
  if (!t && expr_is_call(get->u.get.tuple)) {
    direct = result_contexts(c, get->u.get.tuple);
    t = &direct;
  }
  return t && get->u.get.index < t->n ? t->items[get->u.get.index] : NULL;
}

static Expr *context_of(Contexts *c, const Expr *e) {
  if (expr_is_var(e)) return map_get(&c->context, e);
  if (e->kind == EXPR_TUPLE_GET) return item_context(c, e);
  if (!expr_is_call(e)) return NULL;
  int at = inherited_argument(e);
  if (at >= 0) return context_of(c, e->u.call.args[at]);
  TupleContexts r = result_contexts(c, e);
  return r.n == 1 ? r.items[0] : NULL;
}

static void set_context(Contexts *c, const Expr *var, Expr *context) {
  if (context && is_dist(var)) map_set(&c->context, var, context);
}

static void note_assign(Contexts *c, const Stmt *s) {
  Expr *var = s->u.assign.var, *value = s->u.assign.value;
  if (var->type->kind == TYPE_TUPLE) {
    TupleContexts *known = expr_is_var(value) ? map_get(&c->tuples, value) : NULL;
    if (!known && expr_is_call(value)) {
      known = NEW(c->ir->arena, TupleContexts);
      *known = result_contexts(c, value);
    }
    if (known) map_set(&c->tuples, var, known);
  } else if (is_dist(var)) {
    set_context(c, var, context_of(c, value));
  }
}

/* ---- control flow ---- */

static void note_if(Contexts *c, const Stmt *s) {
  if (!s->u.if_.has_else) return;
  const Stmt *y = block_last_yield(s->u.if_.then_body), *n = block_last_yield(s->u.if_.else_body);
  for (int i = 0; y && n && i < s->u.if_.nresults && i < y->u.ret.len && i < n->u.ret.len; i++) {
    const Expr *result = s->u.if_.results[i];
    if (!is_dist(result)) continue;
    Expr *a = context_of(c, y->u.ret.values[i]), *b = context_of(c, n->u.ret.values[i]);
    if (!a || !b) continue;
    if (a != b) {
      diag_error(c->ir->diag, s->span,
                 "the branches give '%s' tensors of different communication contexts",
                 result->u.var.name);
      diag_note(c->ir->diag, result->span,
                "choose the tensor before the branches, and branch on its data");
      c->failed = true;
    }
    set_context(c, result, a);
  }
}

static void enter_loop(Contexts *c, const Stmt *s) {
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    Expr *arg = s->u.loop.iter_args[i];
    if (!is_dist(arg)) continue;
    Expr *context = context_of(c, arg->u.var.init);
    set_context(c, arg, context);
    if (i < s->u.loop.nresults) set_context(c, s->u.loop.results[i], context);
  }
}

static void check_carries(Contexts *c, const Stmt *s) {
  const Stmt *y = block_last_yield(s->u.loop.body);
  for (int i = 0; y && i < s->u.loop.ncarried && i < y->u.ret.len; i++) {
    const Expr *arg = s->u.loop.iter_args[i];
    Expr *before = map_get(&c->context, arg),
         *after = before ? context_of(c, y->u.ret.values[i]) : NULL;
    if (!after || after == before) continue;
    diag_error(c->ir->diag, s->span,
               "the loop carries '%s' in with one communication context and out with another",
               arg->u.var.name);
    c->failed = true;
  }
}

/* ---- rewriting ---- */

/* The context to pass for an argument; NULL after an error. */
static Expr *passed_context(Contexts *c, const Expr *call, Expr *arg) {
  Expr *known = context_of(c, arg);
  if (known) return known;
  if (!c->host || !c->before) {
    diag_error(c->ir->diag, call->span, "the communication context of %s%s%s is not known in '%s'",
               expr_is_var(arg) ? "'" : "", expr_is_var(arg) ? arg->u.var.name : "this tensor",
               expr_is_var(arg) ? "'" : "", c->func->name);
    diag_note(c->ir->diag, c->func->span,
              "outside of host orchestrations a distributed tensor must come from a parameter");
    c->failed = true;
    return NULL;
  }
  Expr *query = op_call_id(c->ir, OP_PLD_SYSTEM_GET_COMM_CTX, &arg, 1, (AttrList){0}, call->span);
  if (!query) {
    c->failed = true;
    return NULL;
  }
  Expr *var = context_var(c, arg, call->span);
  vec_push(c->before, stmt_assign(c->ir, var, query, call->span));
  return var;
}

static void append_directions(Contexts *c, Expr *call, int n) {
  const AttrValue *old = attr_get(call->u.call.attrs, c->key_directions);
  if (!old || old->kind != ATTR_LIST) return;
  int len = old->u.list.len;
  AttrValue *items = NEW_ARRAY(c->ir->arena, AttrValue, len + n);
  for (int i = 0; i < len + n; i++)
    items[i] = i < len ? old->u.list.items[i] : attr_of_enum(ENUM_ADIR, ADIR_SCALAR);
  call->u.call.attrs =
      attr_with(c->ir, call->u.call.attrs, c->key_directions, attr_of_list(items, len + n));
}

static Expr *pass_contexts(Contexts *c, Expr *call, const Plan *p) {
  int old = call->u.call.nargs;
  Expr **args = NEW_ARRAY(c->ir->arena, Expr *, old + p->n);
  for (int i = 0; i < old; i++) args[i] = call->u.call.args[i];
  for (int i = 0; i < p->n; i++) {
    if (p->params[i] >= old) {
      diag_error(c->ir->diag, call->span, "the call of '%s' leaves out distributed argument %d",
                 call->u.call.callee, p->params[i] + 1);
      c->failed = true;
      return call;
    }
    args[old + i] = passed_context(c, call, call->u.call.args[p->params[i]]);
    if (!args[old + i]) return call;
  }
  Expr *out = expr_copy(c->ir, call);
  append_directions(c, out, p->n);
  out->u.call.args = args;
  out->u.call.nargs = old + p->n;
  return out;
}

static Expr *context_expr(Rewriter *r, Expr *e) {
  Contexts *c = r->ctx;
  Expr *call = rewrite_expr_children(r, e);
  if (expr_is_op(call, OP_PLD_SYSTEM_GET_COMM_CTX) && !c->host) {
    Expr *known = context_of(c, call->u.call.args[0]);
    if (known) return known;
    diag_error(c->ir->diag, call->span,
               "the communication context of this tensor is not known in '%s'", c->func->name);
    diag_note(c->ir->diag, c->func->span, "take the tensor as a parameter");
    c->failed = true;
    return call;
  }
  const Plan *p = call_target(c->program, call) ? map_get(&c->plans, call->u.call.callee) : NULL;
  return p ? pass_contexts(c, call, p) : call;
}

static void context_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Contexts *c = r->ctx;
  bool loop = stmt_is_loop(s);
  bool simple = s->kind == STMT_ASSIGN || s->kind == STMT_EVAL || s->kind == STMT_RETURN;
  if (loop) enter_loop(c, s);
  c->before = simple ? out : NULL;
  Stmt *done = rewrite_stmt_children(r, s);
  c->before = NULL;
  if (s->kind == STMT_ASSIGN) note_assign(c, s);
  if (s->kind == STMT_IF) note_if(c, s);
  if (loop) check_carries(c, s);
  vec_push(out, done);
}

static Function *context_function(void *ctx, Function *f) {
  Contexts *c = ctx;
  const Plan *p = map_get(&c->plans, f->name);
  c->func = f;
  c->host = func_is_host_orch(f);
  map_clear(&c->context);
  map_clear(&c->tuples);
  note_names(c, f);
  for (int i = 0; p && i < p->n; i++) map_set(&c->context, f->params[p->params[i]], p->contexts[i]);
  Rewriter r;
  rewriter_init(&r, c->ir, c);
  r.expr = context_expr;
  r.stmt = context_stmt;
  Function *out = extend(c, rewrite_func(&r, f));
  rewriter_free(&r);
  return c->failed ? NULL : out;
}

Program *materialize_dist_tensor_ctx(PassCtx *ctx, Program *p) {
  Contexts c = {.ir = ctx->ir, .program = p, .key_directions = key_name(KEY_ARG_DIRECTIONS)};
  for (int i = 0; i < p->nfuncs; i++) plan_function(&c, p->funcs[i]);
  Program *out = c.plans.count ? rewrite_program(ctx->ir, p, context_function, &c) : p;
  map_free(&c.plans);
  map_free(&c.returned);
  map_free(&c.context);
  map_free(&c.tuples);
  map_free(&c.names);
  return out;
}
