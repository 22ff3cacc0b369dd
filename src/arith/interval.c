/* interval.c -- bounds of integer expressions that are expressions themselves. */
#include "arith/fold.h"
#include "arith/state.h"

#define INTERVAL_ALL ((Interval){NULL, NULL})

static Interval point(Expr *e) { return (Interval){e, e}; }
static bool is_point(Interval i) { return i.min && i.min == i.max; }

static Interval numbers(Analyzer *a, int64_t min, int64_t max) {
  return (Interval){expr_int(a->ir, min, DT_INT64, NO_SPAN),
                    expr_int(a->ir, max, DT_INT64, NO_SPAN)};
}

/* x OP y simplified; NULL if one of them is unbounded or they do not go together. */
static Expr *combine(Analyzer *a, ExprKind op, Expr *x, Expr *y) {
  Expr *e = x && y ? make_binary(a->ir, op, x, y, NO_SPAN) : NULL;
  return e ? analyzer_simplify(a, e) : NULL;
}

/* ---- the lesser and the greater of two bounds ---- */

static Expr *pick(Analyzer *a, ExprKind op, Expr *x, Expr *y) {
  ExprKind first = op == EXPR_MIN ? EXPR_LE : EXPR_GE, second = op == EXPR_MIN ? EXPR_GE : EXPR_LE;
  Expr *c = make_binary(a->ir, first, x, y, NO_SPAN);
  if (!c) return NULL;
  if (analyzer_proves(a, c)) return x;
  if (analyzer_proves(a, make_binary(a->ir, second, x, y, NO_SPAN))) return y;
  return combine(a, op, x, y);
}

/* The bound of both: an unbounded one says nothing. */
static Expr *tighter(Analyzer *a, ExprKind op, Expr *x, Expr *y) {
  if (!x || !y) return x ? x : y;
  return pick(a, op, x, y);
}

/* The bound of either: an unbounded one wins. */
static Expr *looser(Analyzer *a, ExprKind op, Expr *x, Expr *y) {
  return x && y ? pick(a, op, x, y) : NULL;
}

/* ---- operations ---- */

static Interval mul_intervals(Analyzer *a, Interval x, Interval y) {
  if (is_point(x) && !is_point(y)) {
    Interval t = x;
    x = y;
    y = t;
  }
  if (is_point(x) && is_point(y)) return point(combine(a, EXPR_MUL, x.min, y.min));
  if (is_point(y) && analyzer_proves_ge(a, y.min, 0))
    return (Interval){combine(a, EXPR_MUL, x.min, y.min), combine(a, EXPR_MUL, x.max, y.min)};
  if (is_point(y) && analyzer_proves_less(a, y.min, 0))
    return (Interval){combine(a, EXPR_MUL, x.max, y.min), combine(a, EXPR_MUL, x.min, y.min)};
  if (x.min && y.min && analyzer_proves_ge(a, x.min, 0) && analyzer_proves_ge(a, y.min, 0))
    return (Interval){combine(a, EXPR_MUL, x.min, y.min), combine(a, EXPR_MUL, x.max, y.max)};
  return INTERVAL_ALL;
}

static Interval binary_interval(Analyzer *a, ExprKind kind, Interval x, Interval y) {
  int64_t n;
  bool by_number = is_point(y) && expr_const_int(y.min, &n) && n > 0;
  switch (kind) {
    case EXPR_ADD:
      return (Interval){combine(a, EXPR_ADD, x.min, y.min), combine(a, EXPR_ADD, x.max, y.max)};
    case EXPR_SUB:
      return (Interval){combine(a, EXPR_SUB, x.min, y.max), combine(a, EXPR_SUB, x.max, y.min)};
    case EXPR_MUL: return mul_intervals(a, x, y);
    case EXPR_FLOOR_DIV:
      if (!by_number) return INTERVAL_ALL;
      return (Interval){combine(a, kind, x.min, y.min), combine(a, kind, x.max, y.min)};
    case EXPR_FLOOR_MOD: return by_number ? numbers(a, 0, n - 1) : INTERVAL_ALL;
    case EXPR_MIN:
      return (Interval){looser(a, EXPR_MIN, x.min, y.min), tighter(a, EXPR_MIN, x.max, y.max)};
    case EXPR_MAX:
      return (Interval){tighter(a, EXPR_MAX, x.min, y.min), looser(a, EXPR_MAX, x.max, y.max)};
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
    case EXPR_AND:
    case EXPR_OR:
    case EXPR_XOR: return numbers(a, 0, 1);
    default: return INTERVAL_ALL;
  }
}

