/* canonical.c -- sums of scaled terms, each an expression divided and taken modulo constants. */
#include "arith/fold.h"
#include "arith/state.h"

/* ((index % modulus) // divisor) * scale; modulus 0: none */
typedef struct Term {
  Expr *index;
  int64_t divisor, modulus, scale;
} Term;

typedef struct Sum {
  int64_t base;
  VEC(Term) terms;
  DType dtype;
} Sum;

static Sum to_sum(Ir *ir, Expr *e);

static Term whole(Expr *e, int64_t scale) { return (Term){e, 1, 0, scale}; }

static Sum sum_of_expr(Expr *e) {
  Sum s = {.dtype = scalar_dtype(e)};
  vec_push(&s.terms, whole(e, 1));
  return s;
}

/* ---- back to expressions ---- */

static Expr *number(Ir *ir, int64_t n, DType t) { return expr_int(ir, n, t, NO_SPAN); }

static Expr *term_expr(Ir *ir, const Term *t, DType dtype) {
  Expr *e = t->index;
  if (t->modulus) e = make_binary(ir, EXPR_FLOOR_MOD, e, number(ir, t->modulus, dtype), NO_SPAN);
  if (t->divisor != 1)
    e = make_binary(ir, EXPR_FLOOR_DIV, e, number(ir, t->divisor, dtype), NO_SPAN);
  if (t->scale == 1) return e;
  if (t->scale == -1) return make_unary(ir, EXPR_NEG, e, NO_SPAN);
  return make_binary(ir, EXPR_MUL, e, number(ir, t->scale, dtype), NO_SPAN);
}

static Expr *sum_expr(Ir *ir, const Sum *s) {
  Expr *e = NULL;
  for (size_t i = 0; i < s->terms.len; i++) {
    Expr *t = term_expr(ir, &s->terms.data[i], s->dtype);
    e = e ? make_binary(ir, EXPR_ADD, e, t, NO_SPAN) : t;
  }
  if (!e) return number(ir, s->base, s->dtype);
  return s->base ? make_binary(ir, EXPR_ADD, e, number(ir, s->base, s->dtype), NO_SPAN) : e;
}

/* ---- merging ---- */

/* x // n * (n * s) + x % n * s is x * s. */
static bool rejoin(const Term *div, const Term *mod, Term *out) {
  int64_t scale;
  if (mod->divisor != 1 || mod->modulus == 0 || div->divisor != mod->modulus) return false;
  if (__builtin_mul_overflow(div->divisor, mod->scale, &scale) || div->scale != scale) return false;
  *out = (Term){mod->index, 1, div->modulus, mod->scale};
  return true;
}

static bool merge_terms(const Term *p, const Term *q, Term *out) {
  if (p->index != q->index) return false;
  if (p->divisor != q->divisor || p->modulus != q->modulus)
    return rejoin(p, q, out) || rejoin(q, p, out);
  int64_t scale;
  if (__builtin_add_overflow(p->scale, q->scale, &scale)) return false;
  *out = (Term){p->index, p->divisor, p->modulus, scale};
  return true;
}

/* A merged term may go together with another one. */
static void add_term(Sum *s, Term t) {
  for (size_t i = 0; i < s->terms.len && t.scale != 0; i++) {
    if (!merge_terms(&s->terms.data[i], &t, &t)) continue;
    memmove(&s->terms.data[i], &s->terms.data[i + 1], (s->terms.len - i - 1) * sizeof(Term));
    s->terms.len--;
    i = (size_t)-1;
  }
  if (t.scale != 0) vec_push(&s->terms, t);
}

/* s * n; false if it does not fit (s is then useless). */
static bool scale_sum(Sum *s, int64_t n) {
  bool ok = !__builtin_mul_overflow(s->base, n, &s->base);
  for (size_t i = 0; i < s->terms.len; i++)
    ok = !__builtin_mul_overflow(s->terms.data[i].scale, n, &s->terms.data[i].scale) && ok;
  if (n == 0) s->terms.len = 0;
  return ok;
}

/* left + n * right, or the whole expression as one term if that does not fit. */
static Sum add_scaled(Ir *ir, Expr *e, Expr *left, Expr *right, int64_t n) {
  Sum a = to_sum(ir, left), b = to_sum(ir, right);
  bool ok = scale_sum(&b, n) && !__builtin_add_overflow(a.base, b.base, &a.base);
  for (size_t i = 0; ok && i < b.terms.len; i++) add_term(&a, b.terms.data[i]);
  vec_free(&b.terms);
  if (ok) return a;
  vec_free(&a.terms);
  return sum_of_expr(e);
}

