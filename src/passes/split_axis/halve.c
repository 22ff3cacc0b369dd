#include "passes/split_axis/halve.h"

#include "base/buf.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/util/affinity.h"
#include "passes/util/auto_name.h"
#include "passes/util/retype.h"

typedef struct Halver {
  Ir *ir;
  int axis;    /* of values that come from nowhere in halves */
  Expr *index; /* which of the two cores */
  Expr *step;  /* where the second core begins if that is not at half of the axis, or NULL */
  Map axes;    /* halved variable, old and new -> its axis + 1 */
  bool failed;
} Halver;

bool split_not_built(Ir *ir, Span at, const char *what) {
  diag_error(ir->diag, at, "%s (LowerAutoVectorSplit) is not built yet", what);
  return false;
}

bool swaps_axis(const Expr *call, int dim) {
  if (!expr_is_op(call, OP_TILE_TRANSPOSE) || !call->u.call.nargs) return false;
  const Type *t = call->u.call.args[0]->type;
  int64_t extent, a, b;
  if (!type_is_tile(t) || dim >= t->rank) return false;
  if (expr_const_int(t->shape[dim], &extent) && extent == 1) return false;
  if (call->u.call.nargs < 3 || !expr_const_int(call->u.call.args[1], &a) ||
      !expr_const_int(call->u.call.args[2], &b))
    return true;
  return a == dim || b == dim;
}

/* ---------------------------------------------------------------- extents */

static Expr *half_of(Halver *h, Expr *extent) {
  int64_t n;
  if (expr_const_int(extent, &n)) return expr_int(h->ir, (n + 1) / 2, extent->type->dtype, extent->span);
  Expr *two = expr_int(h->ir, 2, extent->type->dtype, extent->span);
  return expr_binary(h->ir, EXPR_FLOOR_DIV, extent, two, extent->type->dtype, extent->span);
}

static bool halves_are_exact(const Expr *extent) {
  int64_t n;
  return !expr_const_int(extent, &n) || n % 2 == 0;
}

static Expr *index_expr(Halver *h, ExprKind kind, Expr *a, Expr *b) {
  return expr_binary(h->ir, kind, a, b, DT_INDEX, a->span);
}

/* How much of `half` this core has, if `valid` of the whole `extent` is valid. */
static Expr *own_part(Halver *h, Expr *valid, const Expr *extent, Expr *half) {
  if (h->step) half = h->step;
  else if (dim_equal(valid, extent) && halves_are_exact(extent)) return half;
  Expr *start = index_expr(h, EXPR_MUL, h->index, half);
  Expr *rest = index_expr(h, EXPR_SUB, index_expr(h, EXPR_MAX, valid, start), start);
  return index_expr(h, EXPR_MIN, rest, half);
}

static Expr *with_element(Halver *h, Expr *tuple, int at, Expr *value) {
  Expr **elems = COPY_ARRAY(h->ir->arena, Expr *, tuple->u.tuple.elems, tuple->u.tuple.len);
  elems[at] = value;
  return expr_tuple(h->ir, elems, tuple->u.tuple.len, tuple->span);
}

static bool has_element(const Expr *e, int at) { return e->kind == EXPR_TUPLE && at < e->u.tuple.len; }

static Expr *half_element(Halver *h, Expr *tuple, int at) {
  return has_element(tuple, at) ? with_element(h, tuple, at, half_of(h, tuple->u.tuple.elems[at])) : tuple;
}

static Expr *own_element(Halver *h, Expr *tuple, int at, const Expr *extent, Expr *half) {
  if (!has_element(tuple, at)) return tuple;
  return with_element(h, tuple, at, own_part(h, tuple->u.tuple.elems[at], extent, half));
}

static Expr *moved_offset(Halver *h, Expr *offsets, int at, Expr *half) {
  if (!has_element(offsets, at)) return offsets;
  Expr *from = offsets->u.tuple.elems[at];
  Expr *by = expr_binary(h->ir, EXPR_MUL, h->index, h->step ? h->step : half, DT_INDEX, from->span);
  return with_element(h, offsets, at, index_expr(h, EXPR_ADD, from, by));
}

