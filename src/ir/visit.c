#include "ir/visit.h"

static void visit_exprs(Visitor *v, Expr *const *e, int n) {
  for (int i = 0; i < n; i++) visit_expr(v, e[i]);
}

static void visit_attr_value(Visitor *v, const AttrValue *a) {
  if (a->kind == ATTR_EXPR) visit_expr(v, a->u.expr);
  if (a->kind == ATTR_LIST)
    for (int i = 0; i < a->u.list.len; i++) visit_attr_value(v, &a->u.list.items[i]);
}

static void visit_attrs(Visitor *v, AttrList list) {
  for (int i = 0; i < list.len; i++) visit_attr_value(v, &list.items[i].value);
}

static void visit_call(Visitor *v, Expr *e) {
  visit_exprs(v, e->u.call.args, e->u.call.nargs);
  visit_attrs(v, e->u.call.kwargs);
  visit_attrs(v, e->u.call.attrs);
  const Launch *l = e->u.call.launch;
  if (!l) return;
  visit_exprs(v, l->deps, l->ndeps);
  if (l->core_num) visit_expr(v, l->core_num);
  if (l->predicate) visit_expr(v, l->predicate);
}

void visit_expr(Visitor *v, Expr *e) {
  if (v->expr && !v->expr(v, e)) return;
  switch (e->kind) {
    case EXPR_VAR:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL: return;
    case EXPR_CALL:
    case EXPR_SUBMIT: visit_call(v, e); return;
    case EXPR_TUPLE: visit_exprs(v, e->u.tuple.elems, e->u.tuple.len); return;
    case EXPR_TUPLE_GET: visit_expr(v, e->u.get.tuple); return;
    default:
      if (expr_is_unary(e)) {
        visit_expr(v, e->u.operand);
      } else {
        visit_expr(v, e->u.bin.lhs);
        visit_expr(v, e->u.bin.rhs);
      }
  }
}

void visit_type(Visitor *v, const Type *t) {
  visit_exprs(v, t->shape, t->rank);
  for (int i = 0; i < t->nelems; i++) visit_type(v, t->elems[i]);
  if (t->memref) {
    if (t->memref->offset) visit_expr(v, t->memref->offset);
    if (t->memref->slot) visit_expr(v, t->memref->slot);
  }
  if (t->tensor_view) {
    visit_exprs(v, t->tensor_view->stride, t->tensor_view->nstride);
    visit_exprs(v, t->tensor_view->valid_shape, t->tensor_view->nvalid);
  }
  if (t->tile_view) {
    visit_exprs(v, t->tile_view->valid_shape, t->tile_view->nvalid);
    visit_exprs(v, t->tile_view->stride, t->tile_view->nstride);
    if (t->tile_view->start_offset) visit_expr(v, t->tile_view->start_offset);
  }
}

static void visit_def(Visitor *v, Expr *var) {
  if (v->def) v->def(v, var);
  if (v->types) visit_type(v, var->type);
}

static void visit_defs(Visitor *v, Expr *const *vars, int n) {
  for (int i = 0; i < n; i++) visit_def(v, vars[i]);
}

static void visit_loop(Visitor *v, Stmt *s) {
  if (s->kind == STMT_FOR) {
    visit_expr(v, s->u.loop.start);
    visit_expr(v, s->u.loop.stop);
    visit_expr(v, s->u.loop.step);
  }
  for (int i = 0; i < s->u.loop.ncarried; i++) visit_expr(v, s->u.loop.iter_args[i]->u.var.init);
  visit_attrs(v, s->u.loop.attrs);
  if (s->kind == STMT_FOR) visit_def(v, s->u.loop.var);
  visit_defs(v, s->u.loop.iter_args, s->u.loop.ncarried);
  if (s->kind == STMT_WHILE) visit_expr(v, s->u.loop.cond);
  visit_block(v, s->u.loop.body);
  visit_defs(v, s->u.loop.results, s->u.loop.nresults);
}

static void visit_scope(Visitor *v, Stmt *s) {
  if (s->u.scope.core_num) visit_expr(v, s->u.scope.core_num);
  visit_attrs(v, s->u.scope.attrs);
  if (s->u.scope.index) visit_def(v, s->u.scope.index);
  visit_block(v, s->u.scope.body);
}

void visit_stmt(Visitor *v, Stmt *s) {
  if (v->stmt && !v->stmt(v, s)) return;
  switch (s->kind) {
    case STMT_ASSIGN:
      visit_expr(v, s->u.assign.value);
      visit_def(v, s->u.assign.var);
      break;
    case STMT_EVAL: visit_expr(v, s->u.eval); break;
    case STMT_RETURN:
    case STMT_YIELD: visit_exprs(v, s->u.ret.values, s->u.ret.len); break;
    case STMT_IF:
      visit_expr(v, s->u.if_.cond);
      visit_block(v, s->u.if_.then_body);
      if (s->u.if_.has_else) visit_block(v, s->u.if_.else_body);
      visit_defs(v, s->u.if_.results, s->u.if_.nresults);
      break;
    case STMT_FOR:
    case STMT_WHILE: visit_loop(v, s); break;
    case STMT_SCOPE: visit_scope(v, s); break;
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_INLINE: break;
  }
  if (v->stmt_end) v->stmt_end(v, s);
}

void visit_block(Visitor *v, Block b) {
  for (int i = 0; i < b.len; i++) visit_stmt(v, b.items[i]);
}

void visit_func(Visitor *v, Function *f) {
  visit_defs(v, f->params, f->nparams);
  visit_block(v, f->body);
}

void visit_program(Visitor *v, const Program *p) {
  for (int i = 0; i < p->nfuncs; i++) visit_func(v, p->funcs[i]);
}

bool visit_no_expr(Visitor *v, Expr *e) {
  (void)v;
  (void)e;
  return false;
}

bool visit_collect_vars(Visitor *v, Expr *e) {
  if (expr_is_var(e)) map_set(v->ctx, e, e);
  return true;
}
