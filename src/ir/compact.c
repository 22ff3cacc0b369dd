#include "ir/compact.h"

#include <string.h>

#include "ir/type_table.h"

/* Each node says where it went, in place of its kind, so that what is shared stays shared; nobody reads the
 * old ones any more. */
enum { MOVED = 0xff };

/* Below this the caches hold it all. */
enum { LEAST_GARBAGE = 8 * 1024 * 1024 };

typedef struct Move {
  Ir *ir;
  Map windows; /* WindowBuffer -> where it went */
} Move;

static Expr *move_expr(Move *m, Expr *e);
static const Type *move_type(Move *m, const Type *t);
static Block move_block(Move *m, Block b);

/* ---------------------------------------------------------------- expressions */

static Expr **move_exprs(Move *m, Expr *const *list, int n) {
  if (!n) return NULL;
  Expr **out = NEW_ARRAY(m->ir->arena, Expr *, n);
  for (int i = 0; i < n; i++) out[i] = move_expr(m, list[i]);
  return out;
}

static Expr *move_optional(Move *m, Expr *e) { return e ? move_expr(m, e) : NULL; }

static AttrValue move_value(Move *m, AttrValue v) {
  if (v.kind == ATTR_EXPR) v.u.expr = move_expr(m, v.u.expr);
  if (v.kind == ATTR_LIST) {
    int n = v.u.list.len;
    v.u.list.items = n ? COPY_ARRAY(m->ir->arena, AttrValue, v.u.list.items, n) : NULL;
    for (int i = 0; i < n; i++) v.u.list.items[i] = move_value(m, v.u.list.items[i]);
  }
  return v;
}

static AttrList move_attrs(Move *m, AttrList list) {
  if (!list.len) return (AttrList){0};
  list.items = COPY_ARRAY(m->ir->arena, Attr, list.items, list.len);
  for (int i = 0; i < list.len; i++) list.items[i].value = move_value(m, list.items[i].value);
  return list;
}

static const Launch *move_launch(Move *m, const Launch *launch) {
  if (!launch) return NULL;
  Launch *l = COPY_ARRAY(m->ir->arena, Launch, launch, 1);
  l->deps = move_exprs(m, l->deps, l->ndeps);
  l->core_num = move_optional(m, l->core_num);
  l->predicate = move_optional(m, l->predicate);
  return l;
}

static void move_operands(Move *m, Expr *e) {
  switch (e->kind) {
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL: break;
    case EXPR_VAR: e->u.var.init = move_optional(m, e->u.var.init); break;
    case EXPR_CALL:
    case EXPR_SUBMIT:
      e->u.call.args = move_exprs(m, e->u.call.args, e->u.call.nargs);
      e->u.call.kwargs = move_attrs(m, e->u.call.kwargs);
      e->u.call.attrs = move_attrs(m, e->u.call.attrs);
      e->u.call.launch = move_launch(m, e->u.call.launch);
      break;
    case EXPR_TUPLE: e->u.tuple.elems = move_exprs(m, e->u.tuple.elems, e->u.tuple.len); break;
    case EXPR_TUPLE_GET: e->u.get.tuple = move_expr(m, e->u.get.tuple); break;
    default:
      if (expr_is_unary(e)) {
        e->u.operand = move_expr(m, e->u.operand);
      } else {
        e->u.bin.lhs = move_expr(m, e->u.bin.lhs);
        e->u.bin.rhs = move_expr(m, e->u.bin.rhs);
      }
  }
}

static Expr *move_expr(Move *m, Expr *old) {
  if ((int)old->kind == MOVED) return (Expr *)old->type;
  Expr *e = expr_copy(m->ir, old);
  const Type *type = old->type;
  old->kind = (ExprKind)MOVED;
  old->type = (const Type *)e;
  move_operands(m, e);
  e->type = move_type(m, type);
  return e;
}

/* ---------------------------------------------------------------- types */

