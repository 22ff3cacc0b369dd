#include "arith/fold.h"

#include <math.h>

int64_t floor_div(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

int64_t gcd(int64_t a, int64_t b) {
  while (b != 0) {
    int64_t t = a % b;
    a = b;
    b = t;
  }
  return a;
}

int64_t floor_mod(int64_t a, int64_t b) {
  int64_t m = a % b;
  return m != 0 && (m < 0) != (b < 0) ? m + b : m;
}

/* ---- integers ---- */

static bool power(int64_t base, int64_t exp, int64_t *out) {
  if (exp < 0) return false;
  int64_t result = 1;
  while (exp > 0) {
    if ((exp & 1) && __builtin_mul_overflow(result, base, &result)) return false;
    exp >>= 1;
    if (exp > 0 && __builtin_mul_overflow(base, base, &base)) return false;
  }
  *out = result;
  return true;
}

static bool shift_left(int64_t a, int64_t b, int64_t *out) {
  if (b < 0 || b > 63) return false;
  *out = (int64_t)((uint64_t)a << b);
  return true;
}

/* The value of an arithmetic operation on integers; false if it has none that fits. */
static bool int_value(ExprKind kind, int64_t a, int64_t b, int64_t *out) {
  switch (kind) {
    case EXPR_ADD: return !__builtin_add_overflow(a, b, out);
    case EXPR_SUB: return !__builtin_sub_overflow(a, b, out);
    case EXPR_MUL: return !__builtin_mul_overflow(a, b, out);
    case EXPR_FLOOR_DIV: return can_divide(a, b) && (*out = floor_div(a, b), true);
    case EXPR_FLOOR_MOD: return can_divide(a, b) && (*out = floor_mod(a, b), true);
    case EXPR_MIN: *out = a < b ? a : b; return true;
    case EXPR_MAX: *out = a > b ? a : b; return true;
    case EXPR_POW: return power(a, b, out);
    case EXPR_BIT_AND: *out = a & b; return true;
    case EXPR_BIT_OR: *out = a | b; return true;
    case EXPR_BIT_XOR: *out = a ^ b; return true;
    case EXPR_SHL: return shift_left(a, b, out);
    case EXPR_SHR: return b >= 0 && b <= 63 && (*out = a >> b, true);
    default: return false;
  }
}

static bool int_relation(ExprKind kind, int64_t a, int64_t b) {
  switch (kind) {
    case EXPR_EQ: return a == b;
    case EXPR_NE: return a != b;
    case EXPR_LT: return a < b;
    case EXPR_LE: return a <= b;
    case EXPR_GT: return a > b;
    default: return a >= b;
  }
}

/* ---- floating point: as the host computes it ---- */

static bool float_value(ExprKind kind, double a, double b, double *out) {
  switch (kind) {
    case EXPR_ADD: *out = a + b; return true;
    case EXPR_SUB: *out = a - b; return true;
    case EXPR_MUL: *out = a * b; return true;
    case EXPR_FLOAT_DIV: *out = a / b; return true;
    case EXPR_MIN: *out = b < a ? b : a; return true;
    case EXPR_MAX: *out = a < b ? b : a; return true;
    case EXPR_POW: *out = pow(a, b); return true;
    default: return false;
  }
}

static bool float_relation(ExprKind kind, double a, double b) {
  switch (kind) {
    case EXPR_EQ: return a == b;
    case EXPR_NE: return a != b;
    case EXPR_LT: return a < b;
    case EXPR_LE: return a <= b;
    case EXPR_GT: return a > b;
    default: return a >= b;
  }
}

/* ---- one operand known ---- */

static bool is_relation(ExprKind kind) { return kind >= EXPR_EQ && kind <= EXPR_GE; }

static bool is_number(const Expr *e, int64_t n) {
  return (e->kind == EXPR_INT && e->u.i == n) || (e->kind == EXPR_FLOAT && e->u.f == (double)n);
}

static bool is_int(const Expr *e, int64_t n) { return e->kind == EXPR_INT && e->u.i == n; }

static Expr *fold_neutral(Ir *ir, ExprKind kind, Expr *a, Expr *b) {
  switch (kind) {
    case EXPR_ADD: return is_number(a, 0) ? b : is_number(b, 0) ? a : NULL;
    case EXPR_SUB: return is_number(b, 0) ? a : NULL;
    case EXPR_MUL:
      if (is_number(a, 1)) return b;
      if (is_number(b, 1)) return a;
      /* 0.0 * x is not 0.0 for every x. */
      return is_int(a, 0) ? a : is_int(b, 0) ? b : NULL;
    case EXPR_FLOOR_DIV: return is_int(b, 1) ? a : NULL;
    case EXPR_FLOOR_MOD: return is_int(b, 1) ? expr_int(ir, 0, b->type->dtype, NO_SPAN) : NULL;
    case EXPR_FLOAT_DIV: return b->kind == EXPR_FLOAT && b->u.f == 1 ? a : NULL;
    case EXPR_MIN:
    case EXPR_MAX: return a == b ? a : NULL;
    case EXPR_POW:
      if (is_number(a, 1)) return a;
      if (is_int(b, 0))
        return dtype_is_float(scalar_dtype(a)) ? expr_float(ir, 1, scalar_dtype(a), NO_SPAN)
                                               : expr_int(ir, 1, scalar_dtype(a), NO_SPAN);
      return is_number(b, 1) ? a : NULL;
    default: return NULL;
  }
}

static Expr *fold_logic(Ir *ir, ExprKind kind, Expr *a, Expr *b) {
  bool ka = a->kind == EXPR_BOOL, kb = b->kind == EXPR_BOOL;
  if (kind == EXPR_XOR) return ka && kb ? expr_bool(ir, a->u.b != b->u.b, NO_SPAN) : NULL;
  bool neutral = kind == EXPR_AND;
  if (ka) return a->u.b == neutral ? b : a;
  if (kb) return b->u.b == neutral ? a : b;
  return NULL;
}

Expr *fold_binary(Ir *ir, ExprKind kind, Expr *a, Expr *b) {
  if (kind == EXPR_AND || kind == EXPR_OR || kind == EXPR_XOR) return fold_logic(ir, kind, a, b);
  if (a->kind == EXPR_INT && b->kind == EXPR_INT) {
    int64_t v;
    if (is_relation(kind)) return expr_bool(ir, int_relation(kind, a->u.i, b->u.i), NO_SPAN);
    return int_value(kind, a->u.i, b->u.i, &v) ? expr_int(ir, v, a->type->dtype, NO_SPAN) : NULL;
  }
  if (a->kind == EXPR_FLOAT && b->kind == EXPR_FLOAT) {
    double v;
    if (is_relation(kind)) return expr_bool(ir, float_relation(kind, a->u.f, b->u.f), NO_SPAN);
    return float_value(kind, a->u.f, b->u.f, &v) ? expr_float(ir, v, a->type->dtype, NO_SPAN)
                                                 : NULL;
  }
  return fold_neutral(ir, kind, a, b);
}

Expr *fold_unary(Ir *ir, ExprKind kind, Expr *a) {
  if (a->kind == EXPR_INT) {
    if ((kind == EXPR_NEG || kind == EXPR_ABS) && a->u.i == INT64_MIN) return NULL;
    if (kind == EXPR_NEG || (kind == EXPR_ABS && a->u.i < 0))
      return expr_int(ir, -a->u.i, a->type->dtype, NO_SPAN);
    if (kind == EXPR_ABS) return expr_int(ir, a->u.i, a->type->dtype, NO_SPAN);
    if (kind == EXPR_BIT_NOT) return expr_int(ir, ~a->u.i, a->type->dtype, NO_SPAN);
  }
  if (a->kind == EXPR_FLOAT && kind == EXPR_NEG)
    return expr_float(ir, -a->u.f, a->type->dtype, NO_SPAN);
  if (a->kind == EXPR_FLOAT && kind == EXPR_ABS)
    return expr_float(ir, fabs(a->u.f), a->type->dtype, NO_SPAN);
  if (a->kind == EXPR_BOOL && kind == EXPR_NOT) return expr_bool(ir, !a->u.b, NO_SPAN);
  return NULL;
}

/* ---- nodes ---- */

static bool both_64_bit(DType a, DType b) {
  return (a == DT_INDEX || a == DT_INT64) && (b == DT_INDEX || b == DT_INT64);
}

static Expr *cast_to(Ir *ir, Expr *e, DType t, Span span) {
  DType from = scalar_dtype(e);
  return from == t || both_64_bit(from, t) ? e : expr_cast(ir, e, t, span);
}

/* The type both operands are brought to, DT_NONE if there is none. */
static DType common_dtype(ExprKind kind, DType a, DType b) {
  bool ints = dtype_is_int(a) && dtype_is_int(b);
  bool floats = dtype_is_float(a) && dtype_is_float(b);
  bool bitwise = kind >= EXPR_BIT_AND && kind <= EXPR_SHR;
  if (!ints && (!floats || bitwise)) return DT_NONE;
  return dtype_bits(b) > dtype_bits(a) ? b : a;
}

Expr *make_binary(Ir *ir, ExprKind kind, Expr *a, Expr *b, Span span) {
  if (kind == EXPR_AND || kind == EXPR_OR || kind == EXPR_XOR)
    return expr_binary(ir, kind, a, b, DT_BOOL, span);
  DType t = common_dtype(kind, scalar_dtype(a), scalar_dtype(b));
  if (t == DT_NONE) return NULL;
  return expr_binary(ir, kind, cast_to(ir, a, t, span), cast_to(ir, b, t, span),
                     is_relation(kind) ? DT_BOOL : t, span);
}

Expr *make_unary(Ir *ir, ExprKind kind, Expr *a, Span span) {
  if (kind == EXPR_NOT) return expr_unary(ir, kind, a, DT_BOOL, span);
  DType t = scalar_dtype(a);
  if (t == DT_NONE || (kind == EXPR_BIT_NOT && !dtype_is_int(t))) return NULL;
  return expr_unary(ir, kind, a, t, span);
}
