/* deduce_tensor_elementwise.c -- types of tensor operators that work element by element. */
#include "ir/ops/deduce.h"
#include "ir/ops/deduce_region.h"

static const DType dividable[] = {DT_INT16, DT_INT32, DT_FP16, DT_FP32, DT_NONE};
static const DType subtractable[] = {DT_INT8, DT_INT16, DT_INT32, DT_FP16,
                                     DT_FP32, DT_BF16,  DT_NONE};
static const DType row_addable[] = {DT_INT8, DT_INT16, DT_INT32, DT_FP16, DT_FP32, DT_NONE};
static const DType fp16_fp32[] = {DT_FP16, DT_FP32, DT_NONE};
static const DType fp32_only[] = {DT_FP32, DT_NONE};
static const DType sixteen_bits[] = {DT_INT16, DT_UINT16, DT_NONE};

static const Dims everywhere = {NULL, 0};

static bool same_dims(Ir *ir, Dims a, Dims b) {
  if (a.n != b.n) return false;
  for (int i = 0; i < a.n; i++)
    if (!dims_same(ir, a.at[i], b.at[i])) return false;
  return true;
}

/* The region that two operands share; everywhere if they differ or one is a window, whose other
 * ranks' regions are not known. */
static Dims common_region(Ir *ir, const Type *a, const Type *b) {
  if (a->kind != TYPE_TENSOR || b->kind != TYPE_TENSOR || !same_dims(ir, dims_of(a), dims_of(b)))
    return everywhere;
  Dims va = valid_of(a), vb = valid_of(b);
  for (int i = 0; i < va.n; i++)
    if (!extent_equal(ir, va.at[i], vb.at[i])) return everywhere;
  return va;
}

static bool check_division(OpCall *c, DType result) {
  if (!check_dtype(c, 0, dividable) || !check_dtype(c, 1, dividable)) return false;
  if (dtype_is_float(result) || !kwarg_bool(c, "high_precision", false)) return true;
  op_error(c, "high_precision is for FP16 and FP32, not %s", dtype_name(result));
  return false;
}

const Type *deduce_tensor_binary(OpCall *c) {
  const Type *a = c->args[0]->type, *b = c->args[1]->type;
  DType dtype = dtype_promote(a->dtype, b->dtype);
  Dims shape;
  if (!dims_broadcast(c->ir, dims_of(a), dims_of(b), &shape))
    return op_error(c, "shapes %s and %s do not broadcast", dims_str(c->ir, dims_of(a)),
                    dims_str(c->ir, dims_of(b)));
  if (c->op->param & TENSOR_DIV_TYPES && !check_division(c, dtype)) return NULL;
  Dims valid = c->op->param & TENSOR_FULL_REGION ? everywhere : common_region(c->ir, a, b);
  return tensor_fresh(c->ir, shape, dtype, valid);
}

/* Tensor and scalar; `dtype` is the result's. */
static const Type *with_scalar(OpCall *c, DType dtype) {
  const Type *t = c->args[0]->type;
  bool keep = t->kind == TYPE_TENSOR && !(c->op->param & TENSOR_FULL_REGION);
  return tensor_fresh(c->ir, dims_of(t), dtype, keep ? valid_of(t) : everywhere);
}

const Type *deduce_tensor_scalar(OpCall *c) {
  DType a = c->args[0]->type->dtype, b = c->args[1]->type->dtype;
  if (!(c->op->param & TENSOR_SUB_TYPES)) return with_scalar(c, dtype_promote(a, b));
  if (!check_dtype(c, 0, subtractable) || !check_dtype(c, 1, subtractable)) return NULL;
  return with_scalar(c, a);
}

const Type *deduce_tensor_either(OpCall *c) {
  return type_is_tensor(c->args[1]->type) ? deduce_tensor_binary(c) : deduce_tensor_scalar(c);
}

static bool check_integer(OpCall *c, int i) {
  DType t = c->args[i]->type->dtype;
  if (dtype_is_int(t)) return true;
  op_error(c, "'%s' must be of integers, not %s", arg_name(c, i), dtype_name(t));
  return false;
}