static Sum scaled(Ir *ir, Expr *e, Expr *x, int64_t n) {
  Sum s = to_sum(ir, x);
  if (scale_sum(&s, n)) return s;
  vec_free(&s.terms);
  return sum_of_expr(e);
}

/* ---- division and remainder by n > 0 ---- */

static bool all_divisible(const Sum *s, int64_t n) {
  for (size_t i = 0; i < s->terms.len; i++)
    if (s->terms.data[i].scale % n != 0) return false;
  return true;
}

static bool divide(Sum *s, int64_t n) {
  if (all_divisible(s, n) && s->base % n == 0) {
    s->base /= n;
    for (size_t i = 0; i < s->terms.len; i++) s->terms.data[i].scale /= n;
    return true;
  }
  if (s->terms.len != 1 || s->base != 0) return false;
  Term *t = &s->terms.data[0];
  if (t->scale <= 0 || n % t->scale != 0) return false;
  int64_t divisor;
  if (__builtin_mul_overflow(t->divisor, n / t->scale, &divisor)) return false;
  if (t->modulus && t->modulus % divisor != 0) return false;
  t->divisor = divisor;
  t->scale = 1;
  return true;
}

static bool take_remainder(Sum *s, int64_t n) {
  if (all_divisible(s, n)) {
    s->base = floor_mod(s->base, n);
    s->terms.len = 0;
    return true;
  }
  if (s->terms.len != 1 || s->base != 0) return false;
  Term *t = &s->terms.data[0];
  if (t->scale != 1 || t->divisor != 1 || t->modulus == 0 || t->modulus % n != 0) return false;
  t->modulus = n;
  return true;
}

static Sum divided(Ir *ir, Expr *e) {
  int64_t n;
  if (!expr_const_int(e->u.bin.rhs, &n) || n <= 0) return sum_of_expr(e);
  Sum s = to_sum(ir, e->u.bin.lhs);
  bool division = e->kind == EXPR_FLOOR_DIV;
  if (division ? divide(&s, n) : take_remainder(&s, n)) return s;
  Expr *x = sum_expr(ir, &s);
  s.base = 0;
  s.terms.len = 0;
  vec_push(&s.terms, division ? (Term){x, n, 0, 1} : (Term){x, 1, n, 1});
  return s;
}

/* ---- the walk ---- */

static Expr *canonical_children(Ir *ir, Expr *e) {
  if (expr_is_unary(e)) {
    Expr *x = canonical_simplify(ir, e->u.operand);
    return x == e->u.operand ? e : expr_unary(ir, e->kind, x, e->type->dtype, e->span);
  }
  if (!expr_is_binary(e)) return e;
  Expr *lhs = canonical_simplify(ir, e->u.bin.lhs), *rhs = canonical_simplify(ir, e->u.bin.rhs);
  Expr *folded = fold_binary(ir, e->kind, lhs, rhs);
  if (folded) return folded;
  if (lhs == e->u.bin.lhs && rhs == e->u.bin.rhs) return e;
  return expr_binary(ir, e->kind, lhs, rhs, e->type->dtype, e->span);
}

static Sum to_sum(Ir *ir, Expr *e) {
  int64_t n;
  switch (e->kind) {
    case EXPR_INT: return (Sum){.base = e->u.i, .dtype = scalar_dtype(e)};
    case EXPR_ADD: return add_scaled(ir, e, e->u.bin.lhs, e->u.bin.rhs, 1);
    case EXPR_SUB: return add_scaled(ir, e, e->u.bin.lhs, e->u.bin.rhs, -1);
    case EXPR_NEG: return scaled(ir, e, e->u.operand, -1);
    case EXPR_MUL:
      if (expr_const_int(e->u.bin.rhs, &n)) return scaled(ir, e, e->u.bin.lhs, n);
      if (expr_const_int(e->u.bin.lhs, &n)) return scaled(ir, e, e->u.bin.rhs, n);
      break;
    case EXPR_FLOOR_DIV:
    case EXPR_FLOOR_MOD: return divided(ir, e);
    default: break;
  }
  Expr *x = canonical_children(ir, e);
  return x->kind == EXPR_INT ? (Sum){.base = x->u.i, .dtype = scalar_dtype(x)} : sum_of_expr(x);
}

Expr *canonical_simplify(Ir *ir, Expr *e) {
  if (!dtype_is_int(scalar_dtype(e))) return canonical_children(ir, e);
  Sum s = to_sum(ir, e);
  Expr *out = sum_expr(ir, &s);
  vec_free(&s.terms);
  return out;
}
