/* halve.c -- the halves of statements, and what crosses between the cores. */
#include "passes/split_axis/halve.h"

#include "base/buf.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/cross_core/affinity.h"
#include "passes/cross_core/lanes.h"
#include "passes/split_axis/halver.h"
#include "passes/util/auto_name.h"
#include "passes/util/retype.h"

static void set_axis(Halver *h, const Expr *var, int axis) {
  if (axis >= 0) map_set(&h->axes, var, map_int(axis + 1));
}

/* ---------------------------------------------------------------- crossings */

static AttrList split_kwarg(Ir *ir, int axis) {
  return key_with(ir, (AttrList){0}, KEY_SPLIT, attr_of_int(split_mode_of(axis)));
}

/* Instead of a move from the cube core, whose operand is replaced in `now`. */
static Expr *shard(Halver *h, const Expr *move, Expr *now) {
  Ir *ir = h->lane.ir;
  AttrList kw = split_kwarg(ir, h->axis);
  if (h->lane.step) kw = key_with(ir, kw, KEY_LANE_STRIDE, attr_of_int(h->lane.step->u.i));
  Expr *call = op_call_id(ir, OP_TILE_AIV_SHARD, now->u.call.args, 1, kw, move->span);
  if (!call) {
    h->failed = true;
    return now;
  }
  const Type *t = lane_shard_type(&h->lane, call->type, move->u.call.args[0]->type, h->axis);
  if (t == call->type) return call;
  call = expr_copy(ir, call);
  call->type = t;
  return call;
}

/* The call that puts both halves of `whole` together: what was valid of it is valid again. */
static Expr *gather(Halver *h, const Expr *whole, int axis, Expr *half, Span at) {
  Ir *ir = h->lane.ir;
  Expr *call = op_call_id(ir, OP_TILE_AIC_GATHER, &half, 1, split_kwarg(ir, axis), at);
  int n;
  Expr *const *valid = type_valid_shape(whole->type, &n);
  if (!call || axis >= n || dim_equal(type_valid_shape(call->type, &n)[axis], valid[axis]))
    return call;
  call = expr_copy(ir, call);
  call->type = type_with_valid(ir, call->type, axis, valid[axis]);
  return call;
}

/* The whole tile that the cube core moves on, assigned before. */
static Expr *gathered(Halver *h, const Expr *var, const Expr *move, Expr *now, StmtList *out) {
  Ir *ir = h->lane.ir;
  int axis = axis_of(h, move->u.call.args[0]);
  if (axis < 0 || axis > 1) {
    halver_fail(h, move,
                "brings a whole tile to the cube core, where each vector core should have a half");
    return now;
  }
  Expr *call = gather(h, move->u.call.args[0], axis, now->u.call.args[0], move->span);
  if (!call) {
    h->failed = true;
    return now;
  }
  if (!dims_equal(call->type->shape, call->type->rank, move->type->shape, move->type->rank)) {
    halver_fail(h, move,
                "brings a tile to the cube core that two equal halves do not make up; pad it, and "
                "narrow it there by pl.set_validshape()");
    return now;
  }
  Buf name = {0};
  buf_printf(&name, "%s_mat", var->u.var.name);
  Expr *mat = expr_var(ir, ir_name(ir, buf_str(&name)), call->type, var->span);
  buf_free(&name);
  vec_push(out, stmt_assign(ir, mat, call, move->span));
  Expr *n = expr_copy(ir, now);
  n->u.call.args = COPY_ARRAY(ir->arena, Expr *, now->u.call.args, now->u.call.nargs);
  n->u.call.args[0] = mat;
  return n;
}

/* ---------------------------------------------------------------- calls */

static bool is_vector_tile(const Type *t) { return type_is_tile(t) && !is_cube_space(t->space); }

/* Which core the half of `call` is for; `var` is what it is assigned to, or NULL. */
static OpAffinity side_of(const Halver *h, const Expr *var, const Expr *call) {
  if (h->what == HALVE_VECTOR) return AFFINITY_VECTOR;
  OpAffinity a = call_affinity(h->lane.ir, call);
  /* both cores may declare a buffer; one that a loop begins with is the vector cores' */
  bool begins = expr_is_op(call, OP_TILE_CREATE) && var && map_has(&h->begun, var) &&
                is_vector_tile(call->type);
  return begins && a == AFFINITY_SHARED ? AFFINITY_VECTOR : a;
}

