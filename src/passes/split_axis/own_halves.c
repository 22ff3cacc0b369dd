/* own_halves.c -- regions that their authors have halved by shards and gathers.
 *
 * Two walks.  The first finds what would do the whole work on both cores.  The second gives the shards of tiles that
 * are valid in part or of odd extent what is valid of them on each core, and what is made from them the same. */
#include "ir/op.h"
#include "ir/print.h"
#include "ir/rewrite.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/cross_core/affinity.h"
#include "passes/cross_core/lanes.h"
#include "passes/split_axis/halve.h"
#include "passes/split_axis/part.h"
#include "passes/util/auto_name.h"
#include "passes/util/retype.h"

/* ---------------------------------------------------------------- is everything in halves? */

typedef struct Halves {
  Ir *ir;
  Map lane;  /* scalars made from the core's index */
  Map tiles; /* tiles that are a core's own part */
  bool failed;
} Halves;

typedef struct Mentions {
  const Map *of;
  bool any;
} Mentions;

static bool mention(Visitor *v, Expr *e) {
  Mentions *m = v->ctx;
  m->any |= map_has(m->of, e);
  return true;
}

static bool mentions(const Map *of, Expr *e) {
  Mentions m = {.of = of};
  Visitor v = {.ctx = &m, .expr = mention};
  visit_expr(&v, e);
  return m.any;
}

/* Does the address it reads at depend on the core? */
static bool reads_own_part(Halves *h, const Expr *call) {
  static const struct {
    OpId id;
    int from, to;
  } ADDRESS[] = {{OP_TILE_LOAD, 1, 1},
                 {OP_TILE_SLICE, 2, 2},
                 {OP_TILE_EXTRACT, 1, 2},
                 {OP_TILE_GATHER_ROW, 3, 3}};
  for (size_t i = 0; i < sizeof ADDRESS / sizeof *ADDRESS; i++)
    for (int a = ADDRESS[i].from; a <= ADDRESS[i].to && a < call->u.call.nargs; a++)
      if (expr_is_op(call, ADDRESS[i].id) && mentions(&h->lane, call->u.call.args[a])) return true;
  return false;
}

/* `call` has a tile as result; `var` is what it is assigned to, or NULL. */
static void check_tile(Halves *h, Expr *var, const Expr *call) {
  OpId id = call->u.call.op->id;
  if (id == OP_TILE_FULL || id == OP_TILE_CREATE || id == OP_TILE_CI || id == OP_TILE_RANDOM ||
      id == OP_TILE_AIC_GATHER)
    return;
  bool own = id == OP_TILE_AIV_SHARD || reads_own_part(h, call);
  for (int i = 0; i < call->u.call.nargs; i++) own |= map_has(&h->tiles, call->u.call.args[i]);
  if (own) {
    if (var) map_set(&h->tiles, var, var);
  } else if (call_affinity(h->ir, call) == AFFINITY_VECTOR) {
    diag_error(h->ir->diag, call->span,
               "%s would do the whole work on both vector cores: beside pl.aiv_shard() and "
               "pl.aic_gather() it must "
               "use a shard, or read where the index of the core says",
               call->u.call.op->name);
    h->failed = true;
  }
}

static bool check_stmt(Visitor *v, Stmt *s) {
  Halves *h = v->ctx;
  Expr *value = s->kind == STMT_ASSIGN ? s->u.assign.value
                : s->kind == STMT_EVAL ? s->u.eval
                                       : NULL;
  if (h->failed || !value) return !h->failed;
  Expr *var = s->kind == STMT_ASSIGN ? s->u.assign.var : NULL;
  if (var && type_is_scalar(var->type) &&
      (expr_is_op(value, OP_TILE_GET_SUBBLOCK_IDX) || mentions(&h->lane, value)))
    map_set(&h->lane, var, var);
  else if (expr_op(value) && type_is_tile(value->type))
    check_tile(h, var, value);
  return true;
}

static bool check_halves(Ir *ir, Block b) {
  Halves h = {.ir = ir};
  Visitor v = {.ctx = &h, .stmt = check_stmt};
  visit_block(&v, b);
  map_free(&h.lane);
  map_free(&h.tiles);
  return !h.failed;
}

