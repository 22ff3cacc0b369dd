#include "ir/rewrite.h"

#include <string.h>

void rewriter_init(Rewriter *r, Ir *ir, void *ctx) {
  memset(r, 0, sizeof *r);
  r->ir = ir;
  r->ctx = ctx;
}

void rewriter_free(Rewriter *r) { map_free(&r->subst); }

/* ---------------------------------------------------------------- expressions */

/* The list itself if nothing in it changed, else a new one. */
static Expr **rewrite_exprs(Rewriter *r, Expr **list, int n) {
  Expr **out = list;
  for (int i = 0; i < n; i++) {
    Expr *e = rewrite_expr(r, list[i]);
    if (e == list[i]) continue;
    if (out == list) out = COPY_ARRAY(r->ir->arena, Expr *, list, n);
    out[i] = e;
  }
  return out;
}

static Expr *rewrite_optional(Rewriter *r, Expr *e) { return e ? rewrite_expr(r, e) : NULL; }

static bool rewrite_attr_value(Rewriter *r, AttrValue *v) {
  bool changed = false;
  if (v->kind == ATTR_EXPR) {
    Expr *e = rewrite_expr(r, v->u.expr);
    changed = e != v->u.expr;
    v->u.expr = e;
  } else if (v->kind == ATTR_LIST) {
    AttrValue *items = v->u.list.items;
    for (int i = 0; i < v->u.list.len; i++) {
      AttrValue item = items[i];
      if (!rewrite_attr_value(r, &item)) continue;
      if (!changed) items = COPY_ARRAY(r->ir->arena, AttrValue, items, v->u.list.len);
      items[i] = item;
      changed = true;
    }
    v->u.list.items = items;
  }
  return changed;
}

AttrList rewrite_attrs(Rewriter *r, AttrList list) {
  bool changed = false;
  for (int i = 0; i < list.len; i++) {
    AttrValue v = list.items[i].value;
    if (!rewrite_attr_value(r, &v)) continue;
    if (!changed) list.items = COPY_ARRAY(r->ir->arena, Attr, list.items, list.len);
    list.items[i].value = v;
    changed = true;
  }
  return list;
}

static const Launch *rewrite_launch(Rewriter *r, const Launch *l) {
  if (!l) return NULL;
  Launch n = *l;
  n.deps = rewrite_exprs(r, l->deps, l->ndeps);
  n.core_num = rewrite_optional(r, l->core_num);
  n.predicate = rewrite_optional(r, l->predicate);
  if (n.deps == l->deps && n.core_num == l->core_num && n.predicate == l->predicate) return l;
  return COPY_ARRAY(r->ir->arena, Launch, &n, 1);
}

static Expr *rewrite_call(Rewriter *r, Expr *e) {
  Expr n = {.kind = e->kind, .type = e->type, .span = e->span};
  n.u.call = e->u.call;
  n.u.call.args = rewrite_exprs(r, e->u.call.args, e->u.call.nargs);
  n.u.call.kwargs = rewrite_attrs(r, e->u.call.kwargs);
  n.u.call.attrs = rewrite_attrs(r, e->u.call.attrs);
  n.u.call.launch = rewrite_launch(r, e->u.call.launch);
  n.type = rewrite_type(r, e->type);
  if (n.u.call.args == e->u.call.args && n.u.call.kwargs.items == e->u.call.kwargs.items &&
      n.u.call.attrs.items == e->u.call.attrs.items && n.u.call.launch == e->u.call.launch &&
      n.type == e->type)
    return e;
  return expr_copy(r->ir, &n);
}

Expr *rewrite_expr(Rewriter *r, Expr *e) {
  return r->expr ? r->expr(r, e) : rewrite_expr_children(r, e);
}

Expr *rewrite_expr_children(Rewriter *r, Expr *e) {
  switch (e->kind) {
    case EXPR_VAR: {
      Expr *to = map_get(&r->subst, e);
      return to ? to : e;
    }
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL: return e;
    case EXPR_CALL:
    case EXPR_SUBMIT: return rewrite_call(r, e);
    case EXPR_TUPLE: {
      Expr **elems = rewrite_exprs(r, e->u.tuple.elems, e->u.tuple.len);
      return elems == e->u.tuple.elems ? e : expr_tuple(r->ir, elems, e->u.tuple.len, e->span);
    }
    case EXPR_TUPLE_GET: {
      Expr *t = rewrite_expr(r, e->u.get.tuple);
      return t == e->u.get.tuple ? e : expr_tuple_get(r->ir, t, e->u.get.index, e->span);
    }
    default: break;
  }
  if (expr_is_unary(e)) {
    Expr *x = rewrite_expr(r, e->u.operand);
    return x == e->u.operand ? e : expr_unary(r->ir, e->kind, x, e->type->dtype, e->span);
  }
  Expr *lhs = rewrite_expr(r, e->u.bin.lhs), *rhs = rewrite_expr(r, e->u.bin.rhs);
  if (lhs == e->u.bin.lhs && rhs == e->u.bin.rhs) return e;
  return expr_binary(r->ir, e->kind, lhs, rhs, e->type->dtype, e->span);
}