static const Type *half_type(Halver *h, const Type *t, int axis) {
  Expr **shape = COPY_ARRAY(h->ir->arena, Expr *, t->shape, t->rank);
  shape[axis] = half_of(h, t->shape[axis]);
  Type n = *t;
  n.shape = shape;
  TileView v = tile_view_of(h->ir, t);
  if (axis < v.nvalid && (t->tile_view || h->step || !halves_are_exact(t->shape[axis]))) {
    v.valid_shape = COPY_ARRAY(h->ir->arena, Expr *, v.valid_shape, v.nvalid);
    v.valid_shape[axis] = own_part(h, v.valid_shape[axis], t->shape[axis], shape[axis]);
    n.tile_view = &v;
  }
  return type_intern(h->ir, &n);
}

/* ---------------------------------------------------------------- calls */

static int axis_of(Halver *h, const Expr *var) { return (int)map_get_int(&h->axes, var) - 1; }

static int axis_of_operands(Halver *h, const Expr *call) {
  for (int i = 0; i < call->u.call.nargs; i++)
    if (map_has(&h->axes, call->u.call.args[i])) return axis_of(h, call->u.call.args[i]);
  return -1;
}

static void fail(Halver *h, Span at, const char *why, const Expr *call) {
  diag_error(h->ir->diag, at, "%s %s", call->u.call.op->name, why);
  h->failed = true;
}

static bool reduces(const Expr *call, int axis) {
  int rank = call->u.call.nargs ? call->u.call.args[0]->type->rank : 2;
  switch (call->u.call.op->id) {
    case OP_TILE_ROW_SUM:
    case OP_TILE_ROW_MAX:
    case OP_TILE_ROW_MIN:
    case OP_TILE_ROW_PROD:
    case OP_TILE_ROW_ARGMAX:
    case OP_TILE_ROW_ARGMIN: return axis == rank - 1;
    case OP_TILE_COL_SUM:
    case OP_TILE_COL_MAX:
    case OP_TILE_COL_MIN:
    case OP_TILE_COL_PROD:
    case OP_TILE_COL_ARGMAX:
    case OP_TILE_COL_ARGMIN: return axis == 0;
    default: return false;
  }
}

static void halve_operands(Halver *h, const Expr *call, Expr **args, int axis, bool from_half) {
  int n = call->u.call.nargs;
  Expr *extent = call->type->shape[axis], *half = half_of(h, extent);
  int64_t valid, most;
  switch (call->u.call.op->id) {
    case OP_TILE_LOAD:
    case OP_TILE_SLICE: {
      bool load = call->u.call.op->id == OP_TILE_LOAD;
      int shape = load ? 2 : 1, offsets = load ? 1 : 2;
      if (n < 3) return;
      args[shape] = half_element(h, args[shape], axis);
      if (!from_half) args[offsets] = moved_offset(h, args[offsets], axis, half);
      if (n >= 4) args[3] = own_element(h, args[3], axis, extent, half);
      return;
    }
    case OP_TILE_FULL:
    case OP_TILE_CREATE: args[0] = half_element(h, args[0], axis); return;
    case OP_TILE_SET_VALIDSHAPE:
      if (1 + axis >= n) return;
      if (dim_equal(args[1 + axis], extent) ||
          (expr_const_int(args[1 + axis], &valid) && expr_const_int(half, &most) && valid > most))
        args[1 + axis] = own_part(h, args[1 + axis], extent, half);
      return;
    default: return;
  }
}

/* The product of the dimensions from `from` on; false if one is no constant. */
static bool elements_from(const Type *t, int from, int64_t *product) {
  *product = 1;
  for (int i = from; i < t->rank; i++) {
    int64_t n;
    if (!expr_const_int(t->shape[i], &n) || __builtin_mul_overflow(*product, n, product)) return false;
  }
  return true;
}