/* ---------------------------------------------------------------- what is valid on each core */

/* A tile of which another part is valid on each core. */
typedef struct Uneven {
  Expr *valid;        /* along the axis */
  Expr *joined;       /* what is valid of the whole tile */
  const Type *before; /* its type before that was known */
} Uneven;

typedef struct Leveler {
  Ir *ir;
  int axis;
  Map uneven;  /* variable, as it was -> Uneven */
  Map through; /* tensors that a store writes */
  Lane lane;   /* index: NULL until it is bound */
  int depth;   /* of blocks, 1 in the region itself */
  Map *used;
  Stmt *bind; /* of an index that nobody wrote, or NULL */
  bool failed;
} Leveler;

static const Uneven *uneven_operand(const Leveler *l, const Expr *call) {
  const Uneven *u = NULL;
  for (int i = 0; i < call->u.call.nargs && !u; i++) u = map_get(&l->uneven, call->u.call.args[i]);
  return u;
}

static void set_uneven(Leveler *l, const Expr *var, Expr *valid, Expr *joined, const Type *before) {
  Uneven *u = NEW(l->ir->arena, Uneven);
  *u = (Uneven){valid, joined, before};
  map_set(&l->uneven, var, u);
}

/* An index for the region, if its author's was not needed and has gone. */
static Expr *lane_index(Leveler *l, Span at) {
  if (l->lane.index) return l->lane.index;
  Name name = ir_name(l->ir, "subblock_idx");
  if (map_has(l->used, name)) name = auto_name_fresh(l->ir, name, l->used, NULL);
  map_set(l->used, name, (void *)name);
  l->lane.index = expr_var(l->ir, name, type_scalar(l->ir, DT_INDEX), at);
  Expr *get = expr_call_op(l->ir, op_get(l->ir, OP_TILE_GET_SUBBLOCK_IDX), NULL, 0, (AttrList){0},
                           l->lane.index->type, at);
  l->bind = stmt_assign(l->ir, l->lane.index, get, at);
  return l->lane.index;
}

static Expr *with_type(Ir *ir, Expr *call, const Type *t) {
  Expr *n = expr_copy(ir, call);
  n->type = t;
  return n;
}

static Expr *level_shard(Leveler *l, const Expr *var, const Expr *call, Expr *now) {
  const Type *whole = call->u.call.args[0]->type;
  int n;
  Expr *const *valid = type_valid_shape(whole, &n);
  if (l->axis >= n || l->axis >= call->type->rank ||
      (dim_equal(valid[l->axis], whole->shape[l->axis]) && halves_are_exact(whole->shape[l->axis])))
    return now;
  lane_index(l, call->span);
  const Type *t = lane_shard_type(&l->lane, now->type, whole, l->axis);
  set_uneven(l, var, type_valid_shape(t, &n)[l->axis], valid[l->axis], call->type);
  return with_type(l->ir, now, t);
}

/* Both parts of a shard that comes back join to what was valid of the whole.  Where the author has said what is
 * valid, it must be all of both halves, or there would be a hole. */
static Expr *level_gather(Leveler *l, const Expr *call, Expr *now) {
  const Uneven *u = uneven_operand(l, call);
  if (u && l->axis < call->type->rank)
    return with_type(l->ir, now, type_with_valid(l->ir, now->type, l->axis, u->joined));
  const Type *half = call->u.call.args[0]->type;
  int n;
  int64_t valid, extent;
  Expr *const *shape = type_valid_shape(half, &n);
  if (l->axis < n && l->axis < half->rank && expr_const_int(shape[l->axis], &valid) &&
      expr_const_int(half->shape[l->axis], &extent) && valid < extent) {
    diag_error(l->ir->diag, call->span,
               "only %lld of the %lld %s of each half are valid, so what is gathered would have "
               "a hole",
               (long long)valid, (long long)extent, l->axis == 0 ? "rows" : "columns");
    diag_note(l->ir->diag, call->span,
              "make the halves valid as a whole by pl.fillpad() or pl.set_validshape(), or "
              "gather what the shard gave");
    l->failed = true;
  }
  return now;
}

