#include "ir/view.h"

enum { FRACTAL_BOX = 512, FRACTAL_ACC = 1024, FRACTAL_MX_SCALE = 32 };

/* ---------------------------------------------------------------- dimensions */

bool dim_equal(const Expr *a, const Expr *b) {
  if (a == b) return true;
  if (!a || !b || a->kind != b->kind) return false;
  if (a->kind == EXPR_INT) return a->u.i == b->u.i;
  if (expr_is_binary(a)) {
    return dim_equal(a->u.bin.lhs, b->u.bin.lhs) && dim_equal(a->u.bin.rhs, b->u.bin.rhs);
  }
  if (a->kind == EXPR_CALL) {
    return a->u.call.op == b->u.call.op && a->u.call.callee == b->u.call.callee &&
           dims_equal(a->u.call.args, a->u.call.nargs, b->u.call.args, b->u.call.nargs);
  }
  return false;
}

bool dims_equal(Expr *const *a, int na, Expr *const *b, int nb) {
  if (na != nb) return false;
  for (int i = 0; i < na; i++)
    if (!dim_equal(a[i], b[i])) return false;
  return true;
}

Expr **dims_canonical(Ir *ir, Expr **dims, int n) {
  Expr **out = dims;
  for (int i = 0; i < n; i++) {
    if (dims[i]->kind != EXPR_INT || dims[i]->type->dtype == DT_INDEX) continue;
    if (out == dims) out = COPY_ARRAY(ir->arena, Expr *, dims, n);
    out[i] = expr_int(ir, dims[i]->u.i, DT_INDEX, dims[i]->span);
  }
  return out;
}

/* a * b as an INDEX expression, folded where both are constants or one is 1; NULL if it overflows. */
static Expr *index_product(Ir *ir, Expr *a, Expr *b) {
  int64_t x, y, product;
  bool ca = expr_const_int(a, &x), cb = expr_const_int(b, &y);
  if (ca && cb) return __builtin_mul_overflow(x, y, &product) ? NULL : expr_index(ir, product);
  if (cb && y == 1) return a;
  if (ca && x == 1) return b;
  return expr_binary(ir, EXPR_MUL, a, b, DT_INDEX, NO_SPAN);
}

Expr **packed_strides(Ir *ir, Expr *const *shape, int rank, TensorLayout layout) {
  if ((layout == LAYOUT_NZ && rank != 5) || (layout == LAYOUT_DN && rank < 2)) return NULL;
  Expr **strides = NEW_ARRAY(ir->arena, Expr *, rank);
  int outer; /* the dimensions up to here follow row-major */
  if (layout == LAYOUT_DN) {
    strides[rank - 2] = expr_index(ir, 1);
    strides[rank - 1] = shape[rank - 2];
    outer = rank - 3;
    if (outer >= 0) strides[outer] = index_product(ir, shape[rank - 2], shape[rank - 1]);
  } else {
    outer = rank - 1;
    if (outer >= 0) strides[outer] = expr_index(ir, 1);
  }
  if (outer >= 0 && !strides[outer]) return NULL;
  for (int i = outer - 1; i >= 0; i--) {
    strides[i] = index_product(ir, strides[i + 1], shape[i + 1]);
    if (!strides[i]) return NULL;
  }
  return strides;
}

Expr *const *type_valid_shape(const Type *t, int *n) {
  if (t->tensor_view && t->tensor_view->nvalid) {
    *n = t->tensor_view->nvalid;
    return t->tensor_view->valid_shape;
  }
  if (t->tile_view && t->tile_view->nvalid) {
    *n = t->tile_view->nvalid;
    return t->tile_view->valid_shape;
  }
  *n = t->rank;
  return t->shape;
}

const TensorView *tensor_view_canonical(Ir *ir, const TensorView *v, Expr *const *shape, int rank) {
  if (!v) return NULL;
  if (v->nvalid && dims_equal(v->valid_shape, v->nvalid, shape, rank)) {
    TensorView *slim = COPY_ARRAY(ir->arena, TensorView, v, 1);
    slim->valid_shape = NULL;
    slim->nvalid = 0;
    v = slim;
  }
  bool says_nothing = !v->nvalid && !v->nstride && v->layout == LAYOUT_ND && v->pad == PAD_NULL;
  return says_nothing ? NULL : v;
}

bool tensor_is_blocked_nz(const Type *t) {
  int64_t rows, cols;
  int bits = dtype_bits(t->dtype);
  return t->rank == 5 && bits >= 8 && expr_const_int(t->shape[3], &rows) && rows == 16 &&
         expr_const_int(t->shape[4], &cols) && cols == 256 / bits;
}

/* Is stride[i] surely smaller than stride[i+1] * shape[i+1]? */
static bool overlaps(Ir *ir, const Type *t, int i) {
  int64_t stride, packed;
  Expr *product = index_product(ir, t->tensor_view->stride[i + 1], t->shape[i + 1]);
  return product && expr_const_int(product, &packed) &&
         expr_const_int(t->tensor_view->stride[i], &stride) && stride < packed;
}

