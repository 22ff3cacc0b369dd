/* deduce_tile_memory.c -- tile operators that move data between tensors, tiles and scalars. */
#include "ir/ops/deduce.h"
#include "ir/ops/deduce_common.h"
#include "ir/ops/deduce_region.h"

enum { MX_FRACTAL = 32 }; /* one scale for 32 elements */

static const DType mx_scale_types[] = {DT_FP8E8M0, DT_UINT8, DT_NONE};
static const DType atomic_types[] = {DT_FP32,  DT_BF16, DT_FP16, DT_INT32,
                                     DT_INT16, DT_INT8, DT_NONE};

/* ---- load ---- */

static TensorLayout layout_of(const Type *tensor) {
  return tensor->tensor_view ? tensor->tensor_view->layout : LAYOUT_ND;
}

static bool is_mx_layout(TensorLayout l) { return l == LAYOUT_MX_A_ZZ || l == LAYOUT_MX_B_NN; }

/* Scales in an MX layout are loaded whole rows, packed, and into Mat only. */
static bool check_mx_load(OpCall *c, const Type *tensor, Dims window, MemSpace space) {
  Ir *ir = c->ir;
  if (!check_dtype(c, 0, mx_scale_types)) return false;
  if (tensor->rank != 2 || window.n != 2) {
    op_error(c, "a tensor in an MX layout must have 2 dimensions and be loaded by a window of 2");
    return false;
  }
  const TensorView *v = tensor->tensor_view;
  Expr **packed = packed_strides(ir, tensor->shape, tensor->rank, v->layout);
  if (v->nstride && packed &&
      !dims_equivalent((Dims){v->stride, v->nstride}, (Dims){packed, tensor->rank})) {
    op_error(c, "a tensor in an MX layout must be packed");
    return false;
  }
  if (space == MEM_MAT) return true;
  op_error(c, "a tensor in an MX layout must be loaded with target_memory=pl.Mem.Mat");
  return false;
}

/* The layout in which a window arrives in `space`; nothing is said before the space is known. */
static void set_load_layout(TileView *v, const Type *tensor, Dims window, MemSpace space) {
  TensorLayout layout = layout_of(tensor);
  bool dn = layout == LAYOUT_DN;
  if (is_mx_layout(layout)) {
    v->blayout = v->slayout =
        layout == LAYOUT_MX_B_NN ? TILE_LAYOUT_COL_MAJOR : TILE_LAYOUT_ROW_MAJOR;
    v->fractal = MX_FRACTAL;
  } else if (space == MEM_MAT) {
    /* One row (of a DN tensor: one column) is a plain vector, the operand of a matrix-vector
     * product. */
    if (window.n == 2 && extent_is_const(window.at[dn ? 1 : 0], 1)) return;
    v->blayout = dn ? TILE_LAYOUT_ROW_MAJOR : TILE_LAYOUT_COL_MAJOR;
    v->slayout = dn ? TILE_LAYOUT_COL_MAJOR : TILE_LAYOUT_ROW_MAJOR;
  } else if (space != MEM_NONE && extent_is_const(window.at[window.n - 1], 1)) {
    v->blayout = TILE_LAYOUT_COL_MAJOR;
  }
}