/* Where `axis` of a tile, with nothing but 1 before it, is after a reshape to `to`: the axis whose first half is
 * the same elements.  -1 if there is none. */
static int reshaped_axis(const Type *from, int axis, const Type *to) {
  int64_t all, mine, n;
  if (!elements_from(from, 0, &all) || !elements_from(from, axis, &mine) || all != mine) return -1;
  if (!expr_const_int(from->shape[axis], &n) || n % 2) return -1;
  for (int i = 0; i < to->rank; i++) {
    if (!elements_from(to, i, &mine) || mine != all) return -1;
    if (expr_const_int(to->shape[i], &n) && n != 1) return n % 2 ? -1 : i;
  }
  return -1;
}

static Expr *half_reshape(Halver *h, const Expr *call, Expr *now, int *axis) {
  const Expr *tile = call->u.call.args[0];
  int from = axis_of(h, tile);
  *axis = from < 0 || call->u.call.nargs != 2 ? -1 : reshaped_axis(tile->type, from, call->type);
  if (*axis < 0) {
    h->failed = !split_not_built(h->ir, call->span, "halving this reshape");
    return now;
  }
  Expr *half = expr_copy(h->ir, now);
  half->u.call.args = COPY_ARRAY(h->ir->arena, Expr *, now->u.call.args, 2);
  half->u.call.args[1] = half_element(h, now->u.call.args[1], *axis);
  half->type = half_type(h, call->type, *axis);
  return half;
}

/* The half of a vector core's call, `call` with its operands replaced being `now`. */
static Expr *half_call(Halver *h, const Expr *call, Expr *now, int *axis) {
  OpId id = call->u.call.op->id;
  int from = id == OP_TILE_LOAD ? -1 : axis_of_operands(h, call);
  *axis = from >= 0 ? from : h->axis;
  const Type *t = call->type;
  int64_t extent;
  if (reduces(call, *axis)) {
    fail(h, call->span, "reduces the axis that is split between the two vector cores", call);
    return now;
  }
  if (id == OP_TILE_RESHAPE && from >= 0) return half_reshape(h, call, now, axis);
  bool whole = !type_is_tile(t) || *axis >= t->rank || (id == OP_TILE_LOAD && t->rank < 2);
  if (whole || (expr_const_int(t->shape[*axis], &extent) && extent == 1)) {
    *axis = -1;
    return now;
  }
  if (id == OP_TILE_CI || id == OP_TILE_RANDOM) {
    fail(h, call->span, "cannot be split between the two vector cores: its values depend on their position", call);
    return now;
  }
  if (id == OP_TILE_RESHAPE || id == OP_TILE_REINTERPRET_VIEW || id == OP_TILE_TPOP_FROM_AIC) {
    h->failed = !split_not_built(h->ir, call->span, "halving this operator");
    return now;
  }
  Expr *half = expr_copy(h->ir, now);
  half->u.call.args = COPY_ARRAY(h->ir->arena, Expr *, now->u.call.args, now->u.call.nargs);
  half->type = half_type(h, t, *axis);
  halve_operands(h, call, half->u.call.args, *axis, from >= 0);
  return half;
}

static Expr *half_store(Halver *h, const Expr *call, Expr *now) {
  const Expr *tile = call->u.call.args[0];
  if (call->u.call.nargs < 3 || !map_has(&h->axes, tile)) return now;
  Expr *half = expr_copy(h->ir, now);
  half->u.call.args = COPY_ARRAY(h->ir->arena, Expr *, now->u.call.args, now->u.call.nargs);
  int axis = axis_of(h, tile);
  half->u.call.args[1] = moved_offset(h, now->u.call.args[1], axis, half_of(h, tile->type->shape[axis]));
  return half;
}

