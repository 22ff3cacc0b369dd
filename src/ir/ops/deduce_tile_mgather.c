/* deduce_tile_mgather.c -- gathering rows or elements of a tensor in global memory into a tile. */
#include <string.h>

#include "ir/ops/deduce.h"
#include "ir/ops/deduce_common.h"

enum { COALESCE_ROW, COALESCE_ELEM, OOB_COUNT = 4 };

static const DType mgather_types[] = {DT_INT8,    DT_UINT8, DT_INT16, DT_UINT16, DT_INT32,
                                      DT_UINT32,  DT_FP16,  DT_BF16,  DT_FP32,   DT_FP8E4M3FN,
                                      DT_FP8E5M2, DT_HF8,   DT_NONE};
static const DType index_types[] = {DT_INT32, DT_NONE};

static const AttrValue *call_kwarg(const Expr *call, const char *name) {
  for (int i = 0; i < call->u.call.kwargs.len; i++)
    if (strcmp(call->u.call.kwargs.items[i].key, name) == 0)
      return &call->u.call.kwargs.items[i].value;
  return NULL;
}

/* The third operand is a scratch tensor only where elements go to Mat; else it is a valid shape. */
OpEffect effect_tile_mgather(const Expr *call, int i) {
  const AttrValue *space = call_kwarg(call, "target_memory");
  const AttrValue *coalesce = call_kwarg(call, "coalesce");
  bool to_mat = space && space->u.i == MEM_MAT;
  bool elements = coalesce && coalesce->u.i == COALESCE_ELEM;
  return i == 2 && to_mat && elements ? EFFECT_WRITE : EFFECT_READ;
}

static bool check_index_matrix(OpCall *c) {
  if (!check_dtype(c, 1, index_types)) return false;
  if (c->args[1]->type->rank == 2) return true;
  op_error(c, "'idx' must have 2 dimensions, not %d", c->args[1]->type->rank);
  return false;
}

static bool check_has_rows(OpCall *c) {
  if (c->args[0]->type->rank >= 2) return true;
  op_error(c, "'mem' must have at least 2 dimensions to gather rows, not %d",
           c->args[0]->type->rank);
  return false;
}

/* ---- into Vec, by an index tile ---- */

static const Type *into_vec(OpCall *c, const Type *mem, bool elements) {
  Ir *ir = c->ir;
  if (c->nargs != 2) return op_error(c, "'scratch' and 'valid_shape' are for a result in Mat only");
  const Type *idx = arg_tile(c, 1);
  if (!idx || !check_index_matrix(c)) return NULL;
  Dims shape = dims_of(idx), valid = valid_of(idx);
  if (!elements) {
    if (!check_has_rows(c)) return NULL;
    bool row = extent_is_const(idx->shape[0], 1), column = extent_is_const(idx->shape[1], 1);
    if (!expr_const_int(idx->shape[0], NULL) || !expr_const_int(idx->shape[1], NULL) ||
        (!row && !column))
      return op_error(c, "'idx' must have constant shape [1, R] or [R, 1] to gather rows, not %s",
                      dims_str(ir, shape));
    int axis = row ? 1 : 0;
    Expr *width = mem->shape[mem->rank - 1];
    valid = dims2(ir, valid.at[axis], width);
    shape = dims2(ir, shape.at[axis], width);
  }
  TileView v = tile_view_plain();
  tile_view_set_valid(&v, valid);
  return tile_result(ir, shape, mem->dtype, &v, MEM_NONE);
}

/* ---- into Mat, by an index tensor ---- */

static bool is_nd(const Type *t) { return !t->tensor_view || t->tensor_view->layout == LAYOUT_ND; }

/* ND, and strides, if written, those of the packed shape. */
static bool is_contiguous(const Type *t) {
  const TensorView *v = t->tensor_view;
  if (!v || (is_nd(t) && !v->nstride)) return true;
  if (!is_nd(t) || v->nstride != t->rank) return false;
  int64_t step = 1, stride, extent;
  for (int i = t->rank - 1; i >= 0; i--) {
    if (!expr_const_int(v->stride[i], &stride) || !expr_const_int(t->shape[i], &extent))
      return false;
    if ((extent != 1 && stride != step) || __builtin_mul_overflow(step, extent, &step))
      return false;
  }
  return true;
}

