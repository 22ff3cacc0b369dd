#include "passes/util/lineage.h"

#include "ir/op.h"
#include "ir/visit.h"

enum { MAX_CALLS = 1000 }; /* functions that call each other so deep; beyond, nothing is known */

static const Lineage nothing = {NULL, 0};

/* What is bound where in one function. */
typedef struct Body {
  Lineages *ls;
  const Function *f;
  Map value; /* variable -> the expression assigned to it */
  Map carry; /* iter arg or tensor result of a loop -> its initial value */
  Map param; /* parameter -> its index + 1 */
  Stmt *ret; /* the first return in the text */
} Body;

/* ---------------------------------------------------------------- the index */

/* Can the value be another one's, or hold some that are? */
static bool may_lead_on(const Expr *value) {
  const Op *op = expr_op(value);
  return !op || op_written_arg(op) >= 0;
}

static bool index_stmt(Visitor *v, Stmt *s) {
  Body *b = v->ctx;
  if (s->kind == STMT_RETURN && !b->ret) b->ret = s;
  if (s->kind == STMT_ASSIGN && may_lead_on(s->u.assign.value) &&
      !map_has(&b->value, s->u.assign.var))
    map_set(&b->value, s->u.assign.var, s->u.assign.value);
  if (!stmt_is_loop(s)) return true;
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    Expr *init = s->u.loop.iter_args[i]->u.var.init;
    if (!expr_is_var(init)) continue;
    map_set(&b->carry, s->u.loop.iter_args[i], init);
    /* a scalar result need not have to do with where it began; a tensor is the same one */
    if (i < s->u.loop.nresults && type_is_tensor(s->u.loop.results[i]->type))
      map_set(&b->carry, s->u.loop.results[i], init);
  }
  return true;
}

static void body_init(Body *b, Lineages *ls, const Function *f) {
  *b = (Body){.ls = ls, .f = f};
  for (int i = 0; i < f->nparams; i++) map_set(&b->param, f->params[i], map_int(i + 1));
  Visitor v = {.ctx = b, .stmt = index_stmt, .expr = visit_no_expr};
  visit_block(&v, f->body);
}

static void body_free(Body *b) {
  map_free(&b->value);
  map_free(&b->carry);
  map_free(&b->param);
}

/* ---------------------------------------------------------------- tracing */

/* The argument that a call of a program function gives back at `pos`; `only` if it must be the only one. */
static Expr *given_back(Body *b, const Expr *call, int pos, bool only) {
  if (!expr_is_call(call) || !call->u.call.callee) return NULL;
  const Function *callee = program_func(b->ls->program, call->u.call.callee);
  if (!callee) return NULL;
  const Lineage *l = lineage_of(b->ls, callee);
  if (pos >= l->n || (only && l->n != 1)) return NULL;
  int arg = l->param[pos];
  return arg >= 0 && arg < call->u.call.nargs ? call->u.call.args[arg] : NULL;
}

/* The variable that `var` is another name for, one step back; NULL if that is not known. */
static Expr *source_of(Body *b, Expr *var) {
  Expr *init = map_get(&b->carry, var);
  if (init) return init;
  Expr *value = map_get(&b->value, var);
  if (!value || expr_is_var(value)) return value;
  if (value->kind == EXPR_TUPLE_GET) {
    Expr *tuple = value->u.get.tuple, *call = expr_is_var(tuple) ? map_get(&b->value, tuple) : NULL;
    return call && value->u.get.index >= 0 ? given_back(b, call, value->u.get.index, false) : NULL;
  }
  const Op *op = expr_op(value);
  if (!op) return given_back(b, value, 0, true);
  int arg = op_written_arg(op);
  return arg >= 0 && arg < value->u.call.nargs ? value->u.call.args[arg] : NULL;
}

/* The parameter that `e` traces to, or -1. */
static int trace(Body *b, Expr *e) {
  Map visited = {0};
  int found = -1;
  while (e && expr_is_var(e) && map_set(&visited, e, e)) {
    intptr_t param = map_get_int(&b->param, e);
    if (param) {
      found = (int)param - 1;
      break;
    }
    e = source_of(b, e);
  }
  map_free(&visited);
  return found;
}

