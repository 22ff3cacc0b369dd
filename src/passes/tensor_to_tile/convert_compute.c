/* convert_compute.c -- arithmetic, comparisons, reductions, products, sorting. */
#include "ir/ops/deduce_common.h"
#include "passes/tensor_to_tile/convert.h"

/* Does the row `t` end in a constant 1, and `u` not?  Both are matrices. */
static bool is_column(const Type *t, const Type *u) {
  return type_is_tile(t) && type_is_tile(u) && t->rank == 2 && u->rank == 2 &&
         extent_is_const(t->shape[1], 1) && !extent_is_const(u->shape[1], 1);
}

/* Index of the operand that is a column vector beside a matrix, or -1. */
static int column_operand(Conv *c) {
  if (is_column(c->args[1]->type, c->args[0]->type)) return 1;
  if (is_column(c->args[0]->type, c->args[1]->type)) return 0;
  return -1;
}

static Expr *convert_binary(Conv *c, OpId plain, OpId row_expand) {
  int column = column_operand(c);
  if (column < 0) return conv_op(c, plain, c->args, c->nargs, c->kwargs);
  return CONV_OP(c, row_expand, NO_KWARGS, c->args[!column], c->args[column]);
}

Expr *convert_add(Conv *c) { return convert_binary(c, OP_TILE_ADD, OP_TILE_ROW_EXPAND_ADD); }
Expr *convert_sub(Conv *c) { return convert_binary(c, OP_TILE_SUB, OP_TILE_ROW_EXPAND_SUB); }
Expr *convert_mul(Conv *c) { return convert_binary(c, OP_TILE_MUL, OP_TILE_ROW_EXPAND_MUL); }

/* What the division of a matrix by a column vector demands. */
static bool row_div_ok(Conv *c, Expr *const *args, int column, DType dtype) {
  if (column == 0)
    return conv_error(c, "a column vector cannot be divided by a matrix, only a matrix by it"),
           false;
  if (conv_flag(c, "high_precision", false))
    return conv_error(c, "high_precision does not go with a column vector as divisor"), false;
  if (dtype != DT_FP16 && dtype != DT_FP32)
    return conv_error(c, "a column vector divides FP16 and FP32 only, not %s", dtype_name(dtype)),
           false;
  Dims matrix = valid_of(args[0]->type), vector = valid_of(args[1]->type);
  if (!extent_le(c->ir, matrix.at[0], vector.at[0]))
    return conv_error(c, "the divisor's valid shape %s does not cover the rows of %s",
                      dims_str(c->ir, vector), dims_str(c->ir, matrix)),
           false;
  if (!extent_equal(c->ir, vector.at[1], expr_index(c->ir, 1)))
    return conv_error(c, "the divisor's column must be valid, but its valid shape is %s",
                      dims_str(c->ir, vector)),
           false;
  return true;
}

Expr *convert_div(Conv *c) {
  static const char *const names[] = {"div_lhs_cast", "div_rhs_cast"};
  DType common = dtype_promote(c->args[0]->type->dtype, c->args[1]->type->dtype);
  Expr *args[2];
  for (int i = 0; i < 2; i++) {
    args[i] = c->args[i];
    if (args[i]->type->dtype != common) args[i] = conv_cast(c, names[i], args[i], common, "round");
    if (!args[i]) return NULL;
  }
  int column = column_operand(c);
  if (column < 0) return conv_op(c, OP_TILE_DIV, args, 2, c->kwargs);
  if (!row_div_ok(c, args, column, common)) return NULL;
  return CONV_OP(c, OP_TILE_ROW_EXPAND_DIV, NO_KWARGS, args[!column], args[column]);
}

Expr *convert_min_max(Conv *c) {
  bool max = c->op->id == OP_TENSOR_MAXIMUM, scalar = type_is_scalar(c->args[1]->type);
  OpId to = max ? (scalar ? OP_TILE_MAXIMUMS : OP_TILE_MAXIMUM)
                : (scalar ? OP_TILE_MINIMUMS : OP_TILE_MINIMUM);
  return conv_op(c, to, c->args, c->nargs, c->kwargs);
}

Expr *convert_rsqrt(Conv *c) {
  if (!conv_flag(c, "high_precision", false))
    return CONV_OP(c, OP_TILE_RSQRT, NO_KWARGS, c->args[0]);
  const Type *t = c->args[0]->type;
  Expr *tmp = conv_scratch(c, "rsqrt_tmp", conv_shape(c, t), t->dtype);
  return CONV_OP(c, OP_TILE_RSQRT, NO_KWARGS, c->args[0], tmp);
}

Expr *convert_xor(Conv *c) {
  const Type *t = c->args[0]->type;
  Expr *tmp = conv_scratch(c, "xor_tmp", conv_shape(c, t), t->dtype);
  OpId to = c->op->id == OP_TENSOR_XOR ? OP_TILE_XOR : OP_TILE_XORS;
  return CONV_OP(c, to, NO_KWARGS, c->args[0], c->args[1], tmp);
}

/* ---------------------------------------------------------------- reductions */