const Type *deduce_tile_load(OpCall *c) {
  const Type *tensor = arg_tensor(c, 0);
  Dims offsets, window, asked;
  if (!tensor || !arg_list(c, 1, &offsets) || !arg_list(c, 2, &window) || !arg_list(c, 3, &asked))
    return NULL;
  if (!window.n || offsets.n != window.n || asked.n != window.n)
    return op_error(
        c,
        "'offsets' (%d), 'shapes' (%d) and 'valid_shape' (%d) must have the same number of "
        "dimensions, at least one",
        offsets.n, window.n, asked.n);
  MemSpace space = kwarg_mem(c, "target_memory");
  if (space != MEM_NONE && !space_takes_loads(space))
    return op_error(c, "'target_memory' must be Vec or Mat, not %s", mem_name(space));
  if (is_mx_layout(layout_of(tensor)) && !check_mx_load(c, tensor, window, space)) return NULL;

  TileView v = tile_view_plain();
  set_load_layout(&v, tensor, window, space);
  Dims valid = asked;
  /* A window of fewer dimensions reads the tensor in another shape: no box of it is known. */
  if (window.n == tensor->rank) {
    WindowRead read = {
        .physical = dims_of(tensor),
        .valid = valid_of(tensor),
        .offsets = offsets,
        .window = window,
        .requested = asked,
        .clamp = kwarg_bool(c, "clamp", false),
        .remedy = "clamp=True reads only up to the edge",
    };
    valid.at = window_read_valid(c, &read);
    if (!valid.at) return NULL;
  }
  tile_view_set_valid(&v, valid);
  return tile_result(c->ir, window, tensor->dtype, &v, space);
}

/* ---- store ---- */

OpEffect effect_tile_store(const Expr *call, int i) {
  if (i != 2) return EFFECT_READ;
  for (int k = 0; k < call->u.call.kwargs.len; k++) {
    const AttrValue *v = &call->u.call.kwargs.items[k].value;
    if (v->kind == ATTR_ENUM && v->enum_id == ENUM_ATOMIC && v->u.i != ATOMIC_NONE)
      return EFFECT_READ_WRITE;
  }
  return EFFECT_WRITE;
}

const Type *deduce_tile_store(OpCall *c) {
  const Type *tile = arg_tile(c, 0), *tensor = tile ? arg_tensor(c, 2) : NULL;
  Dims offsets, partition;
  if (!tensor || !arg_list(c, 1, &offsets)) return NULL;
  if (arg_given(c, 3)) {
    if (!arg_list(c, 3, &partition)) return NULL;
    if (!partition.n || partition.n != offsets.n)
      return op_error(c, "'shapes' has %d dimensions where 'offsets' has %d", partition.n,
                      offsets.n);
  }
  if (kwarg_int(c, "atomic", ATOMIC_NONE) != ATOMIC_NONE && !check_dtype(c, 0, atomic_types))
    return NULL;
  /* A partition, or other ranks: the tile is not a box of the tensor's own dimensions. */
  if (arg_given(c, 3) || tile->rank != tensor->rank || offsets.n != tensor->rank) return tensor;
  Dims before = valid_of(tensor);
  RegionWrite write = {
      .target = dims_of(tensor),
      .target_valid = before,
      .source = dims_of(tile),
      .source_valid = valid_of(tile),
      .offsets = offsets,
      .remedy =
          "offset and tile must be in the tensor's own coordinates: a tile read through a "
          "transposed view is stored through a transposed view",
  };
  Dims after = write_union_valid(c, &write);
  if (!after.at) return NULL;
  if (dims_equivalent(before, after)) return tensor;
  TensorView v = tensor->tensor_view ? *tensor->tensor_view : (TensorView){.layout = LAYOUT_ND};
  v.valid_shape = after.at;
  v.nvalid = (uint16_t)after.n;
  return type_with_tensor_view(c->ir, tensor, &v);
}

/* ---- move ---- */

static bool is_scale_space(MemSpace s) { return s == MEM_LEFT_SCALE || s == MEM_RIGHT_SCALE; }

/* The layout in which a tile arrives: the destination's, where it has one of its own. */
static void set_move_layout(OpCall *c, TileView *v, const TileView *src, Dims shape, DType dtype,
                            MemSpace space) {
  TileView flat = tile_view_plain();
  tile_view_set_layout(c->ir, v, shape, dtype, space);
  tile_view_set_layout(c->ir, &flat, shape, dtype, MEM_NONE);
  if (v->blayout == flat.blayout && v->slayout == flat.slayout && v->fractal == flat.fractal) {
    v->blayout = src->blayout;
    v->slayout = src->slayout;
  }
  /* L0B is row-major in blocks even for a column. */
  if (space == MEM_RIGHT) v->blayout = TILE_LAYOUT_ROW_MAJOR;
}

