/* InferTileMemorySpace: gives every tile of a core function its memory space;
 * docs/passes/infer-tile-memory-space.md. */

#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/memory/memref.h"
#include "passes/memory/resident.h"
#include "passes/pass.h"

typedef struct Flow {
  Expr *view, *of;
} Flow;

/* The copies of one variable in other spaces, as far as they can be seen here. */
typedef struct Copies {
  uint32_t needed; /* bits of spaces into which some operator wants it moved */
  uint32_t starts; /* bits of spaces in which a loop starts with it */
  Expr *moved[MEM_COUNT];
} Copies;

typedef struct Moved {
  Copies *copies;
  MemSpace space;
} Moved;

typedef struct Infer {
  Ir *ir;
  Map demand; /* variable -> space that its users would like */
  Map space;  /* tile -> its space */
  Map copies; /* variable -> Copies */
  Map in_acc; /* tile that is made in Acc, and can be made nowhere else -> itself */
  Map form;   /* result -> the variable whose layout it has */
  VEC(Flow) views;
  VEC(Moved) visible; /* copies made in the blocks around */
  VEC(size_t) blocks; /* how many were visible when each began */
  bool failed;
} Infer;

static bool is_plain_var(const Expr *e) { return expr_is_var(e) && !e->u.var.is_iter_arg; }

static MemSpace space_of(const Infer *in, const Expr *var) {
  return (MemSpace)map_get_int(&in->space, var);
}

static void set_space(Infer *in, const Expr *var, MemSpace s) {
  map_set(&in->space, var, map_int(s));
}

/* ---------------------------------------------------------------- demand */

/* Vec is what anybody can do with; a special wish wins. */
static void add_demand(Infer *in, const Expr *var, MemSpace s) {
  MemSpace now = (MemSpace)map_get_int(&in->demand, var);
  if (now == MEM_NONE || (now == MEM_VEC && s != MEM_VEC)) map_set(&in->demand, var, map_int(s));
}

static void demand_by(Infer *in, const Expr *call) {
  const Op *op = expr_op(call);
  for (int i = 0; op && i < call->u.call.nargs; i++) {
    MemSpace s = op_arg_space(op, i);
    if (s != MEM_NONE && is_plain_var(call->u.call.args[i]))
      add_demand(in, call->u.call.args[i], s);
  }
}

static bool demand_stmt(Visitor *v, Stmt *s) {
  Infer *in = v->ctx;
  if (s->kind == STMT_EVAL) demand_by(in, s->u.eval);
  if (s->kind != STMT_ASSIGN) return true;
  const Expr *value = s->u.assign.value;
  const Op *op = expr_op(value);
  demand_by(in, value);
  if (!op || !op_inherits(op)) return true;
  for (int i = 0; i < value->u.call.nargs; i++) {
    Expr *arg = value->u.call.args[i];
    if (!is_plain_var(arg) || !(type_is_tile(arg->type) || arg->type->kind == TYPE_TENSOR))
      continue;
    vec_push(&in->views, (Flow){s->u.assign.var, arg});
    break;
  }
  return true;
}

static void find_demand(Infer *in, const Function *f) {
  Visitor v = {.ctx = in, .stmt = demand_stmt, .expr = visit_no_expr};
  visit_block(&v, f->body);
  for (size_t i = in->views.len; i-- > 0;) {
    MemSpace s = (MemSpace)map_get_int(&in->demand, in->views.data[i].view);
    if (s != MEM_NONE) add_demand(in, in->views.data[i].of, s);
  }
}

/* ---------------------------------------------------------------- spaces */

/* The space of the first argument that has one, else Vec. */
static MemSpace argument_space(const Infer *in, const Expr *call) {
  for (int i = 0; i < call->u.call.nargs; i++) {
    const Expr *arg = call->u.call.args[i];
    if (expr_is_var(arg) && space_of(in, arg) != MEM_NONE) return space_of(in, arg);
  }
  return MEM_VEC;
}