static Expr *reduce(Conv *c, OpId to, int least_columns) {
  const Type *t = c->args[0]->type;
  if (!type_is_tile(t)) return conv_error(c, "the operand is not a tile here");
  Expr **dims = COPY_ARRAY(c->ir->arena, Expr *, t->shape, t->rank);
  int64_t last;
  if (t->rank >= 2 && !(expr_const_int(dims[t->rank - 1], &last) && last >= least_columns))
    if (least_columns) dims[t->rank - 1] = conv_index(c, least_columns);
  Expr *tmp = conv_scratch(c, "tmp_tile", conv_tuple(c, dims, t->rank), t->dtype);
  return CONV_OP(c, to, NO_KWARGS, c->args[0], tmp);
}

Expr *convert_row_reduce(Conv *c) {
  /* The reduction works in rows of at least so many columns. */
  enum { LEAST_COLUMNS = 128 };
  switch (c->op->id) {
    case OP_TENSOR_ROW_MAX: return reduce(c, OP_TILE_ROW_MAX, LEAST_COLUMNS);
    case OP_TENSOR_ROW_MIN: return reduce(c, OP_TILE_ROW_MIN, LEAST_COLUMNS);
    case OP_TENSOR_ROW_PROD: return reduce(c, OP_TILE_ROW_PROD, LEAST_COLUMNS);
    default: return reduce(c, OP_TILE_ROW_SUM, LEAST_COLUMNS);
  }
}

Expr *convert_arg_reduce(Conv *c) {
  switch (c->op->id) {
    case OP_TENSOR_ROW_ARGMAX: return reduce(c, OP_TILE_ROW_ARGMAX, 0);
    case OP_TENSOR_ROW_ARGMIN: return reduce(c, OP_TILE_ROW_ARGMIN, 0);
    case OP_TENSOR_COL_ARGMAX: return reduce(c, OP_TILE_COL_ARGMAX, 0);
    default: return reduce(c, OP_TILE_COL_ARGMIN, 0);
  }
}

/* ---------------------------------------------------------------- comparison */

Expr *convert_cmp(Conv *c) {
  const Type *lhs = c->args[0]->type, *rhs = c->args[1]->type;
  if (!type_is_tile(lhs)) return conv_error(c, "the left operand is not a tile here");
  Dims shape = dims_of(lhs);
  if (type_is_tile(rhs) && !dims_broadcast(c->ir, shape, dims_of(rhs), &shape))
    return conv_error(c, "the shapes do not fit");
  DType dtype = dtype_promote(lhs->dtype, rhs->dtype);
  OpId cmp = type_is_tile(rhs) ? OP_TILE_CMP : OP_TILE_CMPS;
  Expr *mask = conv_bind(c, "cmp_mask", conv_op(c, cmp, c->args, c->nargs, c->kwargs));
  Expr *dims = conv_tuple(c, shape.at, shape.n);
  Expr *one = conv_full(c, "cmp_one", dims, 1, dtype);
  Expr *zero = conv_full(c, "cmp_zero", dims, 0, dtype);
  Expr *tmp =
      conv_scratch(c, "cmp_tmp", CONV_TUPLE(c, conv_index(c, 1), conv_index(c, 32)), DT_UINT8);
  return CONV_OP(c, OP_TILE_SEL, NO_KWARGS, mask, one, zero, tmp);
}

/* ---------------------------------------------------------------- products and sorting */

Expr *convert_matmul(Conv *c) {
  bool acc = c->op->id == OP_TENSOR_MATMUL_ACC;
  int operands = acc ? 3 : 2;
  bool batch = false;
  for (int i = 0; i < operands; i++) batch |= c->args[i]->type->rank > 2;
  if (acc && c->nargs == 4) {
    if (batch)
      return conv_error(c,
                        "init_cond goes with two-dimensional operands only; loop over the batch");
    return conv_op(c, OP_TILE_MATMUL_ACC, c->args, 4, NO_KWARGS);
  }
  OpId to = acc ? (batch ? OP_TILE_BATCH_MATMUL_ACC : OP_TILE_MATMUL_ACC)
                : (batch ? OP_TILE_BATCH_MATMUL : OP_TILE_MATMUL);
  return conv_op(c, to, c->args, operands, NO_KWARGS);
}

Expr *convert_mrgsort2(Conv *c) {
  const Type *first = c->args[0]->type;
  int last = first->rank - 1;
  int64_t total = 0;
  Expr *sum = first->shape[last];
  for (int i = 0; i < c->nargs; i++) {
    int64_t n;
    Expr *dim = c->args[i]->type->shape[c->args[i]->type->rank - 1];
    if (total >= 0 && expr_const_int(dim, &n))
      total += n;
    else
      total = -1;
    if (i) sum = expr_binary(c->ir, EXPR_ADD, sum, dim, DT_INDEX, c->span);
  }
  Expr **dims = COPY_ARRAY(c->ir->arena, Expr *, first->shape, first->rank);
  dims[last] = total >= 0 ? conv_index(c, total) : sum;
  Expr **args = NEW_ARRAY(c->ir->arena, Expr *, c->nargs + 1);
  for (int i = 0; i < c->nargs; i++) args[i] = c->args[i];
  args[c->nargs] = conv_scratch(c, "mrgsort2_tmp", conv_tuple(c, dims, first->rank), first->dtype);
  return conv_op(c, OP_TILE_MRGSORT_FORMAT2, args, c->nargs + 1, c->kwargs);
}