static bool is_transfer(const Expr *call) {
  OpCrossRole role = call->u.call.op->cross_role;
  return role == CROSS_PUSH || role == CROSS_POP;
}

/* The half of `call`, which is `now` with its operands replaced; *axis is set if it is a half tile. */
static Expr *half_value(Halver *h, const Expr *var, const Expr *call, Expr *now, int *axis,
                        StmtList *out) {
  if (h->what == HALVE_CUBE) return is_transfer(call) ? half_transfer(h, call, now, axis) : now;
  OpAffinity a = side_of(h, var, call);
  if (a == AFFINITY_MIXED && !expr_is_op(call, OP_TILE_MOVE)) {
    halver_fail(
        h, call,
        "stands in what is split between the two vector cores without it; write a pl.split_aiv() "
        "region, or a move");
    return now;
  }
  if (a == AFFINITY_MIXED && is_cube_space(call->type->space))
    return gathered(h, var, call, now, out);
  if (a == AFFINITY_MIXED) {
    *axis = h->axis;
    return shard(h, call, now);
  }
  if (a == AFFINITY_CUBE && axis_of_operands(h, call) >= 0)
    halver_fail(h, call, "on the cube core has a half tile of a vector core as operand");
  if (a != AFFINITY_VECTOR) return now;
  if (is_transfer(call)) return half_transfer(h, call, now, axis);
  if (expr_is_op(call, OP_TILE_STORE)) return half_store(h, call, now);
  return var ? half_call(h, var, call, now, axis, out) : now;
}

static void half_assign(Rewriter *r, Stmt *s, StmtList *out) {
  Halver *h = r->ctx;
  Expr *value = s->u.assign.value, *var = s->u.assign.var, *now = rewrite_expr(r, value),
       *same = now;
  int axis = -1;
  if (expr_op(value))
    now = half_value(h, var, value, now, &axis, out);
  else if (expr_is_var(value))
    axis = axis_of(h, value);
  retype_assign(r, s, now, out);
  if (now != same) vec_last(out)->ncomments = 0; /* a statement of the pass's own */
  set_axis(h, var, axis);
}

static void half_eval(Rewriter *r, Stmt *s, StmtList *out) {
  Halver *h = r->ctx;
  Expr *call = s->u.eval, *now = rewrite_expr(r, call);
  int axis = -1;
  if (expr_op(call)) now = half_value(h, NULL, call, now, &axis, out);
  if (now == call)
    vec_push(out, s);
  else
    vec_push(out, stmt_eval(r->ir, now, s->span));
}

/* ---------------------------------------------------------------- loops and branches */

/* Variables that loops and branches bind are halves if what they stand for is. */
static Expr *half_def(Rewriter *r, Expr *var) {
  Halver *h = r->ctx;
  int axis = axis_of(h, var);
  if (axis < 0) return rewrite_def_default(r, var);
  const Type *t = lane_type(&h->lane, var->type, axis);
  Expr *n = var->u.var.is_iter_arg ? expr_iter_arg(r->ir, var->u.var.name, t,
                                                   rewrite_expr(r, var->u.var.init), var->span)
                                   : expr_var(r->ir, var->u.var.name, t, var->span);
  map_set(&r->subst, var, n);
  return n;
}

static const Expr *yielded(Block b, int i) {
  const Stmt *y = block_yield(b);
  return y && i < y->u.ret.len ? y->u.ret.values[i] : NULL;
}

static void fail_carry(Halver *h, Span at, const Expr *var) {
  diag_error(h->lane.ir->diag, at,
             "'%s' would be a whole tile on one way and a half on another, in what is split "
             "between the two vector cores",
             var->u.var.name);
  h->failed = true;
}

