#include "passes/flatten/flatten.h"

bool flat_shape(Flatten *f, Dims shape, const char *what, Span at, Expr *out[2]) {
  int64_t rows = 1, n;
  for (int i = 0; i + 1 < shape.n; i++) {
    if (!expr_const_int(shape.at[i], &n) || n <= 0) {
      diag_error(f->ir->diag, at, "dimension %d of the tile of %s must be a positive constant", i,
                 what);
      return false;
    }
    if (__builtin_mul_overflow(rows, n, &rows)) {
      diag_error(f->ir->diag, at, "the tile of %s has more rows than 64 bits can count", what);
      return false;
    }
  }
  if (!expr_const_int(shape.at[shape.n - 1], &n)) {
    diag_error(f->ir->diag, at, "dimension %d of the tile of %s must be a positive constant",
               shape.n - 1, what);
    return false;
  }
  out[0] = expr_index(f->ir, rows);
  out[1] = expr_index(f->ir, n);
  return true;
}

void flat_valid(Flatten *f, Dims valid, Span at, Expr *out[2]) {
  int64_t known = 1, n;
  Expr *dynamic = NULL;
  for (int i = 0; i + 1 < valid.n; i++) {
    if (expr_const_int(valid.at[i], &n))
      known *= n;
    else
      dynamic = dynamic ? extent_binary(f->ir, EXPR_MUL, dynamic, valid.at[i], at) : valid.at[i];
  }
  out[0] = dynamic ? dynamic : expr_index(f->ir, known);
  if (dynamic && known != 1)
    out[0] = extent_binary(f->ir, EXPR_MUL, expr_index(f->ir, known), dynamic, at);
  out[1] = valid.at[valid.n - 1];
}

static Expr *fold_mul(Ir *ir, Expr *a, Expr *b, Span at) {
  int64_t x, y, product;
  bool ka = expr_const_int(a, &x), kb = expr_const_int(b, &y);
  if (ka && kb && !__builtin_mul_overflow(x, y, &product))
    return expr_int(ir, product, DT_INDEX, at);
  if ((ka && x == 0) || (kb && y == 0)) return expr_int(ir, 0, DT_INDEX, at);
  if (ka && x == 1) return b;
  if (kb && y == 1) return a;
  return extent_binary(ir, EXPR_MUL, a, b, at);
}

Expr *fold_add(Ir *ir, Expr *a, Expr *b, Span at) {
  int64_t x, y, sum;
  bool ka = expr_const_int(a, &x), kb = expr_const_int(b, &y);
  if (ka && kb && !__builtin_add_overflow(x, y, &sum)) return expr_int(ir, sum, DT_INDEX, at);
  if (ka && x == 0) return b;
  if (kb && y == 0) return a;
  return extent_binary(ir, EXPR_ADD, a, b, at);
}

void collapse_dims(Flatten *f, Dims dims, Span at, Expr *out[2]) {
  out[0] = dims.at[0];
  for (int i = 1; i + 1 < dims.n; i++) out[0] = fold_mul(f->ir, out[0], dims.at[i], at);
  out[1] = dims.at[dims.n - 1];
}

Expr *collapse_row(Flatten *f, Dims offsets, Dims shape, Span at) {
  Expr *row = offsets.at[0];
  for (int i = 1; i + 1 < offsets.n; i++)
    row = fold_add(f->ir, fold_mul(f->ir, row, shape.at[i], at), offsets.at[i], at);
  return row;
}

bool is_row_band(Dims valid, Dims shape) {
  if (valid.n != shape.n) return true;
  bool partial = false;
  for (int i = 0; i + 1 < valid.n; i++) {
    if (partial && !dim_equal(valid.at[i], shape.at[i])) return false;
    partial |= !extent_is_const(valid.at[i], 1);
  }
  return true;
}

Expr *matrix_view(Flatten *f, Expr *tensor, Span at) {
  const Type *t = tensor->type;
  Expr *dims[2], *valid[2];
  collapse_dims(f, dims_of(t), at, dims);
  Expr *args[3] = {tensor, expr_tuple(f->ir, dims, 2, at)};
  int n = 2;
  const TensorView *v = t->tensor_view;
  if (v && (v->nvalid || v->pad != PAD_NULL)) {
    if (v->nvalid) {
      Dims old = {v->valid_shape, v->nvalid};
      if (!is_row_band(old, dims_of(t))) {
        diag_error(f->ir->diag, at, "the valid part %s of a tensor %s is not one band of rows",
                   dims_str(f->ir, old), dims_str(f->ir, dims_of(t)));
        return NULL;
      }
      collapse_dims(f, old, at, valid);
    }
    args[n++] = expr_tuple(f->ir, valid, v->nvalid ? 2 : 0, at);
  }
  return flat_op(f, OP_TENSOR_VIEW, args, n, (AttrList){0}, at);
}