/* Does the compiler choose the space by a keyword without default? */
static bool is_open(const Op *op) {
  return op->place.kind == PLACE_KEYWORD && op->place.space == MEM_NONE;
}

static MemSpace result_space(Infer *in, const Expr *call, const Expr *result) {
  const Op *op = expr_op(call);
  if (!op || op->family != FAMILY_TILE) return MEM_VEC;
  if (op->place.kind == PLACE_NONE) {
    const Type *t = call->type;
    return type_is_tile(t) && t->space != MEM_NONE && t->space != MEM_DDR ? t->space : MEM_VEC;
  }
  MemSpace fixed = call_fixed_space(call);
  if (fixed != MEM_NONE) return fixed;
  if (is_open(op)) {
    /* from global memory data reaches only these; an operator that wants another gets a move */
    MemSpace wish = (MemSpace)map_get_int(&in->demand, result);
    if (wish == MEM_VEC || wish == MEM_MAT) return wish;
  }
  return argument_space(in, call);
}

/* The space of a value: found so far, else the one its type says. */
static MemSpace known_space(const Infer *in, const Expr *e) {
  if (!expr_is_var(e)) return MEM_NONE;
  MemSpace s = space_of(in, e);
  return s == MEM_NONE && type_is_tile(e->type) ? e->type->space : s;
}

static void infer_block(Infer *in, Block b);

static Copies *copies_of(Infer *in, const Expr *var) {
  Copies *c = map_get(&in->copies, var);
  if (c) return c;
  c = NEW(in->ir->arena, Copies);
  map_set(&in->copies, var, c);
  return c;
}

/* Is it an accumulator that is to be had in `to` as well, by a move? */
static bool leaves_acc(const Infer *in, const Expr *var, MemSpace to) {
  return map_has(&in->in_acc, var) && space_of(in, var) == MEM_ACC &&
         (to == MEM_VEC || to == MEM_MAT);
}

/* Where a loop starts that begins with `init`, as far as is known. */
static MemSpace start_space(const Infer *in, const Expr *init) {
  const Copies *c = map_get(&in->copies, init);
  return c && c->starts ? (MemSpace)__builtin_ctz(c->starts) : known_space(in, init);
}

static void infer_loop(Infer *in, Stmt *s) {
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    Expr *arg = s->u.loop.iter_args[i];
    MemSpace from = type_is_tile(arg->type) ? start_space(in, arg->u.var.init) : MEM_NONE;
    if (from != MEM_NONE) set_space(in, arg, from);
  }
  infer_block(in, s->u.loop.body);
  Stmt *yield = block_yield(s->u.loop.body);
  bool again = false;
  for (int i = 0; yield && i < s->u.loop.nresults && i < yield->u.ret.len; i++) {
    Expr *value = yield->u.ret.values[i];
    if (!type_is_tile(s->u.loop.results[i]->type) || !is_plain_var(value)) continue;
    MemSpace at = known_space(in, value);
    if (at == MEM_NONE) continue;
    set_space(in, s->u.loop.results[i], at);
    if (i >= s->u.loop.ncarried) continue;
    /* what the body makes decides where the loop starts, too */
    Expr *arg = s->u.loop.iter_args[i], *init = arg->u.var.init;
    set_space(in, arg, at);
    map_set(&in->form, s->u.loop.results[i], arg);
    if (!is_plain_var(init) || !type_is_tile(init->type)) continue;
    if (!leaves_acc(in, init, at)) {
      set_space(in, init, at);
      continue;
    }
    Copies *c = copies_of(in, init);
    again |= !(c->starts >> at & 1);
    c->starts |= 1u << at;
  }
  if (again) infer_block(in, s->u.loop.body); /* what it carries does not begin in Acc, after all */
}

