#include "ir/type_rules.h"

#include <inttypes.h>

/* Four-bit floats lie two to a byte: the last dimension counts halves. */
static const char *packed_problem(Ir *ir, const Type *t) {
  int64_t last;
  if (t->dtype != DT_FP4) return NULL;
  if (t->rank == 0) return "FP4 values are packed two to a byte and need a dimension";
  if (!expr_const_int(t->shape[t->rank - 1], &last) || (last > 0 && last % 2 == 0)) return NULL;
  return arena_printf(ir->arena,
                      "FP4 values are packed two to a byte, so the last dimension must be positive "
                      "and even, not %" PRId64,
                      last);
}

static const char *array_problem(Ir *ir, const Type *t) {
  int64_t extent;
  if (!dtype_is_int(t->dtype) && t->dtype != DT_BOOL && t->dtype != DT_TASK_ID)
    return arena_printf(ir->arena, "an Array holds integers, BOOL or TASK_ID, not %s",
                        dtype_name(t->dtype));
  if (t->rank != 1 || !expr_const_int(t->shape[0], &extent))
    return "the extent of an Array must be a constant";
  if (extent <= 0)
    return arena_printf(ir->arena, "the extent of an Array must be positive, not %" PRId64, extent);
  return NULL;
}

static const char *reg_problem(Ir *ir, const Type *t) {
  int64_t lanes;
  if (t->rank != 1 || !expr_const_int(t->shape[0], &lanes))
    return "the number of lanes of a Reg must be a constant";
  if (lanes <= 0)
    return arena_printf(ir->arena, "the number of lanes of a Reg must be positive, not %" PRId64,
                        lanes);
  if (t->dtype == DT_NONE || t->dtype == DT_TASK_ID) return "a Reg needs an element type";
  if (t->reg == REG_VEC && t->dtype == DT_BOOL)
    return "a VecReg cannot hold BOOL: masks are pl.Reg[lanes, pl.BOOL, pl.RegKind.MaskReg]";
  if (t->reg == REG_MASK && t->dtype != DT_BOOL)
    return arena_printf(ir->arena, "a MaskReg holds BOOL, not %s", dtype_name(t->dtype));
  return NULL;
}

static const char *buffer_shape_problem(Ir *ir, const Type *t) {
  int64_t dim, valid;
  if (t->rank == 0) return "a buffer needs a physical shape";
  for (int i = 0; i < t->rank; i++) {
    if (!expr_const_int(t->shape[i], &dim) || dim <= 0)
      return "the physical shape of a buffer must be positive constants";
  }
  const TileView *v = t->tile_view;
  if (!v || !v->nvalid) return NULL;
  if (v->nvalid != t->rank) return "a buffer's valid shape has as many dimensions as its shape";
  for (int i = 0; i < t->rank; i++) {
    if (!expr_const_int(v->valid_shape[i], &valid)) return "a buffer's valid shape holds constants";
    expr_const_int(t->shape[i], &dim);
    if (valid < -1 || valid > dim)
      return arena_printf(ir->arena,
                          "valid extent %" PRId64
                          " of a buffer must be -1 (known when running) or "
                          "between 0 and %" PRId64,
                          valid, dim);
  }
  return NULL;
}

static const char *buffer_problem(Ir *ir, const Type *t) {
  const char *shape = buffer_shape_problem(ir, t);
  if (shape) return shape;
  if (t->dtype == DT_NONE || t->dtype == DT_TASK_ID) return "a buffer needs an element type";
  if (t->space == MEM_NONE || t->space == MEM_DDR || t->space == MEM_SCALAR_LOCAL)
    return "a buffer lies in on-chip tile memory";
  if (!t->tile_view) return NULL;
  if (t->tile_view->blayout == TILE_LAYOUT_NONE_BOX)
    return "the block layout of a buffer is row_major or col_major";
  return t->tile_view->fractal ? NULL : "the fractal size of a buffer must be positive";
}

static const char *tuple_problem(const Type *t) {
  for (int i = 0; i < t->nelems; i++)
    if (t->elems[i]->kind == TYPE_VOID) return "a tuple cannot hold a call that gives no value";
  return NULL;
}

const char *type_problem(Ir *ir, const Type *t) {
  switch (t->kind) {
    case TYPE_TENSOR:
    case TYPE_DIST_TENSOR: return packed_problem(ir, t);
    case TYPE_TILE:
      if (t->memref && t->space == MEM_NONE)
        return "a Tile with a memory reference needs its memory space, pl.Mem.<space>";
      return packed_problem(ir, t);
    case TYPE_ARRAY: return array_problem(ir, t);
    case TYPE_REG: return reg_problem(ir, t);
    case TYPE_BUFFER: return buffer_problem(ir, t);
    case TYPE_MULTI_BUFFER: return t->slots ? NULL : "a multi-buffer needs a positive slot_count";
    case TYPE_TUPLE: return tuple_problem(t);
    default: return NULL;
  }
}

const char *type_nz_problem(Ir *ir, const Type *t) {
  int bits = dtype_bits(t->dtype);
  int64_t rows = 0, cols = 0;
  if (bits < 8) return "NZ order needs an element type of whole bytes";
  if (t->rank != 2 && t->rank != 3)
    return arena_printf(ir->arena,
                        "NZ order needs [rows, cols] or [batch, rows, cols], not %d dimensions",
                        t->rank);
  for (int i = 0; i < t->rank; i++)
    if (!expr_const_int(t->shape[i], NULL)) return "NZ order needs a shape of constants";
  expr_const_int(t->shape[t->rank - 2], &rows);
  expr_const_int(t->shape[t->rank - 1], &cols);
  if (rows <= 0 || rows % 16)
    return arena_printf(ir->arena, "NZ order needs a multiple of 16 rows, not %" PRId64, rows);
  if (cols <= 0 || cols % (256 / bits))
    return arena_printf(ir->arena, "NZ order of %s needs a multiple of %d columns, not %" PRId64,
                        dtype_name(t->dtype), 256 / bits, cols);
  return NULL;
}