const Type *deduce_tensor_bitwise(OpCall *c) {
  const Type *a = c->args[0]->type, *b = c->args[1]->type;
  if (!check_integer(c, 0) || !check_integer(c, 1)) return NULL;
  if (!same_dims(c->ir, dims_of(a), dims_of(b)))
    return op_error(
        c, "both operands must have one shape, not %s and %s; bitwise operators do not broadcast",
        dims_str(c->ir, dims_of(a)), dims_str(c->ir, dims_of(b)));
  DType dtype = c->op->param & TENSOR_SHIFT ? a->dtype : dtype_promote(a->dtype, b->dtype);
  Dims valid = c->op->param & TENSOR_FULL_REGION ? everywhere : common_region(c->ir, a, b);
  return tensor_fresh(c->ir, dims_of(a), dtype, valid);
}

const Type *deduce_tensor_bitwise_scalar(OpCall *c) {
  int64_t count;
  if (!check_integer(c, 0) || !check_integer(c, 1)) return NULL;
  if (c->op->param & TENSOR_SHIFT && expr_const_int(c->args[1], &count) && count < 0)
    return op_error(c, "the shift count must not be negative, it is %lld", (long long)count);
  return with_scalar(c, c->args[0]->type->dtype);
}

const Type *deduce_tensor_unary(OpCall *c) {
  const Type *t = c->args[0]->type;
  DType dtype = t->dtype;
  const DType *types = NULL;
  switch (c->op->param) {
    case TENSOR_RECIP_TYPES:
      if (kwarg_bool(c, "high_precision", false) && !dtype_in(dtype, fp16_fp32))
        return op_error(c, "high_precision is for FP16 and FP32, not %s", dtype_name(dtype));
      /* fall through */
    case TENSOR_TO_FLOAT:
      if (!dtype_is_float(dtype)) dtype = DT_FP32;
      break;
    case TENSOR_LOG_TYPES: types = fp16_fp32; break;
    case TENSOR_FP32_ONLY: types = fp32_only; break;
    case TENSOR_NOT_TYPES: types = sixteen_bits; break;
    default: break;
  }
  if (types && !check_dtype(c, 0, types)) return NULL;
  return tensor_fresh(c->ir, dims_of(t), dtype, valid_of(t));
}

const Type *deduce_tensor_cast(OpCall *c) {
  const Type *t = c->args[0]->type;
  DType to = kwarg_dtype(c, "target_type");
  if (to == DT_NONE) return op_error(c, "'target_type' is missing");
  if (t->dtype == to)
    return op_error(c, "the operand is %s already; remove the cast", dtype_name(to));
  return tensor_fresh(c->ir, dims_of(t), to, valid_of(t));
}

/* ---------------------------------------------------------------- rows and columns */

/* The vector of an expanding operator: dimension `one` from its end is 1, `other` is the tensor's.
 */
static bool check_vector(OpCall *c, int one, int other) {
  const Type *t = c->args[0]->type, *v = c->args[1]->type;
  if (t->rank < 2 || v->rank < 2) {
    op_error(c, "both operands must have at least two dimensions, not %d and %d", t->rank, v->rank);
    return false;
  }
  if (!extent_is_const(v->shape[v->rank - one], 1)) {
    op_error(c, "the %s dimension of '%s' must be 1, its shape is %s",
             one == 1 ? "last" : "second last", arg_name(c, 1), dims_str(c->ir, dims_of(v)));
    return false;
  }
  int64_t a, b;
  if (!expr_const_int(t->shape[t->rank - other], &a) ||
      !expr_const_int(v->shape[v->rank - other], &b) || a == b)
    return true;
  op_error(c, "%lld %s against %lld", (long long)a, other == 2 ? "rows" : "columns", (long long)b);
  return false;
}

const Type *deduce_tensor_row_expand(OpCall *c) {
  const Type *t = c->args[0]->type, *v = c->args[1]->type;
  if (!check_vector(c, 1, 2)) return NULL;
  if (c->op->param & TENSOR_ROW_ADD_TYPES) {
    if (t->dtype != v->dtype)
      return op_error(c, "both operands must have one element type, not %s and %s",
                      dtype_name(t->dtype), dtype_name(v->dtype));
    if (!check_dtype(c, 0, row_addable)) return NULL;
  }
  return tensor_fresh(c->ir, dims_of(t), dtype_promote(t->dtype, v->dtype), everywhere);
}

