/* bound.c -- constant bounds of integer expressions. */
#include <math.h>

#include "arith/fold.h"
#include "arith/state.h"

static int64_t min2(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t max2(int64_t a, int64_t b) { return a > b ? a : b; }
static bool infinite(int64_t x) { return x == BOUND_INF || x == -BOUND_INF; }

/* ---- numbers with infinities ---- */

static int64_t inf_add(int64_t a, int64_t b) {
  if (a == BOUND_INF || b == BOUND_INF) return BOUND_INF;
  if (a == -BOUND_INF || b == -BOUND_INF) return -BOUND_INF;
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return b > 0 ? BOUND_INF : -BOUND_INF;
  return sum;
}

static int64_t inf_neg(int64_t a) { return a == INT64_MIN ? BOUND_INF : -a; }

static int64_t inf_mul(int64_t a, int64_t b) {
  if (a == 0 || b == 0) return 0;
  int64_t product;
  if (infinite(a) || infinite(b) || __builtin_mul_overflow(a, b, &product))
    return (a > 0) == (b > 0) ? BOUND_INF : -BOUND_INF;
  return product;
}

/* base >= 0, exp >= 0 */
static int64_t inf_pow(int64_t base, int64_t exp) {
  if (base <= 1) return exp == 0 ? 1 : base;
  int64_t result = 1;
  for (; exp > 0 && !infinite(result); exp--) result = inf_mul(result, base);
  return result;
}

/* b > 0; an infinity stays one. */
static int64_t inf_floor_div(int64_t a, int64_t b) {
  if (infinite(a) && infinite(b)) return a > 0 ? 0 : -1;
  return infinite(a) ? a : floor_div(a, b);
}

/* ---- operations ---- */

static bool non_negative(Bound b) { return b.min >= 0; }

static Bound mul_bounds(Bound a, Bound b) {
  int64_t p = inf_mul(a.min, b.min), q = inf_mul(a.min, b.max);
  int64_t r = inf_mul(a.max, b.min), s = inf_mul(a.max, b.max);
  return (Bound){min2(min2(p, q), min2(r, s)), max2(max2(p, q), max2(r, s))};
}

static Bound neg_bound(Bound a) { return (Bound){inf_neg(a.max), inf_neg(a.min)}; }

static Bound div_bounds(Bound a, Bound b) {
  if (b.max < 0) {
    a = neg_bound(a);
    b = neg_bound(b);
  }
  /* Contradictory facts give empty bounds. */
  if (b.min <= 0 || b.max < b.min) return BOUND_ALL;
  /* A greater divisor brings the quotient nearer to zero. */
  return (Bound){inf_floor_div(a.min, a.min >= 0 ? b.max : b.min),
                 inf_floor_div(a.max, a.max >= 0 ? b.min : b.max)};
}

static Bound mod_bounds(Bound a, Bound b) {
  if (b.min <= 0) return BOUND_ALL;
  int64_t top = infinite(b.max) ? b.max : b.max - 1;
  return (Bound){0, non_negative(a) ? min2(a.max, top) : top};
}

static Bound pow_bounds(Bound a, Bound b) {
  if (b.min != b.max || b.min < 0) return BOUND_ALL;
  if (b.min == 0) return (Bound){1, 1};
  if (b.min == 1) return a;
  return non_negative(a) ? (Bound){inf_pow(a.min, b.min), inf_pow(a.max, b.min)} : BOUND_ALL;
}

static Bound shift_bounds(ExprKind kind, Bound a, Bound b) {
  if (!non_negative(a) || !non_negative(b) || b.max >= 63 || b.max < b.min) return BOUND_ALL;
  if (kind == EXPR_SHL)
    return (Bound){inf_mul(a.min, INT64_C(1) << b.min), inf_mul(a.max, INT64_C(1) << b.max)};
  return (Bound){a.min >> b.max, infinite(a.max) ? a.max : a.max >> b.min};
}

static Bound binary_bound(ExprKind kind, Bound a, Bound b) {
  bool positive = non_negative(a) && non_negative(b);
  switch (kind) {
    case EXPR_ADD: return (Bound){inf_add(a.min, b.min), inf_add(a.max, b.max)};
    case EXPR_SUB: return (Bound){inf_add(a.min, inf_neg(b.max)), inf_add(a.max, inf_neg(b.min))};
    case EXPR_MUL: return mul_bounds(a, b);
    case EXPR_FLOOR_DIV: return div_bounds(a, b);
    case EXPR_FLOOR_MOD: return mod_bounds(a, b);
    case EXPR_MIN: return (Bound){min2(a.min, b.min), min2(a.max, b.max)};
    case EXPR_MAX: return (Bound){max2(a.min, b.min), max2(a.max, b.max)};
    case EXPR_POW: return pow_bounds(a, b);
    case EXPR_BIT_AND: return positive ? (Bound){0, min2(a.max, b.max)} : BOUND_ALL;
    case EXPR_BIT_OR:
      return positive ? (Bound){max2(a.min, b.min), inf_add(a.max, b.max)} : BOUND_ALL;
    case EXPR_SHL:
    case EXPR_SHR: return shift_bounds(kind, a, b);
    case EXPR_FLOAT_DIV:
    case EXPR_BIT_XOR: return BOUND_ALL;
    default: return (Bound){0, 1}; /* comparisons and logic */
  }
}

/* Casts that could wrap keep the range of the target. */
static Bound cast_bound(Bound a, DType to) {
  int bits = dtype_bits(to);
  if (!dtype_is_int(to)) return BOUND_ALL;
  if (bits == 0 || bits >= 64) return a;
  Bound range = dtype_is_unsigned(to)
                    ? (Bound){0, (INT64_C(1) << bits) - 1}
                    : (Bound){-(INT64_C(1) << (bits - 1)), (INT64_C(1) << (bits - 1)) - 1};
  return a.min >= range.min && a.max <= range.max ? a : range;
}

static Bound unary_bound(const Expr *e, Bound a) {
  switch (e->kind) {
    case EXPR_NEG: return neg_bound(a);
    case EXPR_ABS:
      if (a.min >= 0) return a;
      return a.max <= 0 ? neg_bound(a) : (Bound){0, max2(inf_neg(a.min), a.max)};
    case EXPR_CAST: return cast_bound(a, e->type->dtype);
    case EXPR_NOT: return (Bound){0, 1};
    default: return BOUND_ALL;
  }
}

static Bound float_bound(double v) {
  if (isnan(v) || isinf(v)) return BOUND_ALL;
  double lo = floor(v), hi = ceil(v);
  return (Bound){lo < -9.2e18  ? -BOUND_INF
                 : lo > 9.2e18 ? (int64_t)9e18
                               : (int64_t)lo,
                 hi > 9.2e18    ? BOUND_INF
                 : hi < -9.2e18 ? (int64_t)-9e18
                                : (int64_t)hi};
}

/* An index is not negative. */
Bound bound_default(const Expr *e) {
  return scalar_dtype(e) == DT_INDEX ? (Bound){0, BOUND_INF} : BOUND_ALL;
}

Bound bound_of(const Analyzer *a, const Expr *e) {
  switch (e->kind) {
    case EXPR_INT: return (Bound){e->u.i, e->u.i};
    case EXPR_BOOL: return (Bound){e->u.b, e->u.b};
    case EXPR_FLOAT: return float_bound(e->u.f);
    case EXPR_VAR: {
      const Bound *known = map_get(&a->bounds, e);
      return known ? *known : bound_default(e);
    }
    case EXPR_CALL:
    case EXPR_SUBMIT:
    case EXPR_TUPLE:
    case EXPR_TUPLE_GET: return BOUND_ALL;
    default: break;
  }
  if (expr_is_unary(e)) return unary_bound(e, bound_of(a, e->u.operand));
  return binary_bound(e->kind, bound_of(a, e->u.bin.lhs), bound_of(a, e->u.bin.rhs));
}

/* ---- constraints ---- */

static void tighten(Analyzer *a, const Expr *var, int64_t min, int64_t max) {
  Bound old = bound_of(a, var);
  Bound *b = NEW(&a->arena, Bound);
  *b = (Bound){max2(old.min, min), min2(old.max, max)};
  scoped_set(a, &a->bounds, var, b);
}

/* A variable compared with something constant; `var` stands on the left if `left`. */
static void tighten_by(Analyzer *a, ExprKind kind, const Expr *var, int64_t n, bool left) {
  switch (kind) {
    case EXPR_EQ: tighten(a, var, n, n); return;
    case EXPR_LT:
      if (left)
        tighten(a, var, -BOUND_INF, inf_add(n, -1));
      else
        tighten(a, var, inf_add(n, 1), BOUND_INF);
      return;
    case EXPR_LE:
      if (left)
        tighten(a, var, -BOUND_INF, n);
      else
        tighten(a, var, n, BOUND_INF);
      return;
    default: return;
  }
}

static bool is_plain_var(const Expr *e) { return e->kind == EXPR_VAR && !e->u.var.is_iter_arg; }

void bound_enter(Analyzer *a, const Expr *cond) {
  if (cond->kind == EXPR_AND) {
    bound_enter(a, cond->u.bin.lhs);
    bound_enter(a, cond->u.bin.rhs);
    return;
  }
  if (cond->kind < EXPR_EQ || cond->kind > EXPR_GE) return;
  const Expr *lhs = cond->u.bin.lhs, *rhs = cond->u.bin.rhs;
  ExprKind kind = cond->kind;
  if (kind == EXPR_GT || kind == EXPR_GE) {
    const Expr *t = lhs;
    lhs = rhs;
    rhs = t;
    kind = kind == EXPR_GT ? EXPR_LT : EXPR_LE;
  }
  bool left = is_plain_var(lhs);
  if (!left && !is_plain_var(rhs)) return;
  Bound b = bound_of(a, left ? rhs : lhs);
  if (b.min == b.max) tighten_by(a, kind, left ? lhs : rhs, b.min, left);
}
