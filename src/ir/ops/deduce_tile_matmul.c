/* deduce_tile_matmul.c -- matrix products on the cube core. */
#include "ir/ops/deduce.h"
#include "ir/ops/deduce_common.h"
#include "ir/ops/deduce_region.h"
#include "ir/print.h"

/* A product [M, K] x [K, N]: where it lies and what of it is data. */
typedef struct Product {
  Dims shape, valid;
  DType dtype; /* of the accumulator */
} Product;

static bool check_two_dims(OpCall *c, int i) {
  if (c->args[i]->type->rank == 2) return true;
  op_error(c, "'%s' must have 2 dimensions, not %d", arg_name(c, i), c->args[i]->type->rank);
  return false;
}

/* Unequal constants; other extents are trusted. */
static bool surely_differ(const Expr *a, const Expr *b) {
  int64_t x, y;
  return expr_const_int(a, &x) && expr_const_int(b, &y) && x != y;
}

static bool check_operand_types(OpCall *c, int l, int r, DType *acc) {
  DType a = c->args[l]->type->dtype, b = c->args[r]->type->dtype;
  *acc = dtype_is_float(a) ? DT_FP32 : DT_INT32;
  if (a == b) return true;
  op_error(c, "'%s' and '%s' must have the same element type, not %s and %s", arg_name(c, l),
           arg_name(c, r), dtype_name(a), dtype_name(b));
  return false;
}

static bool check_accumulator_type(OpCall *c, int i, DType wanted) {
  DType t = c->args[i]->type->dtype;
  if (t == wanted) return true;
  op_error(c, "'%s' must have the accumulator's element type %s, not %s", arg_name(c, i),
           dtype_name(wanted), dtype_name(t));
  return false;
}

/* `small` of argument names' extents must lie within `large`, unless the order is unknown. */
static bool check_covered(OpCall *c, int i, const char *axis, Expr *small, Expr *large) {
  if (!extent_gt(c->ir, small, large)) return true;
  op_error(c, "'%s' must be valid for all of %s = %s, it is for %s", arg_name(c, i), axis,
           expr_str(c->ir, small), expr_str(c->ir, large));
  return false;
}

/* The product of arguments `l` and `l + 1`.  Boxes agree in K; the right one may be valid further.
 */
static bool product_of(OpCall *c, int l, Product *p) {
  const Type *lhs = arg_tile(c, l), *rhs = lhs ? arg_tile(c, l + 1) : NULL;
  if (!rhs || !check_two_dims(c, l) || !check_two_dims(c, l + 1)) return false;
  if (surely_differ(lhs->shape[1], rhs->shape[0])) {
    op_error(c, "the inner dimensions differ: '%s' has shape %s and '%s' has %s", arg_name(c, l),
             dims_str(c->ir, dims_of(lhs)), arg_name(c, l + 1), dims_str(c->ir, dims_of(rhs)));
    return false;
  }
  Dims a = valid_of(lhs), b = valid_of(rhs);
  if (!check_covered(c, l + 1, "K", a.at[1], b.at[0]) ||
      !check_operand_types(c, l, l + 1, &p->dtype))
    return false;
  p->shape = dims2(c->ir, lhs->shape[0], rhs->shape[1]);
  p->valid = dims2(c->ir, a.at[0], b.at[1]);
  return true;
}

static const Type *in_acc(OpCall *c, Dims shape, Dims valid, DType dtype, CompactMode compact) {
  TileView v = tile_view_plain();
  tile_view_set_layout(c->ir, &v, shape, dtype, MEM_ACC);
  tile_view_set_valid(&v, valid);
  v.compact = compact;
  return tile_result(c->ir, shape, dtype, &v, MEM_ACC);
}

/* The matrix unit packs rows as the left operand has them valid: fewer than the box is compact. */
static CompactMode rows_compact(OpCall *c, Dims shape, Dims valid) {
  return extent_equal(c->ir, valid.at[0], shape.at[0]) ? COMPACT_NULL : COMPACT_NORMAL;
}