const Type *deduce_tensor_col_expand(OpCall *c) {
  const Type *t = c->args[0]->type, *v = c->args[1]->type;
  if (!check_vector(c, 2, 1)) return NULL;
  return tensor_fresh(c->ir, dims_of(t), dtype_promote(t->dtype, v->dtype), everywhere);
}

const Type *deduce_tensor_expands(OpCall *c) {
  const Type *t = c->args[0]->type;
  return tensor_fresh(c->ir, dims_of(t), t->dtype, everywhere);
}

const Type *deduce_tensor_expand_clone(OpCall *c) {
  const Type *from = c->args[0]->type, *to = c->args[1]->type;
  if (from->rank != 3 || to->rank != 3)
    return op_error(c, "both operands must have three dimensions, not %d and %d", from->rank,
                    to->rank);
  int grown = 0;
  for (int i = 0; i < 3; i++) {
    if (dims_same(c->ir, from->shape[i], to->shape[i])) continue;
    if (!extent_is_const(from->shape[i], 1))
      return op_error(c, "dimension %d cannot be repeated, it is not 1: %s to %s", i,
                      dims_str(c->ir, dims_of(from)), dims_str(c->ir, dims_of(to)));
    grown++;
  }
  if (grown > 1)
    return op_error(c, "only one dimension can be repeated: %s to %s",
                    dims_str(c->ir, dims_of(from)), dims_str(c->ir, dims_of(to)));
  return tensor_fresh(c->ir, dims_of(to), dtype_promote(from->dtype, to->dtype), everywhere);
}

const Type *deduce_tensor_reduce(OpCall *c) {
  const Type *t = c->args[0]->type;
  bool columns = c->op->param & TENSOR_COLUMNS;
  if (columns && t->rank < 2)
    return op_error(c, "the operand must have at least two dimensions, it has %d", t->rank);
  int64_t axis = kwarg_int(c, "axis", columns ? -2 : -1);
  if (axis < 0) axis += t->rank;
  if (axis < 0 || axis >= t->rank)
    return op_error(c, "there is no axis %lld in %d dimensions",
                    (long long)kwarg_int(c, "axis", columns ? -2 : -1), t->rank);
  Dims valid = valid_of(t);
  if (!want_nonempty(c, valid)) return NULL;
  if (c->op->param & TENSOR_ROW_MIN_TYPES && !check_dtype(c, 0, dividable)) return NULL;
  bool keep = kwarg_bool(c, "keep_dim", true);
  Dims shape = dims_new(c->ir, t->rank), region = dims_new(c->ir, t->rank);
  int n = 0;
  for (int i = 0; i < t->rank; i++) {
    if (i == axis && !keep) continue;
    shape.at[n] = i == axis ? expr_index(c->ir, 1) : t->shape[i];
    region.at[n++] = i == axis ? expr_index(c->ir, 1) : valid.at[i];
  }
  DType dtype = c->op->param & TENSOR_TO_INDEX ? DT_INT32 : t->dtype;
  if (!n) return type_scalar(c->ir, dtype);
  shape.n = region.n = n;
  return tensor_fresh(c->ir, shape, dtype, region);
}

/* ---------------------------------------------------------------- matrix products */

/* The extents of op(a) @ op(b): the last two dimensions of each, exchanged where transposed. */
typedef struct Product {
  Expr *m, *k, *k2, *n;
} Product;

static Product product_of(const OpCall *c, const Type *a, const Type *b) {
  bool ta = kwarg_bool(c, "a_trans", false), tb = kwarg_bool(c, "b_trans", false);
  Expr **x = &a->shape[a->rank - 2], **y = &b->shape[b->rank - 2];
  return (Product){x[ta], x[!ta], y[tb], y[!tb]};
}

static bool check_inner(OpCall *c, const Expr *k, const Expr *k2) {
  int64_t a, b;
  if (!expr_const_int(k, &a) || !expr_const_int(k2, &b) || a == b) return true;
  op_error(c, "inner dimensions %lld and %lld differ", (long long)a, (long long)b);
  return false;
}

static bool check_matches(OpCall *c, const char *what, const Expr *acc, const Expr *product) {
  int64_t a, b;
  if (!expr_const_int(acc, &a) || !expr_const_int(product, &b) || a == b) return true;
  op_error(c, "acc has %s %lld, the product %lld", what, (long long)a, (long long)b);
  return false;
}

