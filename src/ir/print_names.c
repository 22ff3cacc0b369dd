/* print_names.c -- which text stands for which variable. */
#include <string.h>

#include "ir/print_int.h"

typedef VEC(const Expr *) VarList;

/* Gives each of `vars` a text of its own.  Names that occur once are kept; of several variables with
 * one name the first keeps it and the others are numbered.  `out` gets the variables whose text is not
 * their name, or all of them. */
static void make_unique(Ir *ir, const VarList *vars, Map *out, bool all) {
  Map seen = {0}, count = {0}, used = {0}, next = {0};
  VarList unique = {0};
  for (size_t i = 0; i < vars->len; i++) {
    const Expr *v = vars->data[i];
    if (!map_set(&seen, v, map_int(1))) continue;
    vec_push(&unique, v);
    *map_at(&count, v->u.var.name) = map_int(map_get_int(&count, v->u.var.name) + 1);
  }
  for (size_t i = 0; i < unique.len; i++) {
    const Expr *v = unique.data[i];
    if (map_get_int(&count, v->u.var.name) != 1) continue;
    map_set(&used, v->u.var.name, map_int(1));
    if (all) map_set(out, v, (void *)v->u.var.name);
  }
  for (size_t i = 0; i < unique.len; i++) {
    const Expr *v = unique.data[i];
    Name base = v->u.var.name, text;
    if (map_get_int(&count, base) == 1) continue;
    intptr_t n = map_get_int(&next, base);
    do {
      text = n ? name_printf(&ir->names, "%s_%ld", base, (long)n) : base;
      n++;
    } while (map_has(&used, text));
    map_set(&used, text, map_int(1));
    map_set(&next, base, map_int(n));
    map_set(out, v, (void *)text);
  }
  vec_free(&unique);
  map_free(&seen);
  map_free(&count);
  map_free(&used);
  map_free(&next);
}

/* ---- the variables of a function ---- */

typedef struct Scan {
  VarList defs, uses;
  Map def_set, use_set;
} Scan;

static void scan_def(Scan *s, const Expr *v) {
  if (v && map_set(&s->def_set, v, map_int(1))) vec_push(&s->defs, v);
}

static void scan_defs(Scan *s, Expr *const *vars, int n) {
  for (int i = 0; i < n; i++) scan_def(s, vars[i]);
}

static void scan_expr(Scan *s, const Expr *e);

static void scan_exprs(Scan *s, Expr *const *es, int n) {
  for (int i = 0; i < n; i++) scan_expr(s, es[i]);
}

static void scan_value(Scan *s, const AttrValue *v) {
  if (v->kind == ATTR_EXPR) scan_expr(s, v->u.expr);
  if (v->kind != ATTR_LIST) return;
  for (int i = 0; i < v->u.list.len; i++) scan_value(s, &v->u.list.items[i]);
}

static void scan_attrs(Scan *s, AttrList attrs) {
  for (int i = 0; i < attrs.len; i++) scan_value(s, &attrs.items[i].value);
}

static void scan_call(Scan *s, const Expr *e) {
  scan_exprs(s, e->u.call.args, e->u.call.nargs);
  if (e->kind == EXPR_SUBMIT && e->u.call.launch) {
    const Launch *l = e->u.call.launch;
    scan_exprs(s, l->deps, l->ndeps);
    scan_expr(s, l->core_num);
    scan_expr(s, l->predicate);
  }
  scan_attrs(s, e->u.call.kwargs);
  scan_attrs(s, e->u.call.attrs);
}

static void scan_expr(Scan *s, const Expr *e) {
  if (!e) return;
  if (expr_is_var(e)) {
    if (map_set(&s->use_set, e, map_int(1))) vec_push(&s->uses, e);
  } else if (expr_is_binary(e)) {
    scan_expr(s, e->u.bin.lhs);
    scan_expr(s, e->u.bin.rhs);
  } else if (expr_is_unary(e)) {
    scan_expr(s, e->u.operand);
  } else if (expr_is_call(e)) {
    scan_call(s, e);
  } else if (e->kind == EXPR_TUPLE) {
    scan_exprs(s, e->u.tuple.elems, e->u.tuple.len);
  } else if (e->kind == EXPR_TUPLE_GET) {
    scan_expr(s, e->u.get.tuple);
  }
}