static void half_loop(Rewriter *r, Stmt *s, StmtList *out) {
  Halver *h = r->ctx;
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    Expr *carried = s->u.loop.iter_args[i];
    set_axis(h, carried, axis_of(h, carried->u.var.init));
    if (i < s->u.loop.nresults) set_axis(h, s->u.loop.results[i], axis_of(h, carried));
  }
  vec_push(out, rewrite_stmt_children(r, s));
  for (int i = 0; i < s->u.loop.ncarried && !h->failed; i++) {
    const Expr *next = yielded(s->u.loop.body, i);
    if (next && axis_of(h, next) != axis_of(h, s->u.loop.iter_args[i]))
      fail_carry(h, s->span, s->u.loop.iter_args[i]);
  }
}

static void half_if(Rewriter *r, Stmt *s, StmtList *out) {
  Halver *h = r->ctx;
  Stmt *n = stmt_copy(r->ir, s);
  n->u.if_.cond = rewrite_expr(r, s->u.if_.cond);
  n->u.if_.then_body = rewrite_block(r, s->u.if_.then_body);
  if (s->u.if_.has_else) n->u.if_.else_body = rewrite_block(r, s->u.if_.else_body);
  n->u.if_.results = COPY_ARRAY(r->ir->arena, Expr *, s->u.if_.results, s->u.if_.nresults);
  for (int i = 0; i < s->u.if_.nresults && !h->failed; i++) {
    const Expr *a = yielded(s->u.if_.then_body, i), *b = yielded(s->u.if_.else_body, i);
    if (a && b && axis_of(h, a) != axis_of(h, b)) fail_carry(h, s->span, s->u.if_.results[i]);
    if (a) set_axis(h, s->u.if_.results[i], axis_of(h, a));
    n->u.if_.results[i] = rewrite_def(r, s->u.if_.results[i]);
  }
  vec_push(out, n);
}

static void half_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Halver *h = r->ctx;
  if (h->failed) return;
  switch (s->kind) {
    case STMT_ASSIGN: half_assign(r, s, out); break;
    case STMT_EVAL: half_eval(r, s, out); break;
    case STMT_FOR:
    case STMT_WHILE: half_loop(r, s, out); break;
    case STMT_IF: half_if(r, s, out); break;
    default: vec_push(out, rewrite_stmt_children(r, s)); break;
  }
}

static bool note_begun(Visitor *v, Stmt *s) {
  Halver *h = v->ctx;
  if (stmt_is_loop(s))
    for (int i = 0; i < s->u.loop.ncarried; i++)
      map_set(&h->begun, s->u.loop.iter_args[i]->u.var.init, s);
  return true;
}

/* ---------------------------------------------------------------- blocks */

static Expr *bind_index(Ir *ir, Map *used, Span at, StmtList *out) {
  Name name = ir_name(ir, "subblock_idx");
  if (map_has(used, name)) name = auto_name_fresh(ir, name, used, NULL);
  map_set(used, name, (void *)name);
  Expr *index = expr_var(ir, name, type_scalar(ir, DT_INDEX), at);
  Expr *get = expr_call_op(ir, op_get(ir, OP_TILE_GET_SUBBLOCK_IDX), NULL, 0, (AttrList){0},
                           index->type, at);
  vec_push(out, stmt_assign(ir, index, get, at));
  return index;
}

bool halve_block(Ir *ir, Block b, SplitMode mode, HalveWhat what, Map *used, Span at, Block *out) {
  Halver h = {.lane.ir = ir, .what = what, .axis = split_axis_of(mode)};
  StmtList body = {0};
  if (what != HALVE_CUBE) h.lane.index = bind_index(ir, used, at, &body);
  if (what == HALVE_KERNEL) h.lane.step = balanced_step(&h, b);
  Visitor v = {.ctx = &h, .stmt = note_begun};
  visit_block(&v, b);
  Rewriter r;
  rewriter_init(&r, ir, &h);
  r.stmt = half_stmt;
  r.def = half_def;
  Block half = rewrite_block(&r, b);
  for (int i = 0; i < half.len; i++) vec_push(&body, half.items[i]);
  *out = block_take(ir, &body);
  rewriter_free(&r);
  map_free(&h.axes);
  map_free(&h.begun);
  return !h.failed;
}