static Expr *negated(Analyzer *a, Expr *e) {
  Expr *n = e ? make_unary(a->ir, EXPR_NEG, e, NO_SPAN) : NULL;
  return n ? analyzer_simplify(a, n) : NULL;
}

/* A widening cast keeps the value. */
static bool widens(const Expr *cast) {
  DType from = scalar_dtype(cast->u.operand), to = cast->type->dtype;
  return dtype_bits(to) >= dtype_bits(from) && dtype_class(to) == dtype_class(from);
}

Interval interval_of(Analyzer *a, Expr *e) {
  switch (e->kind) {
    case EXPR_INT:
    case EXPR_BOOL: return point(e);
    case EXPR_VAR: {
      const Interval *known = map_get(&a->intervals, e);
      return known ? *known : point(e);
    }
    case EXPR_NEG: {
      Interval x = interval_of(a, e->u.operand);
      return (Interval){negated(a, x.max), negated(a, x.min)};
    }
    case EXPR_NOT: return numbers(a, 0, 1);
    case EXPR_CAST: return widens(e) ? interval_of(a, e->u.operand) : INTERVAL_ALL;
    default: break;
  }
  if (!expr_is_binary(e)) return INTERVAL_ALL;
  return binary_interval(a, e->kind, interval_of(a, e->u.bin.lhs), interval_of(a, e->u.bin.rhs));
}

/* ---- constraints ---- */

static void tighten(Analyzer *a, Expr *var, Expr *min, Expr *max) {
  if (var->kind != EXPR_VAR || var->u.var.is_iter_arg) return;
  const Interval *old = map_get(&a->intervals, var);
  Interval *i = NEW(&a->arena, Interval);
  *i = (Interval){tighter(a, EXPR_MAX, old ? old->min : NULL, min),
                  tighter(a, EXPR_MIN, old ? old->max : NULL, max)};
  scoped_set(a, &a->intervals, var, i);
}

void interval_enter(Analyzer *a, Expr *cond) {
  if (!expr_is_binary(cond)) return;
  Expr *lhs = cond->u.bin.lhs, *rhs = cond->u.bin.rhs, *one = expr_int(a->ir, 1, DT_INT64, NO_SPAN);
  switch (cond->kind) {
    case EXPR_AND:
      interval_enter(a, lhs);
      interval_enter(a, rhs);
      return;
    case EXPR_LE:
      tighten(a, lhs, NULL, rhs);
      tighten(a, rhs, lhs, NULL);
      return;
    case EXPR_LT:
      tighten(a, lhs, NULL, combine(a, EXPR_SUB, rhs, one));
      tighten(a, rhs, combine(a, EXPR_ADD, lhs, one), NULL);
      return;
    case EXPR_GE:
      tighten(a, rhs, NULL, lhs);
      tighten(a, lhs, rhs, NULL);
      return;
    case EXPR_GT:
      tighten(a, rhs, NULL, combine(a, EXPR_SUB, lhs, one));
      tighten(a, lhs, combine(a, EXPR_ADD, rhs, one), NULL);
      return;
    case EXPR_EQ:
      tighten(a, lhs, rhs, rhs);
      tighten(a, rhs, lhs, lhs);
      return;
    default: return;
  }
}