/* ---------------------------------------------------------------- types and definitions */

static const TensorView *rewrite_tensor_view(Rewriter *r, const TensorView *v) {
  if (!v) return NULL;
  TensorView n = *v;
  n.stride = rewrite_exprs(r, v->stride, v->nstride);
  n.valid_shape = rewrite_exprs(r, v->valid_shape, v->nvalid);
  if (n.stride == v->stride && n.valid_shape == v->valid_shape) return v;
  return COPY_ARRAY(r->ir->arena, TensorView, &n, 1);
}

static const TileView *rewrite_tile_view(Rewriter *r, const TileView *v) {
  if (!v) return NULL;
  TileView n = *v;
  n.stride = rewrite_exprs(r, v->stride, v->nstride);
  n.valid_shape = rewrite_exprs(r, v->valid_shape, v->nvalid);
  n.start_offset = rewrite_optional(r, v->start_offset);
  if (n.stride == v->stride && n.valid_shape == v->valid_shape && n.start_offset == v->start_offset)
    return v;
  return COPY_ARRAY(r->ir->arena, TileView, &n, 1);
}

static const MemRef *rewrite_memref(Rewriter *r, const MemRef *m) {
  if (!m) return NULL;
  MemRef n = *m;
  n.base = rewrite_expr(r, m->base);
  n.offset = rewrite_optional(r, m->offset);
  n.slot = rewrite_optional(r, m->slot);
  if (n.base == m->base && n.offset == m->offset && n.slot == m->slot) return m;
  return memref_intern(r->ir, &n);
}

const Type *rewrite_type(Rewriter *r, const Type *t) {
  return r->type ? r->type(r, t) : rewrite_type_children(r, t);
}

const Type *rewrite_type_children(Rewriter *r, const Type *t) {
  if (!t->rank && !t->nelems && !t->memref) return t;
  Type n = *t;
  n.shape = rewrite_exprs(r, t->shape, t->rank);
  n.memref = rewrite_memref(r, t->memref);
  n.tensor_view = rewrite_tensor_view(r, t->tensor_view);
  n.tile_view = rewrite_tile_view(r, t->tile_view);
  bool changed = n.shape != t->shape || n.memref != t->memref || n.tensor_view != t->tensor_view ||
                 n.tile_view != t->tile_view;
  for (int i = 0; i < t->nelems; i++) {
    const Type *elem = rewrite_type(r, t->elems[i]);
    if (elem == t->elems[i]) continue;
    if (n.elems == t->elems) n.elems = COPY_ARRAY(r->ir->arena, const Type *, t->elems, t->nelems);
    n.elems[i] = elem;
    changed = true;
  }
  return changed ? type_intern(r->ir, &n) : t;
}

Expr *rewrite_def(Rewriter *r, Expr *var) {
  return r->def ? r->def(r, var) : rewrite_def_default(r, var);
}

Expr *rewrite_def_default(Rewriter *r, Expr *var) {
  const Type *type = rewrite_type(r, var->type);
  Expr *init = var->u.var.is_iter_arg ? rewrite_expr(r, var->u.var.init) : NULL;
  if (type == var->type && init == (var->u.var.is_iter_arg ? var->u.var.init : NULL)) return var;
  Expr *n = expr_var(r->ir, var->u.var.name, type, var->span);
  n->u.var.is_iter_arg = var->u.var.is_iter_arg;
  n->u.var.init = init;
  map_set(&r->subst, var, n);
  return n;
}

static Expr **rewrite_defs(Rewriter *r, Expr **vars, int n) {
  Expr **out = vars;
  for (int i = 0; i < n; i++) {
    Expr *v = rewrite_def(r, vars[i]);
    if (v == vars[i]) continue;
    if (out == vars) out = COPY_ARRAY(r->ir->arena, Expr *, vars, n);
    out[i] = v;
  }
  return out;
}

/* ---------------------------------------------------------------- statements */

static Stmt *changed(Rewriter *r, Stmt *old, const Stmt *n) {
  return stmt_same_fields(old, n) ? old : stmt_copy(r->ir, n);
}

/* Initial values are seen outside the loop, so they are rewritten (by rewrite_def) before the loop
 * variable is bound; the condition of a while loop sees the carried values. */
