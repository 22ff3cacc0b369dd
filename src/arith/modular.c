/* modular.c -- remainders of integer expressions: every value is coeff * k + base. */
#include "arith/fold.h"
#include "arith/state.h"

/* coeff >= 0 */
static ModSet normal(int64_t coeff, int64_t base) {
  if (coeff == 0) return (ModSet){0, base};
  return (ModSet){coeff, floor_mod(base, coeff)};
}

static ModSet exactly(int64_t n) { return n == INT64_MIN ? MOD_ALL : (ModSet){0, n}; }

static ModSet add_sets(ModSet a, ModSet b) {
  int64_t base;
  if (__builtin_add_overflow(a.base, b.base, &base)) return MOD_ALL;
  return normal(gcd(a.coeff, b.coeff), base);
}

static ModSet neg_set(ModSet a) { return normal(a.coeff, -a.base); }

static int64_t magnitude(int64_t x) { return x < 0 ? -x : x; }

/* (pk + m)(ql + n) = pq kl + pn k + qm l + mn */
static ModSet mul_sets(ModSet a, ModSet b) {
  int64_t pq, pn, qm, mn;
  if (__builtin_mul_overflow(a.coeff, b.coeff, &pq) ||
      __builtin_mul_overflow(a.coeff, b.base, &pn) ||
      __builtin_mul_overflow(b.coeff, a.base, &qm) || __builtin_mul_overflow(a.base, b.base, &mn) ||
      pn == INT64_MIN || qm == INT64_MIN || mn == INT64_MIN)
    return MOD_ALL;
  return normal(gcd(pq, gcd(magnitude(pn), magnitude(qm))), mn);
}

static ModSet union_sets(ModSet a, ModSet b) {
  int64_t apart;
  if (__builtin_sub_overflow(a.base, b.base, &apart) || apart == INT64_MIN) return MOD_ALL;
  int64_t coeff = gcd(gcd(a.coeff, b.coeff), magnitude(apart));
  return normal(coeff, a.base);
}

/* n > 0 */
static ModSet div_set(ModSet a, int64_t n) {
  if (a.coeff == 0) return exactly(floor_div(a.base, n));
  if (a.coeff % n != 0) return MOD_ALL;
  /* The base is not negative, so it is divided alone. */
  return normal(a.coeff / n, a.base / n);
}

static ModSet mod_set(ModSet a, int64_t n) {
  if (a.coeff == 0) return exactly(floor_mod(a.base, n));
  return normal(gcd(a.coeff, n), a.base);
}

static ModSet shift_set(ExprKind kind, ModSet a, ModSet by) {
  if (by.coeff != 0 || by.base < 0 || by.base > 61) return MOD_ALL;
  int64_t n = INT64_C(1) << by.base;
  return kind == EXPR_SHL ? mul_sets(a, exactly(n)) : div_set(a, n);
}

static ModSet binary_set(ExprKind kind, ModSet a, ModSet b) {
  bool positive = b.coeff == 0 && b.base > 0;
  switch (kind) {
    case EXPR_ADD: return add_sets(a, b);
    case EXPR_SUB: return add_sets(a, neg_set(b));
    case EXPR_MUL: return mul_sets(a, b);
    case EXPR_FLOOR_DIV: return positive ? div_set(a, b.base) : MOD_ALL;
    case EXPR_FLOOR_MOD: return positive ? mod_set(a, b.base) : MOD_ALL;
    case EXPR_MIN:
    case EXPR_MAX: return union_sets(a, b);
    case EXPR_BIT_AND: /* a mask of low bits is a remainder */
      return positive && b.base < INT64_MAX && (b.base & (b.base + 1)) == 0 ? mod_set(a, b.base + 1)
                                                                            : MOD_ALL;
    case EXPR_SHL:
    case EXPR_SHR: return shift_set(kind, a, b);
    default: return MOD_ALL;
  }
}

ModSet mod_of(const Analyzer *a, const Expr *e) {
  switch (e->kind) {
    case EXPR_INT: return exactly(e->u.i);
    case EXPR_BOOL: return exactly(e->u.b);
    case EXPR_VAR: {
      const ModSet *known = map_get(&a->mods, e);
      return known ? *known : MOD_ALL;
    }
    case EXPR_NEG: return neg_set(mod_of(a, e->u.operand));
    case EXPR_CAST: /* one that surely does not wrap */
      return dtype_is_int(e->type->dtype) && dtype_bits(e->type->dtype) >= 64
                 ? mod_of(a, e->u.operand)
                 : MOD_ALL;
    default: break;
  }
  return expr_is_binary(e) ? binary_set(e->kind, mod_of(a, e->u.bin.lhs), mod_of(a, e->u.bin.rhs))
                           : MOD_ALL;
}

/* ---- constraints ---- */

/* Both facts hold: a remainder modulo the greater of the two if one divides the other, else the newer. */
static ModSet both_sets(ModSet old, ModSet fact) {
  if (old.coeff == 0 || fact.coeff == 0) return old.coeff == 0 ? old : fact;
  return old.coeff % fact.coeff == 0 ? old : fact;
}

static void learn(Analyzer *a, const Expr *var, ModSet fact) {
  ModSet *m = NEW(&a->arena, ModSet);
  *m = both_sets(mod_of(a, var), fact);
  scoped_set(a, &a->mods, var, m);
}

void mod_enter(Analyzer *a, const Expr *cond) {
  if (cond->kind == EXPR_AND) {
    mod_enter(a, cond->u.bin.lhs);
    mod_enter(a, cond->u.bin.rhs);
    return;
  }
  if (cond->kind != EXPR_EQ) return;
  const Expr *lhs = cond->u.bin.lhs, *rhs = cond->u.bin.rhs;
  int64_t n, base;
  if (!expr_const_int(rhs, &base) || base == INT64_MIN) return;
  if (lhs->kind == EXPR_VAR)
    learn(a, lhs, exactly(base));
  else if (lhs->kind == EXPR_FLOOR_MOD && lhs->u.bin.lhs->kind == EXPR_VAR &&
           expr_const_int(lhs->u.bin.rhs, &n) && n > 0)
    learn(a, lhs->u.bin.lhs, normal(n, base));
}