/* Does it say itself what is valid of its result? */
static bool sets_valid(OpId id) {
  return id == OP_TILE_SET_VALIDSHAPE || id == OP_TILE_FILLPAD || id == OP_TILE_FILLPAD_INPLACE ||
         id == OP_TILE_FILLPAD_EXPAND;
}

static bool is_whole(const Type *t) {
  int n;
  Expr *const *valid = type_valid_shape(t, &n);
  return dims_equal(valid, n, t->shape, t->rank);
}

/* Is of a result of type `t` valid what is valid of the operand? */
static bool passes_on(const Leveler *l, const Uneven *u, const Type *t) {
  int n, m;
  Expr *const *valid = type_valid_shape(t, &n), *const *before = type_valid_shape(u->before, &m);
  if (dims_equal(t->shape, t->rank, u->before->shape, u->before->rank) &&
      dims_equal(valid, n, before, m))
    return true;
  /* of an odd tile the larger half is valid as a whole: one row of the result is one of the operand */
  return is_whole(u->before) && is_whole(t) && l->axis < t->rank && l->axis < u->before->rank &&
         dim_equal(t->shape[l->axis], u->before->shape[l->axis]);
}

static Expr *level_tile(Leveler *l, const Uneven *u, const Expr *var, const Expr *call, Expr *now) {
  bool whole = is_whole(call->type);
  if (whole && (sets_valid(call->u.call.op->id) || !passes_on(l, u, call->type))) return now;
  if (!passes_on(l, u, call->type)) {
    diag_error(
        l->ir->diag, call->span,
        "%s changes what is valid of a shard, of which each vector core has another part, %s",
        call->u.call.op->name, expr_str(l->ir, u->valid));
    diag_note(l->ir->diag, call->span,
              "do it on the cube core, before pl.aiv_shard(), or make the tile valid as a whole "
              "by pl.set_validshape() first");
    l->failed = true;
    return now;
  }
  set_uneven(l, var, u->valid, u->joined, call->type);
  return with_type(l->ir, now, type_with_valid(l->ir, now->type, l->axis, u->valid));
}

/* ---------------------------------------------------------------- statements */

/* A store must not be of nothing: it stands in a branch. */
static void guard_store(Leveler *l, const Uneven *u, Stmt *store, Span at, StmtList *out) {
  Expr *zero = expr_int(l->ir, 0, u->valid->type->dtype, at);
  Stmt *guard = stmt_new(l->ir, STMT_IF, at);
  guard->u.if_.cond = expr_binary(l->ir, EXPR_GT, u->valid, zero, DT_BOOL, at);
  guard->u.if_.then_body = block_of(l->ir, &store, 1);
  vec_push(out, guard);
}

static void fail_chained(Leveler *l, const Expr *store, const Uneven *u) {
  diag_error(l->ir->diag, store->span,
             "another store writes what this one gives, but it may have nothing to store: of "
             "the shard %s is valid",
             expr_str(l->ir, u->valid));
  diag_note(l->ir->diag, store->span,
            "store the shard once, or make the tile valid as a whole by pl.set_validshape() "
            "before it crosses");
  l->failed = true;
}

static void level_assign(Rewriter *r, Stmt *s, StmtList *out) {
  Leveler *l = r->ctx;
  Expr *call = s->u.assign.value, *var = s->u.assign.var, *now = rewrite_expr(r, call), *same = now;
  const Op *op = expr_op(call);
  const Uneven *u = op ? uneven_operand(l, call) : NULL;
  if (op && op->id == OP_TILE_GET_SUBBLOCK_IDX && l->depth == 1) l->lane.index = var;
  if (u && op->id == OP_TILE_STORE) {
    StmtList store = {0};
    if (map_has(&l->through, var)) fail_chained(l, call, u);
    retype_assign(r, s, now, &store);
    guard_store(l, u, store.data[0], call->span, out);
    if (now->u.call.nargs >= 3)
      map_set(&r->subst, var, now->u.call.args[2]); /* behind the branch */
    vec_free(&store);
    return;
  }
  if (op && op->id == OP_TILE_AIV_SHARD && call->u.call.nargs)
    now = level_shard(l, var, call, now);
  else if (op && op->id == OP_TILE_AIC_GATHER && call->u.call.nargs)
    now = level_gather(l, call, now);
  else if (u && type_is_tile(call->type))
    now = level_tile(l, u, var, call, now);
  retype_assign(r, s, now, out);
  if (now != same) vec_last(out)->ncomments = 0;
}

