/* fold.h -- scalar operations on constants, and nodes with promoted operands. */
#ifndef PYPTOC_ARITH_FOLD_H
#define PYPTOC_ARITH_FOLD_H

#include "ir/ir.h"

/* The element type of a scalar expression, DT_NONE if it is not one. */
static inline DType scalar_dtype(const Expr *e) {
  return e->type->kind == TYPE_SCALAR ? e->type->dtype : DT_NONE;
}

/* Division and remainder that round down; `b` is not 0, and not -1 with `a` the least integer. */
int64_t floor_div(int64_t a, int64_t b);
int64_t floor_mod(int64_t a, int64_t b);
/* The greatest common divisor; the operands are not negative. */
int64_t gcd(int64_t a, int64_t b);
/* May `a` be divided by `b`? */
static inline bool can_divide(int64_t a, int64_t b) {
  return b != 0 && !(b == -1 && a == INT64_MIN);
}

/* What the operation gives if that is known without knowing its variables: both operands are constants, or
 * one is neutral (x + 0, x * 1, x // 1, x and True).  Otherwise NULL, and also where the value does not fit
 * 64 bits.  Operands that are not constant are returned as they are. */
Expr *fold_binary(Ir *ir, ExprKind kind, Expr *a, Expr *b);
Expr *fold_unary(Ir *ir, ExprKind kind, Expr *a);

/* A node, its operands cast to the wider of their types (INDEX and INT64 are equally wide: the left one
 * wins, nothing is cast).  NULL for operands that have no type in common. */
Expr *make_binary(Ir *ir, ExprKind kind, Expr *a, Expr *b, Span span);
Expr *make_unary(Ir *ir, ExprKind kind, Expr *a, Span span);

#endif
