/* Numbers that tasks give back.
 *
 * A task writes tensors; a number that its kernel returns never reaches the host.  Where it is made of the
 * kernel's arguments alone, the host computes it from the call's arguments.  Where it is not, it may still
 * be that nobody reads it: a kernel's loop is given the last value of another kernel's loop to begin with,
 * and writes over it first.  Else the program cannot mean what it says. */
#include "codegen/orch/orch.h"
#include "ir/calls.h"
#include "ir/rewrite.h"
#include "ir/visit.h"

/* ---- who reads a number ---- */

/* What `from` is becomes what `to` is. */
typedef struct Flow {
  const Expr *from, *to;
} Flow;

/* Where the yields of a block go: results, and for a loop the carried values, too. */
typedef struct Sink {
  Expr **results, **carried;
  int n;
} Sink;

typedef struct Readers {
  const Program *program;
  Map *needed;
  VEC(Flow) flows;
  VEC(Sink) sinks;
} Readers;

typedef struct FlowTo {
  Readers *r;
  const Expr *to;
} FlowTo;

static bool note_flow(Visitor *v, Expr *e) {
  FlowTo *f = v->ctx;
  if (e->kind == EXPR_VAR && type_is_scalar(e->type)) vec_push(&f->r->flows, (Flow){e, f->to});
  return true;
}

static void flows_to(Readers *r, Expr *value, const Expr *to) {
  FlowTo f = {r, to};
  Visitor v = {.ctx = &f, .expr = note_flow};
  visit_expr(&v, value);
}

static bool note_reader(Visitor *v, Expr *e) {
  Readers *r = v->ctx;
  const Function *callee = expr_is_call(e) && !e->u.call.op ? call_target(r->program, e) : NULL;
  if (e->kind == EXPR_VAR) map_set(r->needed, e, r);
  if (!callee) return true;
  for (int i = 0; i < e->u.call.nargs; i++)
    if (i < callee->nparams && type_is_scalar(e->u.call.args[i]->type))
      flows_to(r, e->u.call.args[i], callee->params[i]);
  return false;
}

static void flows_of_loop(Readers *r, const Stmt *s) {
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    flows_to(r, s->u.loop.iter_args[i]->u.var.init, s->u.loop.iter_args[i]);
    if (i < s->u.loop.nresults)
      flows_to(r, s->u.loop.iter_args[i]->u.var.init, s->u.loop.results[i]);
  }
  vec_push(&r->sinks, (Sink){s->u.loop.results, s->u.loop.iter_args, s->u.loop.nresults});
}

static void flows_of_yield(Readers *r, const Stmt *s) {
  if (!r->sinks.len) return;
  const Sink *to = &vec_last(&r->sinks);
  for (int i = 0; i < s->u.ret.len && i < to->n; i++) {
    flows_to(r, s->u.ret.values[i], to->results[i]);
    if (to->carried) flows_to(r, s->u.ret.values[i], to->carried[i]);
  }
}

static bool note_stmt(Visitor *v, Stmt *s) {
  Readers *r = v->ctx;
  switch (s->kind) {
    case STMT_ASSIGN:
      if (!type_is_scalar(s->u.assign.var->type) || expr_is_call(s->u.assign.value)) return true;
      flows_to(r, s->u.assign.value, s->u.assign.var);
      return false;
    case STMT_IF:
      vec_push(&r->sinks, (Sink){s->u.if_.results, NULL, s->u.if_.nresults});
      return true;
    case STMT_FOR:
      visit_expr(v, s->u.loop.start);
      visit_expr(v, s->u.loop.stop);
      visit_expr(v, s->u.loop.step);
      flows_of_loop(r, s);
      visit_block(v, s->u.loop.body);
      r->sinks.len--;
      return false;
    case STMT_WHILE:
      visit_expr(v, s->u.loop.cond);
      flows_of_loop(r, s);
      visit_block(v, s->u.loop.body);
      r->sinks.len--;
      return false;
    case STMT_YIELD: flows_of_yield(r, s); return false;
    case STMT_RETURN: return false;
    default: return true;
  }
}

static void leave_stmt(Visitor *v, Stmt *s) {
  Readers *r = v->ctx;
  if (s->kind == STMT_IF) r->sinks.len--;
}

/* Every variable of the program on whose value something depends, into o->read_numbers. */
static void find_readers(Orch *o) {
  Readers r = {.program = o->program, .needed = &o->read_numbers};
  Visitor v = {
      .ctx = &r, .expr = note_reader, .stmt = note_stmt, .stmt_end = leave_stmt, .types = true};
  for (int i = 0; i < o->program->nfuncs; i++) visit_block(&v, o->program->funcs[i]->body);
  for (bool more = true; more;) {
    more = false;
    for (size_t i = r.flows.len; i-- > 0;)
      if (map_has(r.needed, r.flows.data[i].to) && map_set(r.needed, r.flows.data[i].from, &r))
        more = true;
  }
  vec_free(&r.flows);
  vec_free(&r.sinks);
}