static void infer_if(Infer *in, Stmt *s) {
  infer_block(in, s->u.if_.then_body);
  if (s->u.if_.has_else) infer_block(in, s->u.if_.else_body);
  Stmt *then_yield = block_yield(s->u.if_.then_body);
  Stmt *else_yield = s->u.if_.has_else ? block_yield(s->u.if_.else_body) : NULL;
  if (!then_yield && !else_yield) return;
  for (int i = 0; i < s->u.if_.nresults; i++) {
    Expr *result = s->u.if_.results[i];
    if (!type_is_tile(result->type)) continue;
    MemSpace a = MEM_NONE, b = MEM_NONE;
    if (then_yield && i < then_yield->u.ret.len) a = known_space(in, then_yield->u.ret.values[i]);
    if (else_yield && i < else_yield->u.ret.len) b = known_space(in, else_yield->u.ret.values[i]);
    if (a != MEM_NONE && b != MEM_NONE && a != b) continue;
    MemSpace at = a != MEM_NONE ? a : b != MEM_NONE ? b : result->type->space;
    if (at != MEM_NONE) set_space(in, result, at);
    if (a != MEM_NONE) map_set(&in->form, result, then_yield->u.ret.values[i]);
  }
}

static void infer_assign(Infer *in, Stmt *s) {
  Expr *var = s->u.assign.var, *value = s->u.assign.value;
  if (!type_is_tile(var->type)) return;
  if (value->kind == EXPR_CALL) {
    MemSpace s = result_space(in, value, var);
    set_space(in, var, s);
    if (s == MEM_ACC && !(expr_op(value) && is_open(expr_op(value))))
      map_set(&in->in_acc, var, var);
  } else if (is_plain_var(value) && space_of(in, value) != MEM_NONE)
    set_space(in, var, space_of(in, value));
}

static void infer_block(Infer *in, Block b) {
  for (int i = 0; i < b.len; i++) {
    Stmt *s = b.items[i];
    if (s->kind == STMT_ASSIGN) infer_assign(in, s);
    if (s->kind == STMT_IF) infer_if(in, s);
    if (stmt_is_loop(s)) infer_loop(in, s);
    if (s->kind == STMT_SCOPE) infer_block(in, s->u.scope.body);
  }
}

/* ---------------------------------------------------------------- moves */

static void need_moves(Infer *in, const Expr *call) {
  const Op *op = expr_op(call);
  for (int i = 0; op && i < call->u.call.nargs; i++) {
    Expr *arg = call->u.call.args[i];
    uint32_t allowed = op_arg_spaces(op, i);
    if (!allowed || !is_plain_var(arg) || space_of(in, arg) == MEM_NONE) continue;
    if (allowed >> space_of(in, arg) & 1) continue;
    copies_of(in, arg)->needed |= 1u << op_arg_space(op, i);
  }
}

static bool need_stmt(Visitor *v, Stmt *s) {
  if (s->kind == STMT_ASSIGN) need_moves(v->ctx, s->u.assign.value);
  if (s->kind == STMT_EVAL) need_moves(v->ctx, s->u.eval);
  return true;
}

static void enter_block(Rewriter *r) {
  Infer *in = r->ctx;
  vec_push(&in->blocks, in->visible.len);
}

static void leave_block(Rewriter *r) {
  Infer *in = r->ctx;
  size_t keep = vec_pop(&in->blocks);
  while (in->visible.len > keep) {
    Moved m = vec_pop(&in->visible);
    m.copies->moved[m.space] = NULL;
  }
}

static void set_enum(Infer *in, AttrList *list, const char *key, EnumId e, int value) {
  *list = attr_with(in->ir, *list, ir_name(in->ir, key), attr_of_enum(e, value));
}

