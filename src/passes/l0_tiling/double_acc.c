/* double_acc.c -- pipelines that drain one product per iteration: a second accumulator lets the next product
 * begin while the last one drains. */
#include "passes/l0_tiling/double_acc.h"

#include "ir/calls.h"
#include "ir/op.h"
#include "ir/visit.h"

enum {
  MIN_TRIPS_TO_TENSOR = 4, /* fewer iterations gain nothing */
  MIN_TRIPS_TO_MAT = 8,
  MIN_SHARE_TO_MAT = 4, /* an accumulator drained to Mat must fill at least 1/4 of Acc */
};

int64_t acc_tile_bytes(const Target *target, const Type *t) {
  int64_t rows, cols;
  if (t->rank != 2 || !expr_const_int(t->shape[0], &rows) || !expr_const_int(t->shape[1], &cols))
    return -1;
  if (rows <= 0 || cols <= 0 || rows > INT32_MAX || cols > INT32_MAX) return -1;
  int64_t unit = target_acc_rows(target, t->dtype);
  return (rows + unit - 1) / unit * unit * ((cols * dtype_bits(t->dtype) + 7) / 8);
}

static int64_t aligned_bytes(const Target *target, const Type *t) {
  int64_t bytes = acc_tile_bytes(target, t), unit = target->spaces[MEM_ACC].alignment;
  return bytes < 0 || unit <= 1 ? bytes : (bytes + unit - 1) / unit * unit;
}

static bool in_acc(const Type *t) { return type_is_tile(t) && t->space == MEM_ACC; }

/* ---------------------------------------------------------------- all accumulators of a function */

typedef struct Footprint {
  Ir *ir;
  const Target *target;
  Map copies;    /* variable in Acc -> how many buffers it may get */
  int64_t depth; /* product of the stages of the pipelines around */
  int doubled;   /* loops around that are marked already */
  int64_t bytes;
  bool unknown;
} Footprint;

static void record(Footprint *f, const Expr *var, int64_t copies) {
  if (!in_acc(var->type) || f->unknown) return;
  int64_t bytes = aligned_bytes(f->target, var->type), had = map_get_int(&f->copies, var);
  f->unknown = bytes < 0 || copies > INT16_MAX;
  if (f->unknown || copies <= had) return;
  f->bytes += (copies - had) * bytes;
  map_set(&f->copies, var, map_int(copies));
}

static bool on_expr(Visitor *v, Expr *e) {
  if (expr_is_var(e)) record(v->ctx, e, 1);
  return true;
}

static void on_def(Visitor *v, Expr *var) { record(v->ctx, var, 1); }

static int64_t stages_of(Ir *ir, const Stmt *s) {
  bool staged = s->kind == STMT_FOR && s->u.loop.kind == FOR_PIPELINE;
  return staged ? attr_int(s->u.loop.attrs, ir_name(ir, "pipeline_stages"), 0) : 1;
}

static bool is_marked(Ir *ir, const Stmt *s) {
  return s->kind == STMT_FOR &&
         attr_bool(s->u.loop.attrs, ir_name(ir, "pipeline_double_buffer_c"), false);
}

static bool enter_stmt(Visitor *v, Stmt *s) {
  Footprint *f = v->ctx;
  int64_t stages = stages_of(f->ir, s);
  if (stages < 1 || stages > INT16_MAX || f->depth > INT16_MAX) f->unknown = true;
  if (f->unknown) return false;
  f->depth *= stages;
  f->doubled += is_marked(f->ir, s);
  if (s->kind == STMT_ASSIGN && in_acc(s->u.assign.var->type)) {
    const Op *op = expr_op(s->u.assign.value);
    record(f, s->u.assign.var, op && op_is_matmul(op) && !f->doubled ? 1 : f->depth);
  }
  return true;
}

static void leave_stmt(Visitor *v, Stmt *s) {
  Footprint *f = v->ctx;
  f->depth /= stages_of(f->ir, s);
  f->doubled -= is_marked(f->ir, s);
}

/* ---------------------------------------------------------------- one loop */

