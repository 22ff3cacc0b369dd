/* deduce_tile_view.c -- windows, shapes and layouts of tiles. */
#include "ir/ops/deduce.h"
#include "ir/ops/deduce_common.h"
#include "ir/ops/deduce_region.h"

/* ---- slice ---- */

/* Tiles have at least two dimensions: missing ones are put in front. */
static Dims fill_to_two(Ir *ir, Dims d, DType dtype, Span at) {
  if (d.n >= 2) return d;
  Dims r = dims_new(ir, 2);
  for (int i = 0; i < 2; i++)
    r.at[i] = i < 2 - d.n ? expr_int(ir, 1, dtype, at) : d.at[i - (2 - d.n)];
  return r;
}

/* A window shares the buffer, hence the layout that is written down for it. */
static TileView slice_view(OpCall *c, const Type *src, Dims shape) {
  TileView v = tile_view_plain();
  if (src->tile_view) {
    v.blayout = src->tile_view->blayout;
    v.slayout = src->tile_view->slayout;
    v.fractal = src->tile_view->fractal;
    v.pad = src->tile_view->pad;
    v.compact = src->tile_view->compact;
  } else {
    tile_view_set_layout(c->ir, &v, shape, src->dtype, MEM_NONE);
  }
  v.pad = (PadValue)kwarg_int(c, "pad_value", v.pad);
  return v;
}

const Type *deduce_tile_slice(OpCall *c) {
  Ir *ir = c->ir;
  const Type *src = arg_tile(c, 0);
  Dims shape, offsets, asked = {0};
  if (!src || !arg_const_shape(c, 1, &shape) || !arg_index_list(c, 1, &shape) ||
      !arg_index_list(c, 2, &offsets) || (arg_given(c, 3) && !arg_index_list(c, 3, &asked)))
    return NULL;
  if (offsets.n != shape.n)
    return op_error(c, "'offset' has %d dimensions where 'shape' has %d", offsets.n, shape.n);
  WindowRead read = {
      .physical = dims_of(src),
      .valid = valid_of(src),
      .offsets = offsets,
      .window = shape,
      .requested = asked,
      .exact = true,
      .remedy =
          "a window on chip is not cut off at the edge: load with clamp=True, then slice within",
  };
  Dims valid = {window_read_valid(c, &read), shape.n};
  if (!valid.at) return NULL;
  bool *drop = NEW_ARRAY(ir->arena, bool, shape.n);
  int dropped = drop_dims_read(c, arg_given(c, 4) ? c->args[4] : NULL, shape, valid, drop);
  if (dropped < 0) return NULL;
  if (dropped) {
    DType dtype = shape.at[0]->type->dtype;
    shape = fill_to_two(ir, dims_without(ir, shape, drop), dtype, c->args[1]->span);
    valid = fill_to_two(ir, dims_without(ir, valid, drop), dtype, c->args[1]->span);
  }
  TileView v = slice_view(c, src, shape);
  tile_view_set_valid(&v, valid);
  return tile_result(ir, shape, src->dtype, &v, MEM_NONE);
}

/* ---- extract ---- */

/* The layout in which pto.textract writes: L0A and L0B differ from where pto.tmov writes. */
static void set_extract_layout(OpCall *c, TileView *v, Dims shape, DType dtype, MemSpace space) {
  tile_view_set_layout(c->ir, v, shape, dtype, space);
  if (space != MEM_LEFT && space != MEM_RIGHT) return;
  v->blayout = TILE_LAYOUT_ROW_MAJOR;
  v->slayout = space == MEM_LEFT ? TILE_LAYOUT_ROW_MAJOR : TILE_LAYOUT_COL_MAJOR;
  /* A tail that does not fill its box is copied by its valid extents, which is the compact form. */
  Dims valid = {v->valid_shape, v->nvalid};
  if (!dims_equivalent(valid, shape)) v->compact = COMPACT_NORMAL;
}