static void scan_block(Scan *s, Block b);

static void scan_loop(Scan *s, const Stmt *st) {
  if (st->kind == STMT_FOR) scan_def(s, st->u.loop.var);
  scan_defs(s, st->u.loop.results, st->u.loop.nresults);
  for (int i = 0; i < st->u.loop.ncarried; i++) {
    scan_def(s, st->u.loop.iter_args[i]);
    scan_expr(s, st->u.loop.iter_args[i]->u.var.init);
  }
  scan_expr(s, st->u.loop.start);
  scan_expr(s, st->u.loop.stop);
  scan_expr(s, st->u.loop.step);
  scan_expr(s, st->u.loop.cond);
  scan_block(s, st->u.loop.body);
}

static void scan_stmt(Scan *s, const Stmt *st) {
  switch (st->kind) {
    case STMT_ASSIGN:
      scan_def(s, st->u.assign.var);
      scan_expr(s, st->u.assign.value);
      break;
    case STMT_EVAL: scan_expr(s, st->u.eval); break;
    case STMT_RETURN:
    case STMT_YIELD: scan_exprs(s, st->u.ret.values, st->u.ret.len); break;
    case STMT_IF:
      scan_defs(s, st->u.if_.results, st->u.if_.nresults);
      scan_expr(s, st->u.if_.cond);
      scan_block(s, st->u.if_.then_body);
      scan_block(s, st->u.if_.else_body);
      break;
    case STMT_FOR:
    case STMT_WHILE: scan_loop(s, st); break;
    case STMT_SCOPE:
      scan_def(s, st->u.scope.index);
      scan_expr(s, st->u.scope.core_num);
      scan_attrs(s, st->u.scope.attrs);
      scan_block(s, st->u.scope.body);
      break;
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_INLINE: break;
  }
}

static void scan_block(Scan *s, Block b) {
  for (int i = 0; i < b.len; i++) scan_stmt(s, b.items[i]);
}

/* Dynamic dimensions have their names from the program and belong to it. */
static void add_vars(Printer *p, VarList *to, Expr *const *vars, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!map_has(&p->dyn_names, vars[i])) vec_push(to, vars[i]);
}

static void name_scanned(Printer *p, Scan *s, const Function *f) {
  VarList order = {0};
  if (f) add_vars(p, &order, f->params, (size_t)f->nparams);
  add_vars(p, &order, (Expr *const *)s->defs.data, s->defs.len);
  add_vars(p, &order, (Expr *const *)s->uses.data, s->uses.len);
  map_clear(&p->names);
  make_unique(p->ir, &order, &p->names, false);
  map_clear(&p->free_vars);
  if (f) {
    Map params = {0};
    for (int i = 0; i < f->nparams; i++) map_set(&params, f->params[i], map_int(1));
    for (size_t i = 0; i < s->uses.len; i++) {
      const Expr *v = s->uses.data[i];
      if (!map_has(&params, v) && !map_has(&s->def_set, v) && !map_has(&p->dyn_names, v))
        map_set(&p->free_vars, v, map_int(1));
    }
    map_free(&params);
  }
  map_free(&p->body_defs);
  p->body_defs = s->def_set;
  map_free(&s->use_set);
  vec_free(&s->defs);
  vec_free(&s->uses);
  vec_free(&order);
}

void print_name_function(Printer *p, const Function *f) {
  Scan s = {0};
  scan_block(&s, f->body);
  name_scanned(p, &s, f);
}

void print_name_block(Printer *p, Block b) {
  Scan s = {0};
  scan_block(&s, b);
  name_scanned(p, &s, NULL);
}

