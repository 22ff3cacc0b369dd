#include "passes/verify/scoping.h"

#include "base/map.h"
#include "base/vec.h"
#include "ir/visit.h"

typedef VEC(const Expr *) VarStack;

typedef struct Scoping {
  Ir *ir;
  ScopingRules rules;
  Map bound;      /* every variable that a parameter or a statement of the function binds */
  Map visible;    /* those that may be used here */
  Map assigned;   /* those bound so far, for `once` */
  Map told;       /* those reported */
  VarStack stack; /* the visible ones in order, to take back at the end of a block */
  Span at;        /* the statement at work */
  bool in_type;
  bool ok;
} Scoping;

static void walk(Scoping *c, Block b);

static void show(Scoping *c, const Expr *var) {
  if (map_set(&c->visible, var, map_int(1))) vec_push(&c->stack, var);
}

static void hide_after(Scoping *c, size_t mark) {
  while (c->stack.len > mark) map_remove(&c->visible, vec_pop(&c->stack));
}

/* A symbol is used by what is typed with it; a variable of the function must be visible. */
static bool may_use(Scoping *c, const Expr *var) {
  if (map_has(&c->visible, var)) return true;
  return c->in_type && !map_has(&c->bound, var);
}

static bool check_use(Visitor *v, Expr *e) {
  Scoping *c = v->ctx;
  if (e->kind != EXPR_VAR || may_use(c, e) || !map_set(&c->told, e, map_int(1))) return true;
  diag_error(c->ir->diag, c->at, "the variable '%s' is used where it has no value", e->u.var.name);
  if (map_has(&c->bound, e))
    diag_note(c->ir->diag, e->span, "it is set here only, which not every way to its use passes");
  c->ok = false;
  return true;
}

static void use(Scoping *c, Expr *e) {
  Visitor v = {.ctx = c, .expr = check_use};
  if (e) visit_expr(&v, e);
}

static void use_all(Scoping *c, Expr *const *es, int n) {
  for (int i = 0; i < n; i++) use(c, es[i]);
}

static void use_attr(Scoping *c, const AttrValue *a) {
  if (a->kind == ATTR_EXPR) use(c, a->u.expr);
  if (a->kind == ATTR_LIST)
    for (int i = 0; i < a->u.list.len; i++) use_attr(c, &a->u.list.items[i]);
}

static void use_attrs(Scoping *c, AttrList attrs) {
  for (int i = 0; i < attrs.len; i++) use_attr(c, &attrs.items[i].value);
}

static bool show_symbol(Visitor *v, Expr *e) {
  Scoping *c = v->ctx;
  if (e->kind == EXPR_VAR && !map_has(&c->bound, e)) show(c, e);
  return true;
}

/* The symbols in a type are visible from here on; the variables in it must be already. */
static void use_type(Scoping *c, const Type *t) {
  Visitor symbols = {.ctx = c, .expr = show_symbol};
  visit_type(&symbols, t);
  Visitor uses = {.ctx = c, .expr = check_use};
  c->in_type = true;
  visit_type(&uses, t);
  c->in_type = false;
}

static void bind(Scoping *c, Expr *var) {
  if (c->rules.once && !map_set(&c->assigned, var, map_int(1))) {
    diag_error(c->ir->diag, c->at, "the variable '%s' is assigned more than once", var->u.var.name);
    c->ok = false;
  }
  use_type(c, var->type);
  show(c, var);
}

static void bind_all(Scoping *c, Expr *const *vars, int n) {
  for (int i = 0; i < n; i++) bind(c, vars[i]);
}

/* Binds results, unless what was assigned before `mark` leaks. */
static void leave(Scoping *c, size_t mark, Expr *const *results, int n) {
  if (n > 0 || !c->rules.leaks) hide_after(c, mark);
  bind_all(c, results, n);
}

static void walk_loop(Scoping *c, Stmt *s) {
  use(c, s->u.loop.start);
  use(c, s->u.loop.stop);
  use(c, s->u.loop.step);
  for (int i = 0; i < s->u.loop.ncarried; i++) use(c, s->u.loop.iter_args[i]->u.var.init);
  use_attrs(c, s->u.loop.attrs);
  size_t mark = c->stack.len;
  if (s->kind == STMT_FOR) bind(c, s->u.loop.var);
  bind_all(c, s->u.loop.iter_args, s->u.loop.ncarried);
  use(c, s->u.loop.cond);
  walk(c, s->u.loop.body);
  c->at = s->span;
  leave(c, mark, s->u.loop.results, s->u.loop.nresults);
}

static void walk_if(Scoping *c, Stmt *s) {
  use(c, s->u.if_.cond);
  size_t mark = c->stack.len;
  walk(c, s->u.if_.then_body);
  /* A leaking branch is seen by the other one, too: the walk only finds what can have no value. */
  if (!c->rules.leaks) hide_after(c, mark);
  if (s->u.if_.has_else) walk(c, s->u.if_.else_body);
  c->at = s->span;
  leave(c, mark, s->u.if_.results, s->u.if_.nresults);
}

static void walk_scope(Scoping *c, Stmt *s) {
  use(c, s->u.scope.core_num);
  use_attrs(c, s->u.scope.attrs);
  for (int i = 0; i < s->u.scope.nwindows; i++) show(c, s->u.scope.windows[i]->base);
  if (s->u.scope.index) bind(c, s->u.scope.index);
  walk(c, s->u.scope.body);
}

static void walk_stmt(Scoping *c, Stmt *s) {
  c->at = s->span;
  switch (s->kind) {
    case STMT_ASSIGN:
      use(c, s->u.assign.value);
      bind(c, s->u.assign.var);
      break;
    case STMT_EVAL: use(c, s->u.eval); break;
    case STMT_RETURN:
    case STMT_YIELD: use_all(c, s->u.ret.values, s->u.ret.len); break;
    case STMT_IF: walk_if(c, s); break;
    case STMT_FOR:
    case STMT_WHILE: walk_loop(c, s); break;
    case STMT_SCOPE: walk_scope(c, s); break;
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_INLINE: break;
  }
}

static void walk(Scoping *c, Block b) {
  for (int i = 0; i < b.len; i++) walk_stmt(c, b.items[i]);
}

static void note_bound(Visitor *v, Expr *var) {
  Scoping *c = v->ctx;
  map_set(&c->bound, var, map_int(1));
}

static void check_function(Scoping *c, Function *f) {
  Visitor v = {.ctx = c, .def = note_bound};
  map_clear(&c->bound);
  visit_func(&v, f);
  c->at = f->span;
  for (int i = 0; i < f->nparams; i++) show(c, f->params[i]);
  for (int i = 0; i < f->nparams; i++) use_type(c, f->params[i]->type);
  for (int i = 0; i < f->nreturns; i++) use_type(c, f->returns[i]);
  use_attrs(c, f->attrs);
  walk(c, f->body);
  hide_after(c, 0);
}

bool check_scoping(Ir *ir, const Program *p, ScopingRules rules) {
  Scoping c = {.ir = ir, .rules = rules, .ok = true};
  for (int i = 0; i < p->nfuncs; i++) check_function(&c, p->funcs[i]);
  map_free(&c.bound);
  map_free(&c.visible);
  map_free(&c.assigned);
  map_free(&c.told);
  vec_free(&c.stack);
  return c.ok;
}