static bool check_scratch(OpCall *c, Dims shape) {
  if (c->nargs < 3) {
    op_error(c, "gathering elements into Mat needs the keyword 'scratch'");
    return false;
  }
  const Type *scratch = arg_tensor(c, 2), *mem = c->args[0]->type;
  if (!scratch) return false;
  Type elements = {.rank = (uint16_t)shape.n, .shape = shape.at};
  int64_t need = type_num_elements(&elements), has = type_num_elements(scratch);
  if (c->args[2] == c->args[0] || c->args[2] == c->args[1])
    op_error(c, "'scratch' must be a tensor of its own");
  else if (scratch->dtype != mem->dtype || !is_contiguous(scratch))
    op_error(c, "'scratch' must be a contiguous tensor of %s", dtype_name(mem->dtype));
  else if (need < 0 || has < need)
    op_error(c, "'scratch' must have a constant shape of at least the result's elements");
  else
    return true;
  return false;
}

/* Boxes of Mat: 16 rows of 32 bytes. */
static bool check_boxes(OpCall *c, Dims shape, DType dtype) {
  int64_t rows, cols;
  int unit = 32 / dtype_get_byte(dtype);
  if (expr_const_int(shape.at[0], &rows) && expr_const_int(shape.at[1], &cols) && rows % 16 == 0 &&
      cols % unit == 0)
    return true;
  op_error(c, "the result's shape %s must be constant, rows a multiple of 16 and columns of %d",
           dims_str(c->ir, shape), unit);
  return false;
}

static bool check_mat_valid(OpCall *c, int i, Dims shape, Dims *valid) {
  *valid = shape;
  if (!arg_given(c, i)) return true;
  if (!arg_const_shape(c, i, valid)) return false;
  bool fits = valid->n == shape.n;
  for (int k = 0; fits && k < shape.n; k++) fits = extent_le(c->ir, valid->at[k], shape.at[k]);
  if (!fits)
    op_error(c, "'valid_shape' %s does not fit the result's shape %s", dims_str(c->ir, *valid),
             dims_str(c->ir, shape));
  return fits;
}

static const Type *into_mat(OpCall *c, const Type *mem, bool elements) {
  Ir *ir = c->ir;
  const Type *idx = arg_tensor(c, 1);
  if (!idx || !check_index_matrix(c)) return NULL;
  if (!is_nd(mem) || !is_nd(idx))
    return op_error(c, "'mem' and 'idx' must be laid out ND for a result in Mat");
  Dims shape = dims_of(idx), valid;
  if (elements) {
    if (!check_scratch(c, shape)) return NULL;
  } else {
    if (c->nargs > 3) return op_error(c, "'scratch' is for gathering elements only");
    if (!check_has_rows(c)) return NULL;
    if (!extent_is_const(idx->shape[0], 1))
      return op_error(c, "'idx' must have shape [1, R] to gather rows, not %s",
                      dims_str(ir, shape));
    shape = dims2(ir, idx->shape[1], mem->shape[mem->rank - 1]);
  }
  if (!check_boxes(c, shape, mem->dtype) || !check_mat_valid(c, elements ? 3 : 2, shape, &valid))
    return NULL;
  TileView v = tile_view_plain();
  v.blayout = TILE_LAYOUT_COL_MAJOR;
  v.slayout = TILE_LAYOUT_ROW_MAJOR;
  tile_view_set_valid(&v, valid);
  return tile_result(ir, shape, mem->dtype, &v, MEM_NONE);
}

const Type *deduce_tile_mgather(OpCall *c) {
  const Type *mem = arg_tensor(c, 0);
  if (!mem || !check_dtype(c, 0, mgather_types)) return NULL;
  if (!mem->rank) return op_error(c, "'mem' must have at least one dimension");
  int64_t coalesce = kwarg_int(c, "coalesce", COALESCE_ROW), oob = kwarg_int(c, "gather_oob", 0);
  if (coalesce != COALESCE_ROW && coalesce != COALESCE_ELEM)
    return op_error(c, "'coalesce' must be 'row' or 'elem'");
  if (oob < 0 || oob >= OOB_COUNT)
    return op_error(c, "'gather_oob' must be 'undefined', 'clamp', 'wrap' or 'zero'");
  MemSpace space = kwarg_mem(c, "target_memory");
  if (space == MEM_NONE || space == MEM_VEC) return into_vec(c, mem, coalesce == COALESCE_ELEM);
  if (space == MEM_MAT) return into_mat(c, mem, coalesce == COALESCE_ELEM);
  return op_error(c, "'target_memory' must be Vec or Mat, not %s", mem_name(space));
}