/* ---- dynamic dimensions ---- */

typedef struct Dims {
  VarList vars;
  Map vars_seen, types_seen;
  Map bound;     /* parameters, and what bodies define */
  Map params;    /* parameters of any function */
  Map in_params; /* parameters that a parameter's valid_shape mentions */
  bool buffers;  /* a buffer type was seen */
} Dims;

static void dims_expr(Dims *d, const Expr *e) {
  if (!e) return;
  if (expr_is_var(e)) {
    if (!e->u.var.is_iter_arg && map_set(&d->vars_seen, e, map_int(1))) vec_push(&d->vars, e);
  } else if (expr_is_binary(e)) {
    dims_expr(d, e->u.bin.lhs);
    dims_expr(d, e->u.bin.rhs);
  } else if (expr_is_unary(e)) {
    dims_expr(d, e->u.operand);
  }
}

static void dims_exprs(Dims *d, Expr *const *es, int n) {
  for (int i = 0; i < n; i++) dims_expr(d, es[i]);
}

static void dims_type(Dims *d, const Type *t) {
  if (!t || !map_set(&d->types_seen, t, map_int(1))) return;
  if (t->kind == TYPE_TENSOR) {
    dims_exprs(d, t->shape, t->rank);
    if (!t->tensor_view) return;
    dims_exprs(d, t->tensor_view->valid_shape, t->tensor_view->nvalid);
    dims_exprs(d, t->tensor_view->stride, t->tensor_view->nstride);
  } else if (t->kind == TYPE_TILE) {
    dims_exprs(d, t->shape, t->rank);
    if (!t->tile_view) return;
    dims_exprs(d, t->tile_view->valid_shape, t->tile_view->nvalid);
    dims_exprs(d, t->tile_view->stride, t->tile_view->nstride);
    dims_expr(d, t->tile_view->start_offset);
  } else if (t->kind == TYPE_TUPLE) {
    for (int i = 0; i < t->nelems; i++) dims_type(d, t->elems[i]);
  } else if (t->kind == TYPE_BUFFER || t->kind == TYPE_MULTI_BUFFER) {
    d->buffers = true;
  }
}

static bool dims_visit(Visitor *v, Expr *e) {
  if (expr_is_var(e) && !e->u.var.is_iter_arg) dims_type(v->ctx, e->type);
  return true;
}

static void dims_def(Visitor *v, Expr *var) {
  Dims *d = v->ctx;
  if (!var->u.var.is_iter_arg) dims_type(d, var->type);
  map_set(&d->bound, var, map_int(1));
}

/* Notes the parameters in a dimension: a signature is read before its parameters exist. */
static void dims_params_in(Dims *d, const Expr *e) {
  if (expr_is_var(e)) {
    if (map_has(&d->params, e)) map_set(&d->in_params, e, map_int(1));
  } else if (expr_is_binary(e)) {
    dims_params_in(d, e->u.bin.lhs);
    dims_params_in(d, e->u.bin.rhs);
  } else if (expr_is_unary(e)) {
    dims_params_in(d, e->u.operand);
  }
}

static void dims_function(Dims *d, const Function *f) {
  Visitor v = {.ctx = d, .expr = dims_visit, .def = dims_def};
  for (int i = 0; i < f->nparams; i++) {
    dims_type(d, f->params[i]->type);
    map_set(&d->bound, f->params[i], map_int(1));
    map_set(&d->params, f->params[i], map_int(1));
  }
  for (int i = 0; i < f->nreturns; i++) dims_type(d, f->returns[i]);
  visit_block(&v, f->body);
}

static void dims_signature(Dims *d, const Function *f) {
  for (int i = 0; i < f->nparams; i++) {
    const Type *t = f->params[i]->type;
    if (!type_is_tensor(t) || !t->tensor_view) continue;
    for (int k = 0; k < t->tensor_view->nvalid; k++)
      dims_params_in(d, t->tensor_view->valid_shape[k]);
  }
}