static const Type *matmul_acc(OpCall *c) {
  const Type *acc = arg_tile(c, 0);
  Product p;
  if (!acc || !want_init_cond(c, 3) || !product_of(c, 1, &p) || !check_two_dims(c, 0)) return NULL;
  for (int i = 0; i < 2; i++)
    if (surely_differ(acc->shape[i], p.shape.at[i]))
      return op_error(c, "'%s' has shape %s where the product has %s", arg_name(c, 0),
                      dims_str(c->ir, dims_of(acc)), dims_str(c->ir, p.shape));
  Dims valid = valid_of(acc);
  if (!check_covered(c, 0, "M", p.valid.at[0], valid.at[0]) ||
      !check_covered(c, 0, "N", p.valid.at[1], valid.at[1]) ||
      !check_accumulator_type(c, 0, p.dtype))
    return NULL;
  return in_acc(c, dims_of(acc), valid, p.dtype, tile_view_of(c->ir, acc).compact);
}

/* One row that is added to each row of the product; `exact`: valid in exactly one row. */
static bool check_bias(OpCall *c, int i, const Product *p, bool exact) {
  const Type *bias = arg_tile(c, i);
  if (!bias || !check_two_dims(c, i)) return false;
  Dims valid = valid_of(bias);
  Expr *one = expr_index(c->ir, 1);
  if (!extent_is_const(bias->shape[0], 1) || surely_differ(bias->shape[1], p->shape.at[1])) {
    op_error(c, "'%s' must have shape [1, %s], not %s", arg_name(c, i),
             expr_str(c->ir, p->shape.at[1]), dims_str(c->ir, dims_of(bias)));
    return false;
  }
  if (exact ? !extent_equal(c->ir, valid.at[0], one) : extent_gt(c->ir, one, valid.at[0])) {
    op_error(c, "'%s' must have one valid row, not %s", arg_name(c, i),
             expr_str(c->ir, valid.at[0]));
    return false;
  }
  return check_covered(c, i, "N", p->valid.at[1], valid.at[1]) &&
         check_accumulator_type(c, i, p->dtype);
}

const Type *deduce_tile_matmul(OpCall *c) {
  Product p;
  if (c->op->param & TILE_ACC) return matmul_acc(c);
  if (!product_of(c, 0, &p)) return NULL;
  if ((c->op->param & TILE_BIAS) && !check_bias(c, 2, &p, false)) return NULL;
  return in_acc(c, p.shape, p.valid, p.dtype, rows_compact(c, p.shape, p.valid));
}

/* ---- matrix times vector ---- */

static const DType gemv_types[] = {DT_INT8, DT_FP16, DT_BF16, DT_FP32, DT_NONE};

static bool check_acc_phase(OpCall *c) {
  const AttrValue *v = op_kwarg(c, "acc_phase");
  if (!v) return true;
  const Name known[] = {ir_name(c->ir, "unspecified"), ir_name(c->ir, "partial"),
                        ir_name(c->ir, "final")};
  for (int i = 0; i < 3; i++)
    if (v->kind == ATTR_STR && v->u.str == known[i]) return true;
  op_error(c, "'acc_phase' must be 'unspecified', 'partial' or 'final'");
  return false;
}

/* The product of a row, which fills 16 rows of the accumulator's box. */
static bool gemv_product(OpCall *c, int l, Product *p) {
  enum { BOX_ROWS = 16 };
  if (!check_acc_phase(c) || !product_of(c, l, p) || !check_dtype(c, l, gemv_types)) return false;
  const Type *lhs = c->args[l]->type;
  if (!extent_is_const(lhs->shape[0], 1) ||
      !extent_equal(c->ir, p->valid.at[0], expr_index(c->ir, 1))) {
    op_error(c, "'%s' must have exactly one row, its shape is %s", arg_name(c, l),
             dims_str(c->ir, dims_of(lhs)));
    return false;
  }
  p->shape.at[0] = expr_int(c->ir, BOX_ROWS, DT_INDEX, lhs->shape[0]->span);
  return true;
}