/* A reshape of a whole tile stays, assigned before; the core takes its half by a slice of it. */
static Expr *slice_of_reshape(Halver *h, const Expr *var, Expr *now, int axis, StmtList *out) {
  const Type *t = now->type;
  Expr **shape = NEW_ARRAY(h->ir->arena, Expr *, t->rank), **from = NEW_ARRAY(h->ir->arena, Expr *, t->rank);
  for (int i = 0; i < t->rank; i++) {
    int64_t n;
    if (!expr_const_int(t->shape[i], &n)) {
      h->failed = !split_not_built(h->ir, now->span, "halving this reshape");
      return now;
    }
    shape[i] = expr_int(h->ir, i == axis ? (n + 1) / 2 : n, DT_INDEX, now->span);
    from[i] = i == axis ? index_expr(h, EXPR_MUL, h->index, shape[i]) : expr_int(h->ir, 0, DT_INDEX, now->span);
  }
  Expr *whole = expr_var(h->ir, var->u.var.name, t, var->span);
  vec_push(out, stmt_assign(h->ir, whole, now, now->span));
  Expr *args[] = {whole, expr_tuple(h->ir, shape, t->rank, now->span), expr_tuple(h->ir, from, t->rank, now->span)};
  Expr *slice = op_call_id(h->ir, OP_TILE_SLICE, args, 3, (AttrList){0}, now->span);
  h->failed |= !slice;
  return slice ? slice : now;
}

/* Is `call` a reshape of a tile that is no half, to one with something to halve? */
static bool reshapes_whole(Halver *h, const Expr *call) {
  int64_t n;
  return expr_is_op(call, OP_TILE_RESHAPE) && axis_of_operands(h, call) < 0 && h->axis < call->type->rank &&
         !(expr_const_int(call->type->shape[h->axis], &n) && n == 1);
}

/* ---------------------------------------------------------------- crossings */

/* Is so little of the axis valid that the cut would have to follow what is valid? */
static bool is_ragged(const Expr *valid, const Expr *extent) {
  int64_t v, n;
  return expr_const_int(valid, &v) && expr_const_int(extent, &n) && v < n && (v + 1) / 2 != (n + 1) / 2;
}

static Expr *shard(Halver *h, const Expr *move, Expr *now) {
  const Type *t = move->u.call.args[0]->type;
  int n;
  Expr *const *valid = type_valid_shape(t, &n);
  if (h->axis >= n || (!h->step && is_ragged(valid[h->axis], t->shape[h->axis]))) {
    h->failed = !split_not_built(h->ir, move->span, "splitting a tile of which only a part is valid");
    return now;
  }
  AttrList kw = attr_with(h->ir, (AttrList){0}, ir_name(h->ir, "split"), attr_of_int(h->axis + 1));
  if (h->step) kw = attr_with(h->ir, kw, ir_name(h->ir, "lane_stride"), attr_of_int(h->step->u.i));
  Expr *call = op_call_id(h->ir, OP_TILE_AIV_SHARD, now->u.call.args, 1, kw, move->span);
  if (!call) {
    h->failed = true;
    return now;
  }
  if (!h->step && dim_equal(valid[h->axis], t->shape[h->axis]) && halves_are_exact(t->shape[h->axis])) return call;
  TileView v = tile_view_of(h->ir, call->type);
  v.valid_shape = COPY_ARRAY(h->ir->arena, Expr *, v.valid_shape, v.nvalid);
  v.valid_shape[h->axis] = own_part(h, valid[h->axis], t->shape[h->axis], call->type->shape[h->axis]);
  call = expr_copy(h->ir, call);
  call->type = type_with_tile_view(h->ir, call->type, &v);
  return call;
}