static Lineage *new_lineage(Body *b, int n) {
  Lineage *l = NEW(b->ls->ir->arena, Lineage);
  l->param = NEW_ARRAY(b->ls->ir->arena, int, n ? n : 1);
  l->n = n;
  return l;
}

static const Lineage *trace_all(Body *b, Expr *const *values, int n) {
  Lineage *l = new_lineage(b, n);
  for (int i = 0; i < n; i++) l->param[i] = trace(b, values[i]);
  return l;
}

/* A returned variable that holds the whole tuple of a call: position by position. */
static const Lineage *trace_tuple(Body *b, Expr *var) {
  Map visited = {0};
  Expr *value = var;
  while (value && expr_is_var(value) && map_set(&visited, value, value))
    value = map_get(&b->value, value);
  map_free(&visited);
  if (!value) return &nothing;
  if (value->kind == EXPR_TUPLE) return trace_all(b, value->u.tuple.elems, value->u.tuple.len);
  if (!expr_is_call(value) || !value->u.call.callee) return &nothing;
  const Function *callee = program_func(b->ls->program, value->u.call.callee);
  const Lineage *inner = callee ? lineage_of(b->ls, callee) : &nothing;
  Lineage *l = new_lineage(b, inner->n);
  for (int i = 0; i < inner->n; i++) {
    Expr *arg = given_back(b, value, i, false);
    l->param[i] = arg ? trace(b, arg) : -1;
  }
  return l;
}

/* ---------------------------------------------------------------- wrappers without return */

typedef struct Returning {
  const Body *b;
  Expr *call; /* the call with as many results as the wrapper */
  bool ambiguous;
} Returning;

static bool find_returning(Visitor *v, Expr *e) {
  Returning *r = v->ctx;
  if (!expr_is_call(e) || !e->u.call.callee) return true;
  const Function *callee = program_func(r->b->ls->program, e->u.call.callee);
  if (!callee || callee->type == FUNC_ORCHESTRATION || callee->type == FUNC_OPAQUE) return true;
  if (callee->nreturns != r->b->f->nreturns) return true;
  if (r->call) r->ambiguous = true;
  r->call = e;
  return true;
}

static const Lineage *trace_wrapper(Body *b) {
  if (b->f->nreturns == 0) return &nothing;
  Returning r = {.b = b};
  Visitor v = {.ctx = &r, .expr = find_returning};
  visit_block(&v, b->f->body);
  if (!r.call || r.ambiguous) return &nothing;
  const Lineage *inner = lineage_of(b->ls, program_func(b->ls->program, r.call->u.call.callee));
  if (inner->n != b->f->nreturns) return &nothing;
  Lineage *l = new_lineage(b, inner->n);
  for (int i = 0; i < inner->n; i++) {
    Expr *arg = given_back(b, r.call, i, false);
    l->param[i] = arg ? (int)map_get_int(&b->param, arg) - 1 : -1;
  }
  return l;
}

/* ---------------------------------------------------------------- functions */

static const Lineage *find_lineage(Body *b) {
  const Function *f = b->f;
  if (!b->ret || b->ret->u.ret.len == 0)
    return func_is_wrapper(f->type) ? trace_wrapper(b) : &nothing;
  Expr *first = b->ret->u.ret.values[0];
  if (b->ret->u.ret.len == 1 && f->nreturns > 1 && expr_is_var(first) &&
      first->type->kind == TYPE_TUPLE && first->type->nelems == f->nreturns) {
    const Lineage *l = trace_tuple(b, first);
    if (l->n == f->nreturns) return l;
  }
  return trace_all(b, b->ret->u.ret.values, b->ret->u.ret.len);
}

const Lineage *lineage_of(Lineages *ls, const Function *f) {
  if (map_has(&ls->of, f)) {
    const Lineage *known = map_get(&ls->of, f);
    return known ? known : &nothing; /* a function on its way to itself */
  }
  if (ls->depth >= MAX_CALLS) return &nothing;
  map_set(&ls->of, f, NULL);
  ls->depth++;
  Body b;
  body_init(&b, ls, f);
  const Lineage *l = find_lineage(&b);
  body_free(&b);
  ls->depth--;
  map_set(&ls->of, f, (void *)l);
  return l;
}

void lineages_free(Lineages *ls) { map_free(&ls->of); }