static bool check_gemv_accumulator(OpCall *c, const Product *p) {
  const Type *acc = arg_tile(c, 0);
  if (!acc || !check_two_dims(c, 0)) return false;
  Dims valid = valid_of(acc);
  bool fits = true;
  for (int i = 0; i < 2; i++)
    fits = fits && !surely_differ(acc->shape[i], p->shape.at[i]) &&
           extent_equal(c->ir, valid.at[i], p->valid.at[i]);
  if (!fits) {
    op_error(c, "'%s' must have shape %s and valid shape %s, not %s and %s", arg_name(c, 0),
             dims_str(c->ir, p->shape), dims_str(c->ir, p->valid), dims_str(c->ir, dims_of(acc)),
             dims_str(c->ir, valid));
    return false;
  }
  return check_accumulator_type(c, 0, p->dtype);
}

const Type *deduce_tile_gemv(OpCall *c) {
  int param = c->op->param;
  Product p;
  if (!gemv_product(c, param & TILE_ACC ? 1 : 0, &p)) return NULL;
  if ((param & TILE_ACC) && !check_gemv_accumulator(c, &p)) return NULL;
  if ((param & TILE_BIAS) && !check_bias(c, 2, &p, true)) return NULL;
  TileView v = tile_view_plain();
  tile_view_set_layout(c->ir, &v, p.shape, p.dtype, MEM_ACC);
  tile_view_set_valid(&v, p.valid);
  return tile_result(c->ir, p.shape, p.dtype, &v, MEM_NONE);
}

/* ---- leading dimensions ---- */

static bool check_min_two(OpCall *c, int i) {
  if (c->args[i]->type->rank >= 2) return true;
  op_error(c, "'%s' must have at least 2 dimensions, not %d", arg_name(c, i),
           c->args[i]->type->rank);
  return false;
}

static Dims leading(const Type *t) { return (Dims){t->shape, t->rank - 2}; }

/* Shape and accumulator type of the products of arguments `l` and `l + 1`. */
static bool batch_product(OpCall *c, int l, Product *p) {
  const Type *lhs = arg_tile(c, l), *rhs = lhs ? arg_tile(c, l + 1) : NULL;
  if (!rhs || !check_min_two(c, l) || !check_min_two(c, l + 1)) return false;
  Dims batch;
  if (surely_differ(lhs->shape[lhs->rank - 1], rhs->shape[rhs->rank - 2]) ||
      !dims_broadcast(c->ir, leading(lhs), leading(rhs), &batch)) {
    op_error(c, "shapes %s of '%s' and %s of '%s' do not fit", dims_str(c->ir, dims_of(lhs)),
             arg_name(c, l), dims_str(c->ir, dims_of(rhs)), arg_name(c, l + 1));
    return false;
  }
  if (!check_operand_types(c, l, l + 1, &p->dtype)) return false;
  p->shape = dims_new(c->ir, batch.n + 2);
  for (int i = 0; i < batch.n; i++) p->shape.at[i] = batch.at[i];
  p->shape.at[batch.n] = lhs->shape[lhs->rank - 2];
  p->shape.at[batch.n + 1] = rhs->shape[rhs->rank - 1];
  return true;
}

const Type *deduce_tile_batch_matmul(OpCall *c) {
  bool acc = c->op->param & TILE_ACC;
  Product p;
  if (acc && (!arg_tile(c, 0) || !check_min_two(c, 0))) return NULL;
  if (!batch_product(c, acc ? 1 : 0, &p)) return NULL;
  if (!acc) return in_acc(c, p.shape, p.shape, p.dtype, COMPACT_NULL);
  Dims into = dims_of(c->args[0]->type);
  bool fits = into.n == p.shape.n;
  for (int i = 0; fits && i < into.n; i++) fits = !surely_differ(into.at[i], p.shape.at[i]);
  if (!fits)
    return op_error(c, "'%s' has shape %s where the products have %s", arg_name(c, 0),
                    dims_str(c->ir, into), dims_str(c->ir, p.shape));
  if (!check_accumulator_type(c, 0, p.dtype)) return NULL;
  return in_acc(c, into, into, p.dtype, COMPACT_NULL);
}