/* Emits the move of `var` into `to`; argument `i` of `op` is going to read it (NULL: no operator). */
static void emit_move(Rewriter *r, Copies *c, Expr *var, MemSpace to, const Op *op, int i,
                      Span span, StmtList *out) {
  Infer *in = r->ctx;
  Expr *from = rewrite_expr(r, var);
  AttrList kwargs = {NULL, 0};
  set_enum(in, &kwargs, "target_memory", ENUM_MEM, to);
  /* leaving the accumulator for vector memory, data is laid out in rows whatever the reader wants */
  bool unpacked = space_of(in, var) == MEM_ACC && to == MEM_VEC;
  if (unpacked || (op && op_wants_row_major(op, i))) {
    set_enum(in, &kwargs, "blayout", ENUM_TILE_LAYOUT, TILE_LAYOUT_ROW_MAJOR);
    if (to == MEM_VEC) set_enum(in, &kwargs, "slayout", ENUM_TILE_LAYOUT, TILE_LAYOUT_NONE_BOX);
  }
  Expr *call = op_call_id(in->ir, OP_TILE_MOVE, &from, 1, kwargs, span);
  if (!call) {
    in->failed = true;
    return;
  }
  Name name = name_printf(&in->ir->names, "%s_%s", from->u.var.name, mem_name(to));
  c->moved[to] = expr_var(in->ir, name, type_with_space(in->ir, call->type, to), span);
  vec_push(&in->visible, (Moved){c, to});
  vec_push(out, stmt_assign(in->ir, c->moved[to], call, span));
}

static void emit_moves(Rewriter *r, const Expr *call, Span span, StmtList *out) {
  Infer *in = r->ctx;
  const Op *op = expr_op(call);
  for (int i = 0; op && i < call->u.call.nargs; i++) {
    MemSpace to = op_arg_space(op, i);
    Copies *c = to == MEM_NONE ? NULL : map_get(&in->copies, call->u.call.args[i]);
    if (c && (c->needed >> to & 1) && !c->moved[to])
      emit_move(r, c, call->u.call.args[i], to, op, i, span, out);
  }
}

/* Emits the move of a loop's initial value to where the carried one lies. */
static void emit_start(Rewriter *r, Expr *var, MemSpace to, Span span, StmtList *out) {
  Infer *in = r->ctx;
  Copies *c = map_get(&in->copies, var);
  if (c && (c->starts >> to & 1) && space_of(in, var) != to && !c->moved[to])
    emit_move(r, c, var, to, NULL, 0, span, out);
}

/* What a loop starts with that carries a value in `to`. */
static Expr *start_value(Rewriter *r, Expr *value, MemSpace to) {
  Infer *in = r->ctx;
  const Copies *c = map_get(&in->copies, value);
  bool moves = c && (c->starts >> to & 1) && space_of(in, value) != to && c->moved[to];
  return moves ? c->moved[to] : rewrite_expr(r, value);
}

/* ---------------------------------------------------------------- rewriting */

static void take_layout(TileView *v, const TileView *from) {
  v->blayout = from->blayout;
  v->slayout = from->slayout;
  v->fractal = from->fractal;
}

/* The type in its space; where that is a new one, its layout is the space's own. */
static const Type *placed_type(Infer *in, const Expr *var) {
  const Type *t = var->type;
  MemSpace s = space_of(in, var);
  if (!type_is_tile(t) || s == MEM_NONE || s == t->space) return t;
  TileView v = tile_view_of(in->ir, t),
           own = tile_view_implied(in->ir, t->shape, t->rank, t->dtype, s);
  take_layout(&v, &own);
  Type n = *t;
  n.space = s;
  n.tile_view = &v;
  return type_intern(in->ir, &n);
}

/* `t` with the layout of `like`, a value in the same space that comes to lie in the same place. */
static const Type *formed_type(Infer *in, const Type *t, const Type *like) {
  if (!type_is_tile(t) || !type_is_tile(like) || t->space != like->space) return t;
  TileView v = tile_view_of(in->ir, t), w = tile_view_of(in->ir, like);
  if (v.blayout == w.blayout && v.slayout == w.slayout && v.fractal == w.fractal) return t;
  take_layout(&v, &w);
  return type_with_tile_view(in->ir, t, &v);
}