static bool is_read(Orch *o, const Expr *var) {
  if (!o->readers_found) find_readers(o);
  o->readers_found = true;
  return map_has(&o->read_numbers, var);
}

/* ---- what a number is ---- */

enum { MAX_CALLS_DEEP = 16 };

/* A callee seen from a call of it. */
typedef struct Inside {
  const Orch *o;
  const Function *callee;
  Expr *const *args; /* in terms of the host */
  int nargs, depth;
  Map values; /* variable -> the expression that it is assigned */
  bool unknown;
} Inside;

static Expr *result_of(const Orch *o, const Function *callee, Expr *const *args, int nargs, int pos,
                       int depth);

static bool note_value(Visitor *v, Stmt *s) {
  Inside *in = v->ctx;
  if (s->kind == STMT_ASSIGN) map_set(&in->values, s->u.assign.var, s->u.assign.value);
  return s->kind != STMT_FOR && s->kind != STMT_WHILE && s->kind != STMT_IF;
}

static Expr *unknown(Inside *in, Expr *e) {
  in->unknown = true;
  return e;
}

/* Result `pos` of a call inside the callee. */
static Expr *call_result(Rewriter *r, Expr *call, int pos) {
  Inside *in = r->ctx;
  const Function *f = call_target(in->o->program, call);
  if (!f || in->depth >= MAX_CALLS_DEEP) return unknown(in, call);
  Expr **args = NEW_ARRAY(r->ir->arena, Expr *, call->u.call.nargs);
  for (int i = 0; i < call->u.call.nargs; i++) {
    bool before = in->unknown;
    args[i] =
        type_is_scalar(call->u.call.args[i]->type) ? rewrite_expr(r, call->u.call.args[i]) : NULL;
    if (in->unknown) args[i] = NULL;
    in->unknown = before;
  }
  Expr *e = result_of(in->o, f, args, call->u.call.nargs, pos, in->depth + 1);
  return e ? e : unknown(in, call);
}

static Expr *host_value(Rewriter *r, Expr *e) {
  Inside *in = r->ctx;
  if (e->kind == EXPR_TUPLE_GET && expr_is_var(e->u.get.tuple)) {
    Expr *call = map_get(&in->values, e->u.get.tuple);
    if (!call || call->kind != EXPR_CALL || call->u.call.op) return unknown(in, e);
    return call_result(r, call, e->u.get.index);
  }
  if (expr_is_call(e)) return e->u.call.op ? unknown(in, e) : call_result(r, e, 0);
  if (e->kind != EXPR_VAR) return rewrite_expr_children(r, e);
  for (int i = 0; i < in->callee->nparams && i < in->nargs; i++)
    if (in->callee->params[i] == e) return in->args[i] ? in->args[i] : unknown(in, e);
  Expr *value = map_get(&in->values, e);
  return value ? rewrite_expr(r, value) : unknown(in, e);
}

static Expr *result_of(const Orch *o, const Function *callee, Expr *const *args, int nargs, int pos,
                       int depth) {
  const Stmt *ret = func_return(callee);
  if (!ret || pos >= ret->u.ret.len) return NULL;
  Inside in = {.o = o, .callee = callee, .args = args, .nargs = nargs, .depth = depth};
  Visitor v = {.ctx = &in, .stmt = note_value, .expr = visit_no_expr};
  visit_block(&v, callee->body);
  Rewriter r;
  rewriter_init(&r, o->ir, &in);
  r.expr = host_value;
  Expr *e = rewrite_expr(&r, ret->u.ret.values[pos]);
  rewriter_free(&r);
  map_free(&in.values);
  return in.unknown ? NULL : e;
}

void orch_bind_number(Orch *o, const Expr *call, const Expr *var, int pos) {
  const Function *callee = call_target(o->program, call);
  Name name = orch_define(o, var);
  bool read = is_read(o, var);
  Expr *value = read ? result_of(o, callee, call->u.call.args, call->u.call.nargs, pos, 0) : NULL;
  if (!read || value) {
    orch_line(o, "%s %s = %s;", orch_type(var->type), name, value ? orch_expr(o, value) : "0");
    return;
  }
  orch_error(o, call->span.line ? call->span : var->span,
             "the number '%s' is computed by task '%s' as it runs, and what reads it is launched "
             "before",
             orch_base_name(o->ir, var->u.var.name), callee->name);
  diag_note(o->ir->diag, call->span.line ? call->span : var->span,
            "store it into a tensor of one element, and read it from there with pl.read");
}