static void level_eval(Rewriter *r, Stmt *s, StmtList *out) {
  Leveler *l = r->ctx;
  Expr *now = rewrite_expr(r, s->u.eval);
  Stmt *n = now == s->u.eval ? s : stmt_eval(r->ir, now, s->span);
  const Uneven *u = expr_is_op(now, OP_TILE_STORE) ? uneven_operand(l, s->u.eval) : NULL;
  if (u)
    guard_store(l, u, n, now->span, out);
  else
    vec_push(out, n);
}

static const Uneven *yields_uneven(const Leveler *l, Block b, int i) {
  const Stmt *y = block_yield(b);
  return y && i < y->u.ret.len ? map_get(&l->uneven, y->u.ret.values[i]) : NULL;
}

static void fail_carry(Leveler *l, Span at, const Expr *var, const Uneven *u) {
  diag_error(
      l->ir->diag, at,
      "'%s' carries a shard, of which %s is valid on each vector core, out of a loop or branch, "
      "or into one",
      var->u.var.name, expr_str(l->ir, u->valid));
  diag_note(
      l->ir->diag, at,
      "shard where it is used, or make the tile valid as a whole by pl.set_validshape() before it "
      "crosses");
  l->failed = true;
}

static void level_nested(Rewriter *r, Stmt *s, StmtList *out) {
  Leveler *l = r->ctx;
  vec_push(out, rewrite_stmt_children(r, s));
  bool loop = s->kind != STMT_IF;
  int n = loop ? s->u.loop.ncarried : s->u.if_.nresults;
  for (int i = 0; i < n && !l->failed; i++) {
    Expr *var = loop ? s->u.loop.iter_args[i] : s->u.if_.results[i];
    const Uneven *u =
        loop ? map_get(&l->uneven, var->u.var.init) : yields_uneven(l, s->u.if_.then_body, i);
    if (!u) u = yields_uneven(l, loop ? s->u.loop.body : s->u.if_.else_body, i);
    if (u) fail_carry(l, s->span, var, u);
  }
}

static void level_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Leveler *l = r->ctx;
  if (l->failed) return;
  switch (s->kind) {
    case STMT_ASSIGN: level_assign(r, s, out); break;
    case STMT_EVAL: level_eval(r, s, out); break;
    case STMT_IF:
    case STMT_FOR:
    case STMT_WHILE: level_nested(r, s, out); break;
    default: vec_push(out, rewrite_stmt_children(r, s)); break;
  }
}

static void enter_block(Rewriter *r) { ((Leveler *)r->ctx)->depth++; }
static void leave_block(Rewriter *r) { ((Leveler *)r->ctx)->depth--; }

static bool note_store(Visitor *v, Expr *e) {
  Leveler *l = v->ctx;
  if (expr_is_op(e, OP_TILE_STORE) && e->u.call.nargs >= 3)
    map_set(&l->through, e->u.call.args[2], e);
  return true;
}

static bool level(Ir *ir, Block b, SplitMode mode, Map *used, Map *renamed, Block *out) {
  Leveler l = {.ir = ir, .axis = split_axis_of(mode), .lane.ir = ir, .used = used};
  Visitor v = {.ctx = &l, .expr = note_store};
  visit_block(&v, b);
  Rewriter r;
  rewriter_init(&r, ir, &l);
  r.stmt = level_stmt;
  r.enter = enter_block;
  r.leave = leave_block;
  Block n = rewrite_block(&r, b);
  StmtList body = {0};
  if (l.bind) vec_push(&body, l.bind);
  for (int i = 0; i < n.len; i++) vec_push(&body, n.items[i]);
  *out = block_take(ir, &body);
  for (MapEntry *e = NULL; (e = map_next(&r.subst, e));) map_set(renamed, e->key, e->value);
  rewriter_free(&r);
  map_free(&l.uneven);
  map_free(&l.through);
  return !l.failed;
}

bool check_own_halves(Ir *ir, Block b, SplitMode mode, Map *used, Map *renamed, Block *out) {
  return check_halves(ir, b) && level(ir, b, mode, used, renamed, out);
}