static Expr *infer_def(Rewriter *r, Expr *var) {
  Infer *in = r->ctx;
  Expr *init = var->u.var.is_iter_arg ? start_value(r, var->u.var.init, space_of(in, var)) : NULL;
  Expr *like = map_get(&in->form, var);
  if (like) like = rewrite_expr(r, like);
  const Type *t = placed_type(in, var);
  if (init || like) t = formed_type(in, t, init ? init->type : like->type);
  if (t == var->type) return rewrite_def_default(r, var);
  Expr *n = expr_var(r->ir, var->u.var.name, t, var->span);
  n->u.var.is_iter_arg = var->u.var.is_iter_arg;
  n->u.var.init = init;
  map_set(&r->subst, var, n);
  return n;
}

/* Adds what stands for `var` among the new arguments, once each; false if it is no argument. */
static bool add_stand_ins(const Expr *call, Expr *const *args, const Expr *var, AttrValue *out,
                          int *n) {
  int first = *n;
  for (int i = 0; i < call->u.call.nargs; i++) {
    if (call->u.call.args[i] != var || !expr_is_var(args[i])) continue;
    bool known = false;
    for (int k = first; k < *n; k++) known |= out[k].u.expr == args[i];
    if (!known) out[(*n)++] = attr_of_expr(args[i]);
  }
  return *n > first;
}

/* Variables to be dumped follow the arguments into other spaces. */
static AttrList follow_dumped(Infer *in, const Expr *call, Expr *const *args, AttrList attrs) {
  Name key = key_name(KEY_DUMP_VARS);
  const AttrValue *old = attr_get(call->u.call.attrs, key), *now = attr_get(attrs, key);
  if (!old || old->kind != ATTR_LIST) return attrs;
  int n = 0, len = old->u.list.len;
  AttrValue *items = NEW_ARRAY(in->ir->arena, AttrValue, len + call->u.call.nargs * len);
  for (int i = 0; i < len; i++) {
    const AttrValue *item = &old->u.list.items[i];
    if (item->kind != ATTR_EXPR || !add_stand_ins(call, args, item->u.expr, items, &n))
      items[n++] = now->u.list.items[i];
  }
  AttrValue list = *now;
  list.u.list.items = items;
  list.u.list.len = n;
  return attr_with(in->ir, attrs, key, list);
}

static Expr *infer_call(Rewriter *r, Expr *e) {
  Infer *in = r->ctx;
  const Op *op = expr_op(e);
  Expr **args = COPY_ARRAY(in->ir->arena, Expr *, e->u.call.args, e->u.call.nargs);
  bool retype = false;
  for (int i = 0; i < e->u.call.nargs; i++) {
    MemSpace to = op ? op_arg_space(op, i) : MEM_NONE;
    Copies *c = to == MEM_NONE ? NULL : map_get(&in->copies, args[i]);
    if (expr_is_var(args[i]) && space_of(in, args[i]) != MEM_NONE) retype = true;
    args[i] = c && c->moved[to] ? c->moved[to] : rewrite_expr(r, args[i]);
    if (args[i] != e->u.call.args[i]) retype = true;
  }
  AttrList attrs = follow_dumped(in, e, args, rewrite_attrs(r, e->u.call.attrs));
  if (!retype && attrs.items == e->u.call.attrs.items) return e;
  Expr *n = expr_copy(in->ir, e);
  if (retype && op) {
    Expr *typed = op_call(in->ir, op, args, e->u.call.nargs, e->u.call.kwargs, e->span);
    if (!typed) {
      in->failed = true;
      return e;
    }
    n->type = typed->type;
  }
  n->u.call.args = args;
  n->u.call.attrs = attrs;
  return n;
}

static Expr *infer_expr(Rewriter *r, Expr *e) {
  return e->kind == EXPR_CALL ? infer_call(r, e) : rewrite_expr_children(r, e);
}