static Dims batch_of(const Type *t) { return (Dims){t->shape, t->rank - 2}; }

/* A product with a vector; the shape without the dimension that is summed over. */
static bool vector_product(OpCall *c, const Type *a, const Type *b, Dims *shape) {
  bool ta = kwarg_bool(c, "a_trans", false), tb = kwarg_bool(c, "b_trans", false);
  *shape = dims_new(c->ir, 1);
  if ((ta && a->rank == 1) || (tb && b->rank == 1)) {
    op_error(c, "%s does not apply to a vector", ta && a->rank == 1 ? "a_trans" : "b_trans");
    return false;
  }
  if (a->rank > 2 || b->rank > 2) {
    op_error(c, "a product of batches needs at least two dimensions on both sides, not %d and %d",
             a->rank, b->rank);
    return false;
  }
  Expr *k = a->rank == 1 ? a->shape[0] : a->shape[!ta];
  Expr *k2 = b->rank == 1 ? b->shape[0] : b->shape[tb];
  shape->n = a->rank + b->rank - 2;
  if (a->rank == 2) shape->at[0] = a->shape[ta];
  if (b->rank == 2) shape->at[0] = b->shape[!tb];
  return check_inner(c, k, k2);
}

const Type *deduce_tensor_matmul(OpCall *c) {
  const Type *a = c->args[0]->type, *b = c->args[1]->type;
  DType dtype = kwarg_dtype(c, "out_dtype");
  if (dtype == DT_NONE) dtype = dtype_promote(a->dtype, b->dtype);
  Dims shape;
  if (!a->rank || !b->rank) return op_error(c, "the operands must have dimensions");
  if (a->rank == 1 || b->rank == 1) {
    if (!vector_product(c, a, b, &shape)) return NULL;
    return tensor_fresh(c->ir, shape, dtype, everywhere);
  }
  Dims batch;
  if (!dims_broadcast(c->ir, batch_of(a), batch_of(b), &batch))
    return op_error(c, "the leading dimensions of %s and %s do not broadcast",
                    dims_str(c->ir, dims_of(a)), dims_str(c->ir, dims_of(b)));
  Product p = product_of(c, a, b);
  if (!check_inner(c, p.k, p.k2)) return NULL;
  shape = dims_new(c->ir, batch.n + 2);
  for (int i = 0; i < batch.n; i++) shape.at[i] = batch.at[i];
  shape.at[batch.n] = p.m;
  shape.at[batch.n + 1] = p.n;
  return tensor_fresh(c->ir, shape, dtype, everywhere);
}

const Type *deduce_tensor_matmul_acc(OpCall *c) {
  const Type *acc = c->args[0]->type, *a = c->args[1]->type, *b = c->args[2]->type;
  if (!want_init_cond(c, 3)) return NULL;
  for (int i = 0; i < 3; i++)
    if (c->args[i]->type->rank < 2)
      return op_error(c, "'%s' must have at least two dimensions", arg_name(c, i));
  if (a->dtype != b->dtype)
    return op_error(c, "lhs and rhs must have one element type, not %s and %s",
                    dtype_name(a->dtype), dtype_name(b->dtype));
  DType dtype = dtype_is_float(a->dtype) ? DT_FP32 : DT_INT32;
  if (acc->dtype != dtype)
    return op_error(c, "acc must be %s, not %s", dtype_name(dtype), dtype_name(acc->dtype));
  Product p = product_of(c, a, b);
  if (!check_inner(c, p.k, p.k2) || !check_matches(c, "M", acc->shape[acc->rank - 2], p.m) ||
      !check_matches(c, "N", acc->shape[acc->rank - 1], p.n))
    return NULL;
  Dims batch;
  if (!dims_broadcast(c->ir, batch_of(a), batch_of(b), &batch))
    return op_error(c, "the leading dimensions of %s and %s do not broadcast",
                    dims_str(c->ir, dims_of(a)), dims_str(c->ir, dims_of(b)));
  if (batch.n != acc->rank - 2)
    return op_error(c, "acc has %d leading dimensions, the product %d", acc->rank - 2, batch.n);
  for (int i = 0; i < batch.n; i++)
    if (!check_matches(c, "a leading dimension", acc->shape[i], batch.at[i])) return NULL;
  return tensor_fresh(c->ir, dims_of(acc), dtype, everywhere);
}