const Type *deduce_tile_extract(OpCall *c) {
  const Type *src = arg_tile(c, 0);
  Dims shape;
  if (!src || !arg_index(c, 1) || !arg_index(c, 2) || !arg_const_shape(c, 3, &shape) ||
      !arg_index_list(c, 3, &shape))
    return NULL;
  if (src->rank != 2 || shape.n != 2)
    return op_error(c, "source (%d) and shape (%d) must have 2 dimensions", src->rank, shape.n);
  WindowRead read = {
      .physical = dims_of(src),
      .valid = valid_of(src),
      .offsets = {&c->args[1], 2},
      .window = shape,
      .exact = true,
  };
  Dims valid = {window_read_valid(c, &read), 2};
  if (!valid.at) return NULL;
  MemSpace space = kwarg_mem(c, "target_memory");
  if (space == MEM_NONE) space = MEM_VEC;
  TileView v = tile_view_plain();
  tile_view_set_valid(&v, valid);
  set_extract_layout(c, &v, shape, src->dtype, space);
  return tile_result(c->ir, shape, src->dtype, &v, space);
}

/* ---- other shapes and types over the same bytes ---- */

const Type *deduce_tile_reshape(OpCall *c) {
  const Type *src = arg_tile(c, 0);
  Dims shape;
  if (!src || !arg_index_list(c, 1, &shape)) return NULL;
  int64_t from, to;
  if (!count_elements(c, dims_of(src), &from) || !count_elements(c, shape, &to)) return NULL;
  if (from >= 0 && to >= 0 && from != to)
    return op_error(c, "%s has %lld elements, the source has %lld", dims_str(c->ir, shape),
                    (long long)to, (long long)from);
  TileView old = tile_view_of(c->ir, src), v = tile_view_plain();
  Dims valid =
      reshape_valid(c, valid_of(src), dims_of(src), shape, old.blayout == TILE_LAYOUT_ROW_MAJOR);
  if (!valid.at) return NULL;
  tile_view_set_layout(c->ir, &v, shape, src->dtype, MEM_NONE);
  tile_view_set_valid(&v, valid);
  v.pad = old.pad;
  v.compact = old.compact;
  return tile_result(c->ir, shape, src->dtype, &v, MEM_NONE);
}

/* Only packed, unboxed tiles have their bytes in an order that another element type can read. */
static bool check_reinterpretable(OpCall *c, const Type *src, const TileView *v) {
  if (!src->rank || v->slayout != TILE_LAYOUT_NONE_BOX)
    op_error(c, "'data' must be an unboxed tile of at least one dimension");
  else if (v->blayout == TILE_LAYOUT_COL_MAJOR && src->rank < 2)
    op_error(c, "a column-major tile must have at least 2 dimensions");
  else if (v->nstride || (v->start_offset && !extent_is_const(v->start_offset, 0)))
    op_error(c, "'data' must be packed, from its buffer's start");
  else
    return true;
  return false;
}

const Type *deduce_tile_reinterpret(OpCall *c) {
  const Type *src = arg_tile(c, 0);
  if (!src) return NULL;
  TileView v = tile_view_of(c->ir, src);
  DType dtype = kwarg_dtype(c, "dtype");
  Dims asked = {0};
  if (dtype == DT_NONE) return op_error(c, "'dtype' must be given");
  if (!check_reinterpretable(c, src, &v) || (arg_given(c, 1) && !arg_index_list(c, 1, &asked)))
    return NULL;
  bool columns = v.blayout == TILE_LAYOUT_COL_MAJOR;
  if (arg_given(c, 1) && asked.n < (columns ? 2 : 1))
    return op_error(c, "'shape' must have at least %d dimensions", columns ? 2 : 1);
  Reinterpret r;
  if (!reinterpret_shapes(c, dims_of(src), valid_of(src), src->dtype, dtype,
                          src->rank - (columns ? 2 : 1), asked, &r))
    return NULL;
  tile_view_set_valid(&v, r.valid.n ? r.valid : r.shape);
  v.pad = reinterpret_pad(v.pad);
  v.nstride = 0;
  v.start_offset = NULL;
  return tile_result(c->ir, r.shape, dtype, &v, src->space);
}