void print_name_dims(Printer *p) {
  Dims d = {0};
  for (int i = 0; i < p->program->nfuncs; i++) dims_function(&d, p->program->funcs[i]);
  for (int i = 0; i < p->program->nfuncs; i++) dims_signature(&d, p->program->funcs[i]);
  p->has_buffers = d.buffers;
  VarList free_dims = {0};
  for (size_t i = 0; i < d.vars.len; i++) {
    const Expr *v = d.vars.data[i];
    if (!map_has(&d.bound, v) || map_has(&d.in_params, v)) vec_push(&free_dims, v);
  }
  make_unique(p->ir, &free_dims, &p->dyn_names, true);
  vec_free(&free_dims);
  vec_free(&d.vars);
  map_free(&d.vars_seen);
  map_free(&d.types_seen);
  map_free(&d.bound);
  map_free(&d.params);
  map_free(&d.in_params);
}

/* ---- order of functions ---- */

typedef struct CallGraph {
  const Program *prog;
  VEC(int) callees; /* of the function at work */
} CallGraph;

static int func_index(const Program *p, Name name) {
  int lo = 0, hi = p->nfuncs - 1;
  while (lo <= hi) {
    int mid = (lo + hi) / 2, c = strcmp(name, p->funcs[mid]->name);
    if (c == 0) return mid;
    if (c < 0)
      hi = mid - 1;
    else
      lo = mid + 1;
  }
  return -1;
}

static bool note_callee(Visitor *v, Expr *e) {
  CallGraph *g = v->ctx;
  if (expr_is_call(e) && e->u.call.callee) {
    int i = func_index(g->prog, e->u.call.callee);
    if (i >= 0) vec_push(&g->callees, i);
  }
  return true;
}

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Depth-first over the callees with a stack of its own: chains of calls may be long. */
static bool order_from(int root, int *const *callees, const int *ncallees, char *state, int *stack,
                       int *at, int *order, int *norder) {
  int depth = 0;
  if (state[root]) return true;
  stack[depth++] = root;
  at[root] = 0;
  state[root] = 1;
  while (depth > 0) {
    int f = stack[depth - 1];
    if (at[f] == ncallees[f]) {
      state[f] = 2;
      order[(*norder)++] = f;
      depth--;
      continue;
    }
    int next = callees[f][at[f]++];
    if (state[next] == 1) return false; /* a cycle */
    if (state[next] == 2) continue;
    state[next] = 1;
    at[next] = 0;
    stack[depth++] = next;
  }
  return true;
}

Function **print_order(Ir *ir, const Program *prog) {
  int n = prog->nfuncs;
  Function **out = COPY_ARRAY(ir->arena, Function *, prog->funcs, n);
  int **callees = NEW_ARRAY(ir->arena, int *, n), *ncallees = NEW_ARRAY(ir->arena, int, n);
  int *stack = NEW_ARRAY(ir->arena, int, n), *at = NEW_ARRAY(ir->arena, int, n);
  int *order = NEW_ARRAY(ir->arena, int, n), norder = 0;
  char *state = NEW_ARRAY(ir->arena, char, n);
  CallGraph g = {.prog = prog};
  for (int i = 0; i < n; i++) {
    Visitor v = {.ctx = &g, .expr = note_callee};
    vec_clear(&g.callees);
    visit_block(&v, prog->funcs[i]->body);
    if (g.callees.len) qsort(g.callees.data, g.callees.len, sizeof(int), by_number);
    callees[i] = g.callees.len ? COPY_ARRAY(ir->arena, int, g.callees.data, g.callees.len) : NULL;
    ncallees[i] = (int)g.callees.len;
  }
  vec_free(&g.callees);
  for (int i = 0; i < n; i++)
    if (!order_from(i, callees, ncallees, state, stack, at, order, &norder)) return out;
  for (int i = 0; i < n; i++) out[i] = prog->funcs[order[i]];
  return out;
}