typedef struct Drained {
  int64_t bytes, trips;
  bool to_mat;
} Drained;

typedef struct Body {
  Ir *ir;
  const Stmt *loop;
  Map defs;            /* variable assigned in the body -> its value */
  Map uses;            /* variable -> number of uses in the body */
  const Stmt *product; /* the only one that gives an accumulator */
  const Stmt *drain;   /* the only store, assemble or write */
  int producers, drains;
  bool other_acc; /* some other accumulator is read */
} Body;

static bool count_use(Visitor *v, Expr *e) {
  Body *b = v->ctx;
  if (expr_is_var(e)) ++*(intptr_t *)(void *)map_at(&b->uses, e);
  return true;
}

static bool is_drain(const Expr *call) {
  return expr_is_op(call, OP_TILE_STORE) || expr_is_op(call, OP_TILE_ASSEMBLE) ||
         expr_is_op(call, OP_TILE_WRITE);
}

/* False if the body is not straight. */
static bool scan_body(Body *b) {
  Block body = b->loop->u.loop.body;
  for (int i = 0; i < body.len; i++) {
    Stmt *s = body.items[i];
    if (stmt_is_loop(s) || s->kind == STMT_IF || s->kind == STMT_SCOPE) return false;
    if (s->kind == STMT_ASSIGN) map_set(&b->defs, s->u.assign.var, s->u.assign.value);
    const Expr *call = stmt_call(s);
    if (!call) continue;
    if (in_acc(call->type) && ++b->producers && s->kind == STMT_ASSIGN &&
        expr_is_op(call, OP_TILE_MATMUL))
      b->product = s;
    if (is_drain(call) && ++b->drains && s->kind == STMT_ASSIGN && call->u.call.nargs == 3)
      b->drain = s;
  }
  Visitor v = {.ctx = b, .expr = count_use};
  visit_block(&v, body);
  return b->producers == 1 && b->product && b->drains == 1 && b->drain;
}

static bool is_constant_matrix(const Type *t, MemSpace space) {
  return type_is_tile(t) && t->rank == 2 && t->space == space &&
         expr_const_int(t->shape[0], NULL) && expr_const_int(t->shape[1], NULL);
}

/* One operand moves from Mat in each iteration, the other is there before the loop. */
static bool one_operand_moves(const Body *b) {
  Expr **args = b->product->u.assign.value->u.call.args;
  if (!is_constant_matrix(args[0]->type, MEM_LEFT) || !is_constant_matrix(args[1]->type, MEM_RIGHT))
    return false;
  const Expr *left = map_get(&b->defs, args[0]), *right = map_get(&b->defs, args[1]);
  if (!left == !right) return false;
  const Expr *moving = left ? left : right, *held = left ? args[1] : args[0];
  for (int i = 0; i < b->loop->u.loop.ncarried; i++)
    if (b->loop->u.loop.iter_args[i] == held) return false;
  return (expr_is_op(moving, OP_TILE_EXTRACT) || expr_is_op(moving, OP_TILE_MOVE)) &&
         type_is_tile(moving->u.call.args[0]->type) &&
         moving->u.call.args[0]->type->space == MEM_MAT;
}

static bool only_acc_is_product(const Body *b) {
  const Expr *product = b->product->u.assign.var;
  for (MapEntry *e = NULL; (e = map_next(&b->uses, e));)
    if (e->key != product && in_acc(((const Expr *)e->key)->type)) return false;
  for (MapEntry *e = NULL; (e = map_next(&b->defs, e));)
    if (e->key != product && in_acc(((const Expr *)e->key)->type)) return false;
  return map_get_int(&b->uses, product) == 1 && is_constant_matrix(product->type, MEM_ACC);
}