/* ---- transposes ---- */

/* The axis that argument `i` names, negative ones from the end; -1 after an error. */
static int axis_arg(OpCall *c, int i, int rank) {
  int64_t axis;
  if (!expr_const_int(c->args[i], &axis)) {
    op_error(c, "'%s' must be a constant", arg_name(c, i));
    return -1;
  }
  int64_t from_front = axis < 0 ? axis + rank : axis;
  if (from_front >= 0 && from_front < rank) return (int)from_front;
  op_error(c, "'%s' is %lld, the tile has %d dimensions", arg_name(c, i), (long long)axis, rank);
  return -1;
}

static Dims swapped(Ir *ir, Dims d, int a, int b) {
  Dims r = dims_copy(ir, d);
  r.at[a] = d.at[b];
  r.at[b] = d.at[a];
  return r;
}

static bool check_matrix(OpCall *c, const Type *t) {
  if (t->rank >= 2) return true;
  op_error(c, "'%s' must have at least 2 dimensions, not %d", arg_name(c, 0), t->rank);
  return false;
}

static bool check_transpose_scratch(OpCall *c, const Type *src) {
  const Type *tmp = arg_tile(c, 3);
  if (!tmp) return false;
  if (tmp->dtype == src->dtype && tmp->rank == src->rank) return true;
  op_error(c, "'%s' must have the source's element type %s and %d dimensions", arg_name(c, 3),
           dtype_name(src->dtype), src->rank);
  return false;
}

const Type *deduce_tile_transpose(OpCall *c) {
  const Type *src = arg_tile(c, 0);
  if (!src || !check_matrix(c, src) || (arg_given(c, 3) && !check_transpose_scratch(c, src)))
    return NULL;
  int a = axis_arg(c, 1, src->rank), b = a < 0 ? -1 : axis_arg(c, 2, src->rank);
  if (b < 0) return NULL;
  if (a == b) return op_error(c, "both axes are %d", a);
  Dims shape = swapped(c->ir, dims_of(src), a, b);
  TileView v = tile_view_plain();
  tile_view_set_valid(&v, shape);
  return tile_result(c->ir, shape, src->dtype, &v, MEM_NONE);
}

static TileLayout transposed_layout(TileLayout l) {
  if (l == TILE_LAYOUT_NONE_BOX) return l;
  return l == TILE_LAYOUT_ROW_MAJOR ? TILE_LAYOUT_COL_MAJOR : TILE_LAYOUT_ROW_MAJOR;
}

const Type *deduce_tile_transpose_view(OpCall *c) {
  const Type *src = arg_tile(c, 0);
  if (!src || !check_matrix(c, src)) return NULL;
  int n = src->rank;
  TileView v = tile_view_of(c->ir, src);
  v.blayout = transposed_layout(v.blayout);
  v.slayout = transposed_layout(v.slayout);
  v.nstride = 0;
  v.start_offset = NULL;
  tile_view_set_valid(&v, swapped(c->ir, valid_of(src), n - 2, n - 1));
  return tile_result(c->ir, swapped(c->ir, dims_of(src), n - 2, n - 1), src->dtype, &v, src->space);
}

/* ---- writes into tiles, and valid shapes by hand ---- */

/* The accumulator leaves the cube core narrowed: the one conversion an insertion makes. */
static bool check_assemble_types(OpCall *c, DType into, DType from) {
  if (into == from || (from == DT_FP32 && (into == DT_BF16 || into == DT_FP16))) return true;
  op_error(c, "target and source must have the same element type, not %s and %s", dtype_name(into),
           dtype_name(from));
  return false;
}