/* The whole tile that the cube core moves on, assigned before. */
static Expr *gathered(Halver *h, const Expr *var, const Expr *move, Expr *now, StmtList *out) {
  int axis = axis_of(h, move->u.call.args[0]);
  if (axis < 0 || axis > 1) {
    fail(h, move->span, "brings a whole tile to the cube core, where each vector core should have a half", move);
    return now;
  }
  AttrList kw = attr_with(h->ir, (AttrList){0}, ir_name(h->ir, "split"), attr_of_int(axis + 1));
  Expr *call = op_call_id(h->ir, OP_TILE_AIC_GATHER, now->u.call.args, 1, kw, move->span);
  if (!call) {
    h->failed = true;
    return now;
  }
  Buf name = {0};
  buf_printf(&name, "%s_mat", var->u.var.name);
  Expr *mat = expr_var(h->ir, ir_name(h->ir, buf_str(&name)), call->type, var->span);
  buf_free(&name);
  vec_push(out, stmt_assign(h->ir, mat, call, move->span));
  Expr *n = expr_copy(h->ir, now);
  n->u.call.args = COPY_ARRAY(h->ir->arena, Expr *, now->u.call.args, now->u.call.nargs);
  n->u.call.args[0] = mat;
  return n;
}

/* ---------------------------------------------------------------- statements */

static Expr *half_value(Halver *h, const Expr *var, Expr *call, Expr *now, int *axis, StmtList *out) {
  OpAffinity a = call_affinity(h->ir, call);
  if (expr_is_op(call, OP_TILE_MOVE) && a == AFFINITY_MIXED) {
    if (is_cube_space(call->type->space)) return gathered(h, var, call, now, out);
    *axis = h->axis;
    return shard(h, call, now);
  }
  if (a == AFFINITY_CUBE && axis_of_operands(h, call) >= 0)
    fail(h, call->span, "on the cube core has a half tile of a vector core as operand", call);
  if (a == AFFINITY_MIXED) h->failed = !split_not_built(h->ir, call->span, "a crossing by hand in what is halved");
  if (a != AFFINITY_VECTOR) return now;
  if (reshapes_whole(h, call)) return slice_of_reshape(h, var, now, *axis = h->axis, out);
  return expr_is_op(call, OP_TILE_STORE) ? half_store(h, call, now) : half_call(h, call, now, axis);
}

static bool any_vector_tile(Expr *const *vars, int n) {
  for (int i = 0; i < n; i++)
    if (type_is_tile(vars[i]->type) && !is_cube_space(vars[i]->type->space)) return true;
  return false;
}

static bool carries_tile(const Stmt *s) {
  if (s->kind == STMT_IF) return any_vector_tile(s->u.if_.results, s->u.if_.nresults);
  return (s->kind == STMT_FOR || s->kind == STMT_WHILE) && any_vector_tile(s->u.loop.iter_args, s->u.loop.ncarried);
}

static void half_eval(Halver *h, Stmt *s, Expr *now, StmtList *out) {
  Expr *call = s->u.eval;
  if (call_affinity(h->ir, call) == AFFINITY_VECTOR && expr_is_op(call, OP_TILE_STORE))
    now = half_store(h, call, now);
  else if (axis_of_operands(h, call) >= 0)
    h->failed = !split_not_built(h->ir, call->span, "halving this call");
  vec_push(out, now == call ? s : stmt_eval(h->ir, now, s->span));
}

static void half_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Halver *h = r->ctx;
  Expr *call = s->kind == STMT_ASSIGN ? s->u.assign.value : s->kind == STMT_EVAL ? s->u.eval : NULL;
  if (h->failed) return;
  if (carries_tile(s)) {
    h->failed = !split_not_built(h->ir, s->span, "halving a loop or branch that carries a tile");
    return;
  }
  if (!call || !expr_op(call)) {
    retype_stmt(r, s, out);
    return;
  }
  Expr *now = rewrite_expr(r, call), *same = now;
  if (s->kind == STMT_EVAL) {
    half_eval(h, s, now, out);
    return;
  }
  int axis = -1;
  now = half_value(h, s->u.assign.var, call, now, &axis, out);
  retype_assign(r, s, now, out);
  if (now != same) vec_last(out)->ncomments = 0; /* a statement of the pass's own */
  if (axis < 0 || h->failed) return;
  map_set(&h->axes, s->u.assign.var, map_int(axis + 1));
  map_set(&h->axes, vec_last(out)->u.assign.var, map_int(axis + 1));
}

