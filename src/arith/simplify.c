/* simplify.c -- one simplifying walk over an expression: operands first, then constants, then the rules. */
#include "arith/fold.h"
#include "arith/state.h"

/* How often the result of a rule is simplified again before the operand it came from is done. */
enum { MAX_AGAIN = 5 };

static Expr *again(Analyzer *a, Expr *e) {
  if (a->depth >= MAX_AGAIN) return e;
  a->depth++;
  Expr *result = rewrite_simplify(a, e);
  a->depth--;
  return result;
}

static Expr *apply_rules(Analyzer *a, Expr *e) {
  Expr *result = rules_apply(a, e);
  return result ? again(a, result) : e;
}

static bool is_order(ExprKind kind) { return kind >= EXPR_EQ && kind <= EXPR_LE; }

static Expr *simplify_binary(Analyzer *a, Expr *e) {
  Ir *ir = a->ir;
  if (e->kind == EXPR_GT || e->kind == EXPR_GE) {
    /* Only < and <= have rules. */
    Expr *turned = make_binary(ir, e->kind == EXPR_GT ? EXPR_LT : EXPR_LE, e->u.bin.rhs,
                               e->u.bin.lhs, e->span);
    if (turned) return simplify_binary(a, turned);
  }
  Expr *lhs = rewrite_simplify(a, e->u.bin.lhs), *rhs = rewrite_simplify(a, e->u.bin.rhs);
  Expr *folded = fold_binary(ir, e->kind, lhs, rhs);
  if (folded) return folded;
  if (lhs != e->u.bin.lhs || rhs != e->u.bin.rhs) {
    Expr *n = make_binary(ir, e->kind, lhs, rhs, e->span);
    e = n ? n : expr_binary(ir, e->kind, lhs, rhs, e->type->dtype, e->span);
  }
  /* Comparisons of floating-point numbers are not total: no rule of order holds for NaN. */
  if (is_order(e->kind) && dtype_is_float(scalar_dtype(lhs))) return e;
  return apply_rules(a, e);
}

static Expr *simplify_unary(Analyzer *a, Expr *e) {
  Expr *x = rewrite_simplify(a, e->u.operand);
  if (e->kind != EXPR_CAST) {
    Expr *folded = fold_unary(a->ir, e->kind, x);
    if (folded) return folded;
  }
  if (x != e->u.operand) e = expr_unary(a->ir, e->kind, x, e->type->dtype, e->span);
  return apply_rules(a, e);
}

Expr *rewrite_simplify(Analyzer *a, Expr *e) {
  /* Floating-point arithmetic rounds: it has none of these laws. */
  if (dtype_is_float(scalar_dtype(e))) return e;
  if (e->kind == EXPR_VAR) {
    Expr *value = map_get(&a->values, e);
    return value ? value : e;
  }
  if (expr_is_binary(e)) return simplify_binary(a, e);
  if (expr_is_unary(e)) return simplify_unary(a, e);
  return e;
}