static const char *stride_problem(Ir *ir, const Type *t) {
  const TensorView *v = t->tensor_view;
  const char *layout = enum_name(ENUM_LAYOUT, v->layout);
  bool dn = v->layout == LAYOUT_DN;
  int n = t->rank, dense = dn ? n - 2 : n - 1, outer = dn ? n - 3 : n - 2;
  int64_t one, last, rows;
  if (v->nstride != n)
    return arena_printf(ir->arena, "it has %d strides for %d dimensions", v->nstride, n);
  if (dense < 0) return "layout DN needs two dimensions";
  if (!expr_const_int(v->stride[dense], &one) || one != 1)
    return arena_printf(ir->arena, "layout %s needs stride 1 in dimension %d", layout, dense);
  if (dn && expr_const_int(v->stride[n - 1], &last) && expr_const_int(t->shape[n - 2], &rows) &&
      last < rows)
    return "the last stride of layout DN is smaller than the dimension before it";
  for (int i = outer; i >= 0; i--) {
    if (!overlaps(ir, t, i)) continue;
    return arena_printf(ir->arena,
                        "stride %d is smaller than the extent of the dimensions inside it", i);
  }
  return NULL;
}

const char *tensor_view_problem(Ir *ir, const Type *t, bool materialized) {
  const TensorView *v = t->tensor_view;
  if (!v) return NULL;
  if (v->layout == LAYOUT_NZ && !tensor_is_blocked_nz(t))
    return "NZ order has no strides over rows and columns: the shape must be blocked";
  if (t->rank == 0 && !v->nstride) return NULL;
  if (!v->nstride) return materialized ? "its strides are not written out" : NULL;
  return stride_problem(ir, t);
}

/* ---------------------------------------------------------------- tiles */

/* A column of constants lies column by column; everything else row by row. */
static TileLayout flat_layout(Expr *const *shape, int rank) {
  int64_t rows, cols;
  bool column = rank == 2 && expr_const_int(shape[0], &rows) && expr_const_int(shape[1], &cols) &&
                cols == 1 && rows > 1;
  return column ? TILE_LAYOUT_COL_MAJOR : TILE_LAYOUT_ROW_MAJOR;
}

TileView tile_view_implied(Ir *ir, Expr *const *shape, int rank, DType dtype, MemSpace space) {
  (void)ir;
  (void)dtype;
  TileView v = {.valid_shape = (Expr **)shape,
                .nvalid = (uint16_t)rank,
                .blayout = flat_layout(shape, rank),
                .slayout = TILE_LAYOUT_NONE_BOX,
                .fractal = FRACTAL_BOX};
  switch (space) {
    case MEM_ACC:
      v.fractal = FRACTAL_ACC;
      /* fall through */
    case MEM_MAT:
    case MEM_LEFT:
      v.blayout = TILE_LAYOUT_COL_MAJOR;
      v.slayout = TILE_LAYOUT_ROW_MAJOR;
      break;
    case MEM_RIGHT: v.slayout = TILE_LAYOUT_COL_MAJOR; break;
    case MEM_LEFT_SCALE:
      v.blayout = v.slayout = TILE_LAYOUT_ROW_MAJOR;
      v.fractal = FRACTAL_MX_SCALE;
      break;
    case MEM_RIGHT_SCALE:
      v.blayout = v.slayout = TILE_LAYOUT_COL_MAJOR;
      v.fractal = FRACTAL_MX_SCALE;
      break;
    default: break;
  }
  return v;
}

TileView tile_view_of(Ir *ir, const Type *tile) {
  if (!tile->tile_view)
    return tile_view_implied(ir, tile->shape, tile->rank, tile->dtype, tile->space);
  TileView v = *tile->tile_view;
  if (!v.nvalid) {
    v.valid_shape = tile->shape;
    v.nvalid = tile->rank;
  }
  return v;
}

bool tile_view_is_implied(Ir *ir, const TileView *v, Expr *const *shape, int rank, DType dtype,
                          MemSpace space) {
  if (v->nvalid && !dims_equal(v->valid_shape, v->nvalid, shape, rank)) return false;
  if (v->nstride || v->start_offset || v->pad != PAD_NULL || v->compact != COMPACT_NULL)
    return false;
  TileView implied = tile_view_implied(ir, shape, rank, dtype, space);
  return v->blayout == implied.blayout && v->slayout == implied.slayout &&
         v->fractal == implied.fractal;
}

const TileView *tile_view_canonical(Ir *ir, const TileView *v, Expr *const *shape, int rank,
                                    DType dtype, MemSpace space) {
  if (!v || tile_view_is_implied(ir, v, shape, rank, dtype, space)) return NULL;
  if (!v->nvalid || !dims_equal(v->valid_shape, v->nvalid, shape, rank)) return v;
  TileView *slim = COPY_ARRAY(ir->arena, TileView, v, 1);
  slim->valid_shape = NULL;
  slim->nvalid = 0;
  return slim;
}

bool tile_view_box(const TileView *v, DType dtype, int64_t *rows, int64_t *cols) {
  bool across = v->slayout == TILE_LAYOUT_ROW_MAJOR;
  int bits = dtype_bits(dtype) == 1 ? 8 : dtype_bits(dtype);
  int64_t along;
  if (v->slayout == TILE_LAYOUT_NONE_BOX) return false;
  switch (v->fractal) {
    case FRACTAL_ACC: *rows = *cols = 16; return true;
    case FRACTAL_MX_SCALE: along = 2; break;
    case FRACTAL_BOX:
      if (bits <= 0 || 256 % bits) return false;
      along = 256 / bits; /* elements of 32 bytes */
      break;
    default: return false;
  }
  *rows = across ? 16 : along;
  *cols = across ? along : 16;
  return true;
}