/* A producer whose space was open says now which it is. */
static Expr *close_space(Infer *in, Expr *call, MemSpace s) {
  const Op *op = expr_op(call);
  if (!op || !is_open(op) || !type_is_tile(call->type) || s == MEM_NONE) return call;
  Name key = key_name(KEY_TARGET_MEMORY);
  const AttrValue *now = attr_get(call->u.call.kwargs, key);
  if (now && now->u.i == (int64_t)s) return call;
  Expr *n = expr_copy(in->ir, call);
  n->u.call.kwargs = attr_with(in->ir, call->u.call.kwargs, key, attr_of_enum(ENUM_MEM, s));
  Type t = *call->type;
  t.space = s;
  t.tile_view = NULL;
  n->type = type_intern(in->ir, &t);
  return n;
}

/* The left side takes shape and view from the call, and keeps its space and allocation. */
static const Type *synced_type(Infer *in, const Type *call, const Type *var) {
  Type t = *call;
  t.space = var->space;
  if (!t.memref) t.memref = var->memref;
  return type_intern(in->ir, &t);
}

static void infer_assign_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Infer *in = r->ctx;
  Expr *old = s->u.assign.var, *var = rewrite_def(r, old);
  Expr *value = close_space(in, rewrite_expr(r, s->u.assign.value), space_of(in, old));
  if (value->kind == EXPR_CALL && type_is_tile(value->type) && type_is_tile(var->type) &&
      value->type != var->type) {
    const Type *t = synced_type(in, value->type, var->type);
    if (value->type->space != var->type->space) {
      value = expr_copy(in->ir, value);
      value->type = t;
    }
    if (t != var->type) {
      var = expr_var(in->ir, old->u.var.name, t, old->span);
      map_set(&r->subst, old, var);
    }
  }
  bool same = var == old && value == s->u.assign.value && space_of(in, old) == MEM_NONE;
  /* an assignment that this pass looked into loses the comments above it */
  vec_push(out, same ? s : stmt_assign(in->ir, var, value, s->span));
}

static void infer_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Infer *in = r->ctx;
  for (int i = 0; stmt_is_loop(s) && i < s->u.loop.ncarried; i++) {
    const Expr *arg = s->u.loop.iter_args[i];
    emit_start(r, arg->u.var.init, space_of(in, arg), s->span, out);
  }
  if (s->kind == STMT_EVAL) emit_moves(r, s->u.eval, s->span, out);
  if (s->kind != STMT_ASSIGN) {
    vec_push(out, rewrite_stmt_children(r, s));
    return;
  }
  emit_moves(r, s->u.assign.value, s->span, out);
  infer_assign_stmt(r, s, out);
}

static Function *rewritten(Infer *in, Function *f) {
  Visitor v = {.ctx = in, .stmt = need_stmt, .expr = visit_no_expr};
  visit_block(&v, f->body);
  Rewriter r;
  rewriter_init(&r, in->ir, in);
  r.expr = infer_expr;
  r.stmt = infer_stmt;
  r.def = infer_def;
  r.enter = enter_block;
  r.leave = leave_block;
  f = rewrite_func(&r, f);
  rewriter_free(&r);
  return f;
}

static Function *infer_func(void *context, Function *f) {
  Infer in = {.ir = ((PassCtx *)context)->ir};
  if (f->type != FUNC_INCORE) return f;
  find_demand(&in, f);
  infer_block(&in, f->body);
  Function *g = rewritten(&in, f);
  map_free(&in.demand);
  map_free(&in.space);
  map_free(&in.copies);
  map_free(&in.in_acc);
  map_free(&in.form);
  vec_free(&in.views);
  vec_free(&in.visible);
  vec_free(&in.blocks);
  return in.failed ? NULL : g;
}

Program *infer_tile_memory_space(PassCtx *ctx, Program *p) {
  p = rewrite_program(ctx->ir, p, infer_func, ctx);
  return p ? keep_operands_resident(ctx, p) : NULL;
}