static const WindowBuffer *move_window(Move *m, const WindowBuffer *old) {
  if (!old) return NULL;
  WindowBuffer *w = map_get(&m->windows, old);
  if (w) return w;
  w = COPY_ARRAY(m->ir->arena, WindowBuffer, old, 1);
  map_set(&m->windows, old, w);
  w->base = move_optional(m, w->base);
  w->size = move_optional(m, w->size);
  return w;
}

static const MemRef *move_memref(Move *m, const MemRef *old) {
  if (!old) return NULL;
  if (old->size == UINT64_MAX && old->slots == UINT64_MAX) return (const MemRef *)old->base;
  MemRef *n = memref_copy(m->ir, old);
  n->base = move_expr(m, n->base);
  n->offset = move_optional(m, n->offset);
  n->slot = move_optional(m, n->slot);
  *(MemRef *)old = (MemRef){.base = (Expr *)n, .size = UINT64_MAX, .slots = UINT64_MAX};
  type_table_add_memref(m->ir, n);
  return n;
}

static const TensorView *move_tensor_view(Move *m, const TensorView *old) {
  if (!old) return NULL;
  TensorView *v = COPY_ARRAY(m->ir->arena, TensorView, old, 1);
  v->stride = move_exprs(m, v->stride, v->nstride);
  v->valid_shape = move_exprs(m, v->valid_shape, v->nvalid);
  return v;
}

static const TileView *move_tile_view(Move *m, const TileView *old) {
  if (!old) return NULL;
  TileView *v = COPY_ARRAY(m->ir->arena, TileView, old, 1);
  v->stride = move_exprs(m, v->stride, v->nstride);
  v->valid_shape = move_exprs(m, v->valid_shape, v->nvalid);
  v->start_offset = move_optional(m, v->start_offset);
  return v;
}

static const Type *move_type(Move *m, const Type *old) {
  if ((int)old->kind == MOVED) return (const Type *)old->elems;
  Type *t = type_copy(m->ir, old);
  if (t->nelems) t->elems = COPY_ARRAY(m->ir->arena, const Type *, t->elems, t->nelems);
  for (int i = 0; i < t->nelems; i++) t->elems[i] = move_type(m, t->elems[i]);
  t->shape = move_exprs(m, t->shape, t->rank);
  t->memref = move_memref(m, t->memref);
  t->tensor_view = move_tensor_view(m, t->tensor_view);
  t->tile_view = move_tile_view(m, t->tile_view);
  t->window = move_window(m, t->window);
  *(Type *)old = (Type){.kind = (TypeKind)MOVED, .elems = (const Type **)t};
  type_table_add(m->ir, t);
  return t;
}

/* ---------------------------------------------------------------- statements */

static void move_loop(Move *m, Stmt *s) {
  s->u.loop.start = move_optional(m, s->u.loop.start);
  s->u.loop.stop = move_optional(m, s->u.loop.stop);
  s->u.loop.step = move_optional(m, s->u.loop.step);
  s->u.loop.attrs = move_attrs(m, s->u.loop.attrs);
  s->u.loop.iter_args = move_exprs(m, s->u.loop.iter_args, s->u.loop.ncarried);
  s->u.loop.var = move_optional(m, s->u.loop.var);
  s->u.loop.cond = move_optional(m, s->u.loop.cond);
  s->u.loop.body = move_block(m, s->u.loop.body);
  s->u.loop.results = move_exprs(m, s->u.loop.results, s->u.loop.nresults);
}

static void move_scope(Move *m, Stmt *s) {
  int n = s->u.scope.nwindows;
  s->u.scope.core_num = move_optional(m, s->u.scope.core_num);
  s->u.scope.attrs = move_attrs(m, s->u.scope.attrs);
  s->u.scope.index = move_optional(m, s->u.scope.index);
  if (n) s->u.scope.windows = COPY_ARRAY(m->ir->arena, WindowBuffer *, s->u.scope.windows, n);
  for (int i = 0; i < n; i++)
    s->u.scope.windows[i] = (WindowBuffer *)move_window(m, s->u.scope.windows[i]);
  s->u.scope.body = move_block(m, s->u.scope.body);
}