static bool check_scale_move(OpCall *c, const Type *tile, const TileView *src, MemSpace space) {
  TileLayout wanted = space == MEM_LEFT_SCALE ? TILE_LAYOUT_ROW_MAJOR : TILE_LAYOUT_COL_MAJOR;
  if (tile->rank != 2 || tile->space != MEM_MAT) {
    op_error(c, "only a tile of 2 dimensions in Mat can be moved into %s", mem_name(space));
    return false;
  }
  if (!check_dtype(c, 0, mx_scale_types)) return false;
  if (src->blayout == wanted && src->slayout == wanted && src->fractal == MX_FRACTAL) return true;
  op_error(c, "a tile moved into %s must be laid out %s in %s with fractal %d", mem_name(space),
           enum_name(ENUM_TILE_LAYOUT, wanted), enum_name(ENUM_TILE_LAYOUT, wanted), MX_FRACTAL);
  return false;
}

const Type *deduce_tile_move(OpCall *c) {
  const Type *tile = arg_tile(c, 0);
  if (!tile) return NULL;
  MemSpace space = kwarg_mem(c, "target_memory");
  if (space == MEM_NONE) return op_error(c, "'target_memory' must be given");
  TileView src = tile_view_of(c->ir, tile), v = tile_view_plain();
  set_move_layout(c, &v, &src, dims_of(tile), tile->dtype, space);
  TileLayout blayout = (TileLayout)kwarg_int(c, "blayout", v.blayout);
  TileLayout slayout = (TileLayout)kwarg_int(c, "slayout", v.slayout);
  if (is_scale_space(space) && (blayout != v.blayout || slayout != v.slayout))
    return op_error(c, "the layout of %s is fixed; leave 'blayout' and 'slayout' out",
                    mem_name(space));
  v.blayout = blayout;
  v.slayout = slayout;
  v.pad = src.pad;
  tile_view_set_valid(&v, valid_of(tile));
  DType dtype = tile->dtype;
  if (is_scale_space(space)) {
    if (!check_scale_move(c, tile, &src, space)) return NULL;
    dtype = DT_FP8E8M0;
  }
  return tile_result(c->ir, dims_of(tile), dtype, &v, space);
}

/* ---- single elements ---- */

static bool check_indices(OpCall *c, const Type *tile) {
  const Expr *e = c->args[1];
  if (e->type->kind != TYPE_TUPLE || e->type->nelems != tile->rank) {
    op_error(c, "'indices' must have one index for each of %d dimensions", tile->rank);
    return false;
  }
  for (int i = 0; i < e->type->nelems; i++) {
    const Type *t = e->type->elems[i];
    if (type_is_scalar(t) && dtype_is_int(t->dtype)) continue;
    op_error(c, "index %d must be an integer", i);
    return false;
  }
  return true;
}

const Type *deduce_tile_read(OpCall *c) {
  const Type *tile = arg_tile(c, 0);
  return tile && check_indices(c, tile) ? type_scalar(c->ir, tile->dtype) : NULL;
}

const Type *deduce_tile_write(OpCall *c) {
  const Type *tile = arg_tile(c, 0),
             *value = tile && check_indices(c, tile) ? arg_scalar(c, 2) : NULL;
  if (!value || value->dtype == tile->dtype) return value ? tile : NULL;
  return op_error(c, "'value' must have the tile's element type %s, not %s",
                  dtype_name(tile->dtype), dtype_name(value->dtype));
}

const Type *deduce_tile_alloc(OpCall *c) { return type_simple(c->ir, TYPE_PTR); }

const Type *deduce_tile_index(OpCall *c) { return type_scalar(c->ir, DT_INDEX); }
