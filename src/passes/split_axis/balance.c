/* balance.c -- where the second core's part begins. */
#include "ir/op.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/cross_core/affinity.h"
#include "passes/split_axis/halver.h"

typedef struct Scan {
  const Halver *h;
  Map from_cube;         /* tiles made from nothing but what crossed */
  int64_t valid, extent; /* of what crosses */
  bool found, blocked;
} Scan;

/* A tile of type `t` crosses to the vector cores. */
static void scan_crossing(Scan *sc, const Type *t) {
  int n, axis = sc->h->axis;
  int64_t v, extent;
  Expr *const *valid = type_valid_shape(t, &n);
  bool known = axis < n && axis < t->rank && expr_const_int(valid[axis], &v) &&
               expr_const_int(t->shape[axis], &extent);
  if (!known || (sc->found && (sc->valid != v || sc->extent != extent))) {
    sc->blocked = true;
    return;
  }
  sc->found = true;
  sc->valid = v;
  sc->extent = extent;
}

/* Is more of it valid than crossed?  The parts of a shorter cut would not reach its end. */
static bool reaches_beyond(const Scan *sc, const Type *t) {
  int n;
  int64_t v;
  Expr *const *valid = type_valid_shape(t, &n);
  return sc->h->axis < n && expr_const_int(valid[sc->h->axis], &v) && v > sc->valid;
}

/* Does all that is split among the operands come from what crossed, and no more of the result is valid? */
static bool made_from_crossed(Scan *sc, const Expr *call) {
  bool any = false;
  if (reaches_beyond(sc, call->type)) return false;
  for (int i = 0; i < call->u.call.nargs; i++) {
    if (!has_axis(call->u.call.args[i]->type, sc->h->axis)) continue;
    if (!map_has(&sc->from_cube, call->u.call.args[i])) return false;
    any = true;
  }
  return any;
}

static bool goes_back(const Expr *call, bool crosses) {
  switch (call->u.call.op->id) {
    case OP_TILE_AIC_GATHER:
    case OP_TILE_TPUSH_TO_AIC:
    case OP_TILE_TPOP_FROM_AIV: return true;
    case OP_TILE_MOVE: return crosses && is_cube_space(call->type->space);
    default: return false;
  }
}

static bool scan_stmt(Visitor *v, Stmt *s) {
  Scan *sc = v->ctx;
  const Expr *call = s->kind == STMT_ASSIGN ? s->u.assign.value
                     : s->kind == STMT_EVAL ? s->u.eval
                                            : NULL;
  if (sc->blocked || !call || !expr_op(call)) return !sc->blocked;
  OpAffinity a = call_affinity(sc->h->lane.ir, call);
  bool crosses = a == AFFINITY_MIXED, pops = expr_is_op(call, OP_TILE_TPOP_FROM_AIC);
  if (goes_back(call, crosses)) {
    sc->blocked = true;
  } else if (crosses || pops) {
    scan_crossing(sc, pops ? call->type : call->u.call.args[0]->type);
  } else if (has_axis(call->type, sc->h->axis) && a != AFFINITY_CUBE) {
    sc->blocked = !made_from_crossed(sc, call);
  } else {
    return true;
  }
  if (s->kind == STMT_ASSIGN) map_set(&sc->from_cube, s->u.assign.var, s->u.assign.var);
  return !sc->blocked;
}

Expr *balanced_step(const Halver *h, Block b) {
  Scan sc = {.h = h};
  Visitor v = {.ctx = &sc, .stmt = scan_stmt};
  visit_block(&v, b);
  map_free(&sc.from_cube);
  int64_t step = sc.valid / 2 + sc.valid % 2;
  if (sc.blocked || step <= 0 || sc.valid >= sc.extent || step == sc.extent / 2 + sc.extent % 2)
    return NULL;
  return expr_index(h->lane.ir, step);
}