static Name *move_names(Move *m, Name *names, int n) {
  return n ? COPY_ARRAY(m->ir->arena, Name, names, n) : NULL;
}

static Stmt *move_stmt(Move *m, Stmt *old) {
  if ((int)old->kind == MOVED) return (Stmt *)old->comments;
  Stmt *s = stmt_copy(m->ir, old);
  s->comments = move_names(m, s->comments, s->ncomments);
  old->kind = (StmtKind)MOVED;
  old->comments = (Name *)s;
  switch (s->kind) {
    case STMT_ASSIGN:
      s->u.assign.value = move_expr(m, s->u.assign.value);
      s->u.assign.var = move_expr(m, s->u.assign.var);
      break;
    case STMT_EVAL: s->u.eval = move_expr(m, s->u.eval); break;
    case STMT_RETURN:
    case STMT_YIELD: s->u.ret.values = move_exprs(m, s->u.ret.values, s->u.ret.len); break;
    case STMT_IF:
      s->u.if_.cond = move_expr(m, s->u.if_.cond);
      s->u.if_.then_body = move_block(m, s->u.if_.then_body);
      s->u.if_.else_body = move_block(m, s->u.if_.else_body);
      s->u.if_.results = move_exprs(m, s->u.if_.results, s->u.if_.nresults);
      break;
    case STMT_FOR:
    case STMT_WHILE: move_loop(m, s); break;
    case STMT_SCOPE: move_scope(m, s); break;
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_INLINE: break;
  }
  return s;
}

static Block move_block(Move *m, Block b) {
  if (!b.len) return (Block){0};
  Stmt **items = NEW_ARRAY(m->ir->arena, Stmt *, b.len);
  for (int i = 0; i < b.len; i++) items[i] = move_stmt(m, b.items[i]);
  return (Block){items, b.len};
}

/* ---------------------------------------------------------------- programs */

static Function *move_func(Move *m, const Function *old) {
  Function *f = func_copy(m->ir, old);
  f->params = move_exprs(m, f->params, f->nparams);
  if (f->nparams) f->dirs = COPY_ARRAY(m->ir->arena, ParamDir, f->dirs, f->nparams);
  if (f->nreturns) f->returns = COPY_ARRAY(m->ir->arena, const Type *, f->returns, f->nreturns);
  for (int i = 0; i < f->nreturns; i++) f->returns[i] = move_type(m, f->returns[i]);
  f->attrs = move_attrs(m, f->attrs);
  f->comments = move_names(m, f->comments, f->ncomments);
  f->body = move_block(m, f->body);
  return f;
}

Program *ir_compact(Ir *ir, Program *old) {
  Arena before = *ir->arena;
  arena_init(ir->arena);
  ir->arena->spare = before.spare;
  before.spare = NULL;
  ir->vars = ir->placed_types = ir->memrefs = (NodePool){0};
  type_table_clear(ir);
  memset(ir->ints, 0, sizeof ir->ints);
  Move m = {.ir = ir};
  Program *p = COPY_ARRAY(ir->arena, Program, old, 1);
  p->funcs = COPY_ARRAY(ir->arena, Function *, p->funcs, p->nfuncs);
  for (int i = 0; i < p->nfuncs; i++) p->funcs[i] = move_func(&m, p->funcs[i]);
  map_free(&m.windows);
  arena_recycle(ir->arena, &before);
  ir->compacted = ir->arena->used;
  return p;
}

bool ir_compact_due(const Ir *ir) {
  return ir->arena->used >= ir->compacted + ir->compacted / 3 + LEAST_GARBAGE;
}