const Type *deduce_tile_assemble(OpCall *c) {
  const Type *target = arg_tile(c, 0), *source = target ? arg_tile(c, 1) : NULL;
  Dims offsets;
  if (!source || !arg_list(c, 2, &offsets) || !arg_index_list(c, 2, &offsets) ||
      !check_assemble_types(c, target->dtype, source->dtype))
    return NULL;
  Dims valid = dims_of(target);
  if (source->rank == target->rank && offsets.n == target->rank) {
    RegionWrite write = {
        .target = dims_of(target),
        .target_valid = valid_of(target),
        .source = dims_of(source),
        .source_valid = valid_of(source),
        .offsets = offsets,
        .exact = true,
        .remedy = "the whole source is copied, not only its valid part",
    };
    valid = write_union_valid(c, &write);
    if (!valid.at) return NULL;
  }
  TileView v = tile_view_of(c->ir, target);
  tile_view_set_valid(&v, valid);
  return tile_result(c->ir, dims_of(target), target->dtype, &v, target->space);
}

static bool check_valid_extent(OpCall *c, int i, const Expr *bound) {
  int64_t v, b;
  if (!arg_index(c, i)) return false;
  if (!expr_const_int(c->args[i], &v)) return true;
  if (v >= 0 && (!expr_const_int(bound, &b) || v <= b)) return true;
  op_error(c, "'%s' is %lld, outside the tile", arg_name(c, i), (long long)v);
  return false;
}

const Type *deduce_tile_set_validshape(OpCall *c) {
  const Type *tile = arg_tile(c, 0);
  if (!tile) return NULL;
  if (tile->rank != 2) return op_error(c, "'tile' must have 2 dimensions, not %d", tile->rank);
  if (!check_valid_extent(c, 1, tile->shape[0]) || !check_valid_extent(c, 2, tile->shape[1]))
    return NULL;
  TileView v = tile_view_of(c->ir, tile);
  tile_view_set_valid(&v, (Dims){&c->args[1], 2});
  return tile_result(c->ir, dims_of(tile), tile->dtype, &v, MEM_NONE);
}

const Type *deduce_tile_concat(OpCall *c) {
  Ir *ir = c->ir;
  const Type *a = arg_tile(c, 0), *b = a ? arg_tile(c, 1) : NULL;
  if (!b) return NULL;
  if (a->dtype != b->dtype || a->rank != 2 || b->rank != 2)
    return op_error(c, "both tiles must have 2 dimensions and one element type, not %s and %s",
                    dtype_name(a->dtype), dtype_name(b->dtype));
  int64_t x, y;
  if (expr_const_int(a->shape[0], &x) && expr_const_int(b->shape[0], &y) && x != y)
    return op_error(c, "the tiles have %lld and %lld rows", (long long)x, (long long)y);
  Expr *cols;
  if (expr_const_int(a->shape[1], &x) && expr_const_int(b->shape[1], &y))
    cols = expr_int(ir, x + y, a->shape[1]->type->dtype, c->span);
  else
    cols = expr_binary(ir, EXPR_ADD, a->shape[1], b->shape[1], DT_INDEX, c->span);
  Dims shape = dims2(ir, a->shape[0], cols);
  TileView v = tile_view_plain();
  tile_view_set_valid(&v, shape);
  return tile_result(ir, shape, a->dtype, &v, MEM_NONE);
}

const Type *deduce_tile_scatter_update(OpCall *c) {
  const Type *t[3];
  for (int i = 0; i < 3; i++)
    if (!(t[i] = arg_tile(c, i))) return NULL;
  const Type *input = t[0], *index = t[1], *src = t[2];
  if (input->rank != 2 && input->rank != 4)
    return op_error(c, "'input' must have 2 or 4 dimensions, not %d", input->rank);
  if (index->rank != 2 || !dtype_is_int(index->dtype))
    return op_error(c, "'index' must have 2 dimensions and integers");
  if (src->rank != input->rank || src->dtype != input->dtype)
    return op_error(c, "'src' must have the input's %d dimensions and element type %s", input->rank,
                    dtype_name(input->dtype));
  if (kwarg_int(c, "dim", -2) != -2) return op_error(c, "'dim' must be -2");
  TileView v = tile_view_of(c->ir, input);
  return tile_result(c->ir, dims_of(input), input->dtype, &v, input->space);
}
