#include "passes/cross_core/lanes.h"

#include "ir/op.h"
#include "ir/view.h"

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

int reduced_axis(const Expr *call) {
  const Op *op = expr_op(call);
  const Type *t = op && call->u.call.nargs ? call->u.call.args[0]->type : NULL;
  switch (op ? op->id : OP_NONE) {
    case OP_TILE_ROW_SUM:
    case OP_TILE_ROW_MAX:
    case OP_TILE_ROW_MIN:
    case OP_TILE_ROW_PROD:
    case OP_TILE_ROW_ARGMAX:
    case OP_TILE_ROW_ARGMIN: return t && type_is_tile(t) ? t->rank - 1 : 1;
    case OP_TILE_COL_SUM:
    case OP_TILE_COL_MAX:
    case OP_TILE_COL_MIN:
    case OP_TILE_COL_PROD:
    case OP_TILE_COL_ARGMAX:
    case OP_TILE_COL_ARGMIN: return 0;
    default: return -1;
  }
}

/* What each of the two vector cores gets along the axis that is divided. */
typedef struct Parts {
  int64_t first, second;
  int64_t half; /* of the extent, rounded up */
} Parts;

/* False unless everything is constant. */
static bool parts_of(const Transfer *t, Parts *p) {
  int64_t extent, valid;
  int axis = split_axis_of(t->mode), n;
  if (!type_is_tile(t->whole) || axis >= t->whole->rank) return false;
  Expr *const *valid_shape = type_valid_shape(t->whole, &n);
  if (axis >= n || !expr_const_int(t->whole->shape[axis], &extent) ||
      !expr_const_int(valid_shape[axis], &valid))
    return false;
  p->half = (extent + 1) / 2;
  int64_t stride = t->lane_stride ? t->lane_stride : p->half;
  int64_t rest = valid > stride ? valid - stride : 0;
  p->first = valid < stride ? valid : stride;
  p->second = rest < stride ? rest : stride;
  return true;
}

int transfer_code(Ir *ir, const Transfer *t) {
  Parts p;
  if (t->mode == SPLIT_NONE) return SPLIT_NONE;
  if (!parts_of(t, &p) || p.first == p.second || p.second == 0) return t->mode;
  if (t->to_vector && p.first == p.second + 1) return t->mode + 2;
  diag_error(ir->diag, t->at, "the two vector cores' parts are %lld and %lld %s of the tile",
             (long long)p.first, (long long)p.second,
             t->mode == SPLIT_UP_DOWN ? "rows" : "columns");
  if (t->to_vector)
    diag_note(ir->diag, t->at,
              "the second part may be equal, one less, or empty: make %lld or %lld of them valid, "
              "or at most %lld",
              (long long)(2 * p.half), (long long)(2 * p.half - 1), (long long)p.half);
  else
    diag_note(ir->diag, t->at,
              "both parts must be equal: pad to %lld and narrow the result with pl.set_validshape",
              (long long)(2 * p.half));
  return -1;
}