/* ---------------------------------------------------------------- where to cut */

typedef struct Scan {
  Halver *h;
  Map from_cube; /* tiles made from nothing but what crossed */
  int64_t valid, extent; /* of what crosses; 0: nothing yet */
  bool blocked;
} Scan;

static bool is_split_tile(const Halver *h, const Type *t) {
  int64_t n;
  return type_is_tile(t) && h->axis < t->rank && !(expr_const_int(t->shape[h->axis], &n) && n == 1);
}

static void scan_crossing(Scan *sc, const Type *t) {
  int n, axis = sc->h->axis;
  int64_t v, extent;
  Expr *const *valid = type_valid_shape(t, &n);
  bool known = axis < n && expr_const_int(valid[axis], &v) && expr_const_int(t->shape[axis], &extent);
  if (!known || (sc->extent && (sc->valid != v || sc->extent != extent))) {
    sc->blocked = true;
    return;
  }
  sc->valid = v;
  sc->extent = extent;
}

static bool scan_stmt(Visitor *v, Stmt *s) {
  Scan *sc = v->ctx;
  Halver *h = sc->h;
  Expr *call = s->kind == STMT_ASSIGN ? s->u.assign.value : s->kind == STMT_EVAL ? s->u.eval : NULL;
  if (sc->blocked || !call || !expr_op(call)) return !sc->blocked;
  OpAffinity a = call_affinity(h->ir, call);
  bool crosses = a == AFFINITY_MIXED, derived = crosses;
  if (crosses && (!expr_is_op(call, OP_TILE_MOVE) || is_cube_space(call->type->space))) sc->blocked = true;
  else if (crosses) scan_crossing(sc, call->u.call.args[0]->type);
  else if (is_split_tile(h, call->type) && a != AFFINITY_CUBE) {
    for (int i = 0; i < call->u.call.nargs; i++) {
      if (!is_split_tile(h, call->u.call.args[i]->type)) continue;
      derived = true;
      if (!map_has(&sc->from_cube, call->u.call.args[i])) sc->blocked = true;
    }
    if (!derived) sc->blocked = true;
  }
  if (derived && s->kind == STMT_ASSIGN) map_set(&sc->from_cube, s->u.assign.var, s->u.assign.var);
  return !sc->blocked;
}

/* The cut in the middle of what is valid, if all that is split crosses with the same valid part. */
static Expr *balanced_step(Halver *h, Block b) {
  Scan sc = {.h = h};
  Visitor v = {.ctx = &sc, .stmt = scan_stmt};
  visit_block(&v, b);
  map_free(&sc.from_cube);
  int64_t step = (sc.valid + 1) / 2;
  if (sc.blocked || step <= 0 || sc.valid >= sc.extent || step == (sc.extent + 1) / 2) return NULL;
  return expr_index(h->ir, step);
}

bool halve_block(Ir *ir, Block b, SplitMode mode, HalveCut cut, Map *used, Span at, Block *out) {
  Name name = ir_name(ir, "subblock_idx");
  if (map_has(used, name)) name = auto_name_fresh(ir, name, used);
  map_set(used, name, (void *)name);
  Halver h = {.ir = ir, .axis = split_axis_of(mode)};
  h.index = expr_var(ir, name, type_scalar(ir, DT_INDEX), at);
  Expr *get = expr_call_op(ir, op_get(ir, OP_TILE_GET_SUBBLOCK_IDX), NULL, 0, (AttrList){0}, h.index->type, at);
  if (cut == CUT_BALANCED) h.step = balanced_step(&h, b);
  StmtList body = {0};
  vec_push(&body, stmt_assign(ir, h.index, get, at));
  Rewriter r;
  retype_init(&r, ir, &h);
  r.stmt = half_stmt;
  Block half = rewrite_block(&r, b);
  for (int i = 0; i < half.len; i++) vec_push(&body, half.items[i]);
  *out = block_take(ir, &body);
  rewriter_free(&r);
  map_free(&h.axes);
  return !h.failed;
}