static void rewrite_loop(Rewriter *r, Stmt *n) {
  if (n->kind == STMT_FOR) {
    n->u.loop.start = rewrite_expr(r, n->u.loop.start);
    n->u.loop.stop = rewrite_expr(r, n->u.loop.stop);
    n->u.loop.step = rewrite_expr(r, n->u.loop.step);
  }
  n->u.loop.attrs = rewrite_attrs(r, n->u.loop.attrs);
  n->u.loop.iter_args = rewrite_defs(r, n->u.loop.iter_args, n->u.loop.ncarried);
  if (n->kind == STMT_FOR) n->u.loop.var = rewrite_def(r, n->u.loop.var);
  if (n->kind == STMT_WHILE) n->u.loop.cond = rewrite_expr(r, n->u.loop.cond);
  n->u.loop.body = rewrite_block(r, n->u.loop.body);
  n->u.loop.results = rewrite_defs(r, n->u.loop.results, n->u.loop.nresults);
}

Stmt *rewrite_stmt_children(Rewriter *r, Stmt *s) {
  Stmt n = stmt_load(s);
  switch (s->kind) {
    case STMT_ASSIGN:
      n.u.assign.value = rewrite_expr(r, s->u.assign.value);
      n.u.assign.var = rewrite_def(r, s->u.assign.var);
      break;
    case STMT_EVAL: n.u.eval = rewrite_expr(r, s->u.eval); break;
    case STMT_RETURN:
    case STMT_YIELD: n.u.ret.values = rewrite_exprs(r, s->u.ret.values, s->u.ret.len); break;
    case STMT_IF:
      n.u.if_.cond = rewrite_expr(r, s->u.if_.cond);
      n.u.if_.then_body = rewrite_block(r, s->u.if_.then_body);
      if (s->u.if_.has_else) n.u.if_.else_body = rewrite_block(r, s->u.if_.else_body);
      n.u.if_.results = rewrite_defs(r, s->u.if_.results, s->u.if_.nresults);
      break;
    case STMT_FOR:
    case STMT_WHILE: rewrite_loop(r, &n); break;
    case STMT_SCOPE:
      n.u.scope.core_num = rewrite_optional(r, s->u.scope.core_num);
      n.u.scope.attrs = rewrite_attrs(r, s->u.scope.attrs);
      if (s->u.scope.index) n.u.scope.index = rewrite_def(r, s->u.scope.index);
      n.u.scope.body = rewrite_block(r, s->u.scope.body);
      break;
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_INLINE: return s;
  }
  return changed(r, s, &n);
}

void rewrite_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  if (r->stmt)
    r->stmt(r, s, out);
  else
    vec_push(out, rewrite_stmt_children(r, s));
}

Block rewrite_block(Rewriter *r, Block b) {
  return r->block ? r->block(r, b) : rewrite_block_children(r, b);
}

Block rewrite_block_children(Rewriter *r, Block b) {
  StmtList out = {0};
  if (r->enter) r->enter(r);
  for (int i = 0; i < b.len; i++) rewrite_stmt(r, b.items[i], &out);
  if (r->leave) r->leave(r);
  bool same = (int)out.len == b.len &&
              (b.len == 0 || memcmp(out.data, b.items, sizeof(Stmt *) * out.len) == 0);
  if (same) {
    vec_free(&out);
    return b;
  }
  return block_take(r->ir, &out);
}

Function *rewrite_func(Rewriter *r, Function *f) {
  Function n = *f;
  n.params = rewrite_defs(r, f->params, f->nparams);
  for (int i = 0; i < f->nreturns; i++) {
    const Type *t = rewrite_type(r, f->returns[i]);
    if (t == f->returns[i]) continue;
    if (n.returns == f->returns)
      n.returns = COPY_ARRAY(r->ir->arena, const Type *, f->returns, f->nreturns);
    n.returns[i] = t;
  }
  n.body = rewrite_block(r, f->body);
  n.attrs = rewrite_attrs(r, f->attrs);
  if (n.params == f->params && n.returns == f->returns && n.body.items == f->body.items &&
      n.body.len == f->body.len && n.attrs.items == f->attrs.items)
    return f;
  return func_copy(r->ir, &n);
}

Function *rewrite_func_stmts(Ir *ir, Function *f, void (*stmt)(Rewriter *r, Stmt *s, StmtList *out),
                             void *ctx) {
  Rewriter r;
  rewriter_init(&r, ir, ctx);
  r.stmt = stmt;
  Function *out = rewrite_func(&r, f);
  rewriter_free(&r);
  return out;
}

Program *rewrite_program(Ir *ir, Program *p, Function *(*f)(void *ctx, Function *), void *ctx) {
  Function **funcs = p->funcs;
  for (int i = 0; i < p->nfuncs; i++) {
    Function *g = f(ctx, p->funcs[i]);
    if (!g) return NULL;
    if (g == p->funcs[i]) continue;
    if (funcs == p->funcs) funcs = COPY_ARRAY(ir->arena, Function *, p->funcs, p->nfuncs);
    funcs[i] = g;
  }
  return funcs == p->funcs ? p : program_new(ir, p->name, funcs, p->nfuncs, p->span);
}