/* The drain puts the product into a carried tensor or tile, and does nothing else with it. */
static bool drains_to_carried(const Body *b, Drained *d) {
  const Expr *call = b->drain->u.assign.value, *var = b->drain->u.assign.var;
  const Stmt *loop = b->loop, *yield = block_yield(loop->u.loop.body);
  d->to_mat = expr_is_op(call, OP_TILE_ASSEMBLE);
  const Expr *source = call->u.call.args[d->to_mat], *target = call->u.call.args[d->to_mat ? 0 : 2];
  if (source != b->product->u.assign.var || !yield || yield->u.ret.len != loop->u.loop.ncarried)
    return false;
  int at = -1;
  for (int i = 0; i < yield->u.ret.len; i++)
    if (yield->u.ret.values[i] == var) at = at < 0 ? i : loop->u.loop.ncarried;
  if (at < 0 || at >= loop->u.loop.ncarried || loop->u.loop.iter_args[at] != target) return false;
  if (map_get_int(&b->uses, var) != 1 || map_get_int(&b->uses, target) != 1) return false;
  return !d->to_mat || (target->type->space == MEM_MAT && var->type->space == MEM_MAT);
}

static bool pays(const Target *target, const Drained *d) {
  int64_t capacity = target->spaces[MEM_ACC].capacity;
  if (!d->to_mat) return d->trips >= MIN_TRIPS_TO_TENSOR;
  return d->trips >= MIN_TRIPS_TO_MAT && d->bytes * MIN_SHARE_TO_MAT >= capacity;
}

static bool analyze_loop(Ir *ir, const Target *target, const Stmt *s, Drained *d) {
  Body b = {.ir = ir, .loop = s};
  int64_t stages = stages_of(ir, s);
  if (s->kind != STMT_FOR || s->u.loop.kind != FOR_PIPELINE || stages < 2 ||
      !loop_trip_count(s, &d->trips))
    return false;
  if (d->trips < stages || d->trips % stages != 0) return false;
  if (key_get(s->u.loop.attrs, KEY_PIPELINE_OVERLAP_STORES) ||
      key_get(s->u.loop.attrs, KEY_PIPELINE_DOUBLE_BUFFER_C))
    return false;
  bool ok =
      scan_body(&b) && one_operand_moves(&b) && only_acc_is_product(&b) && drains_to_carried(&b, d);
  if (ok) d->bytes = aligned_bytes(target, b.product->u.assign.var->type);
  map_free(&b.defs);
  map_free(&b.uses);
  return ok && d->bytes > 0 && pays(target, d);
}

/* ---------------------------------------------------------------- the plan */

typedef struct Plan {
  Ir *ir;
  const Target *target;
  Map *loops;
  int64_t bytes;
} Plan;

static bool find_loop(Visitor *v, Stmt *s) {
  Plan *p = v->ctx;
  Drained d = {0};
  if (analyze_loop(p->ir, p->target, s, &d)) {
    map_set(p->loops, s, s);
    p->bytes += d.bytes;
  }
  return true;
}

void plan_double_acc(Ir *ir, const CompileOptions *opts, const Function *f, Map *plan) {
  if (opts->planner != PLANNER_PYPTO) return;
  Plan p = {.ir = ir, .target = opts->target, .loops = plan};
  Visitor loops = {.ctx = &p, .stmt = find_loop};
  visit_block(&loops, f->body);
  if (plan->count == 0) return;
  Footprint all = {.ir = ir, .target = opts->target, .depth = 1};
  Visitor accs = {
      .ctx = &all, .expr = on_expr, .stmt = enter_stmt, .stmt_end = leave_stmt, .def = on_def};
  visit_block(&accs, f->body);
  map_free(&all.copies);
  int64_t worst = all.bytes + (opts->l0c_double_buffer ? all.bytes : p.bytes);
  if (all.unknown || worst > opts->target->spaces[MEM_ACC].capacity) map_clear(plan);
}

Stmt *mark_double_acc(Ir *ir, Stmt *loop) {
  Name overlap = key_name(KEY_PIPELINE_OVERLAP_STORES),
       twice = key_name(KEY_PIPELINE_DOUBLE_BUFFER_C);
  AttrList a = attr_without(ir, attr_without(ir, loop->u.loop.attrs, overlap), twice);
  a = attr_with(ir, a, overlap, attr_of_bool(false));
  Stmt *n = stmt_copy(ir, loop);
  n->u.loop.attrs = attr_with(ir, a, twice, attr_of_bool(true));
  return n;
}
