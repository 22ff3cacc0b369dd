#include "passes/composite/chunks.h"

#include "ir/view.h"

bool chunks_check_target(Emit *e, const Expr *call) {
  const Type *t = call->u.call.args[0]->type;
  const TensorView *v = t->tensor_view;
  if (!v) return true;
  if (v->layout != LAYOUT_ND) {
    composite_error(e, call, "the target of %s must have layout ND", expr_op(call)->name);
    return false;
  }
  if (!v->nstride) return true;
  Expr **packed = packed_strides(e->ir, t->shape, t->rank, LAYOUT_ND);
  if (packed && dims_equal(v->stride, v->nstride, packed, t->rank)) return true;
  composite_error(e, call, "the target of %s must be packed, to be seen in another shape",
                  expr_op(call)->name);
  return false;
}

Expr *const *chunks_partial(const Type *target) {
  const TensorView *v = target->tensor_view;
  return v && v->nvalid == target->rank ? v->valid_shape : NULL;
}

bool chunks_is_prefix(Expr *const *valid, Expr *const *shape, int n) {
  int i = 0;
  int64_t extent;
  while (i < n && expr_const_int(valid[i], &extent) && extent == 1) i++;
  for (i++; i < n; i++)
    if (!dim_equal(valid[i], shape[i])) return false;
  return true;
}

Expr *chunks_product(Emit *e, Expr *const *dims, int n) {
  Expr *product = dims[0];
  for (int i = 1; i < n; i++) {
    int64_t a, b, folded;
    bool left = expr_const_int(product, &a), right = expr_const_int(dims[i], &b);
    if (left && right && !__builtin_mul_overflow(a, b, &folded))
      product = comp_index(e, folded);
    else if ((left && a == 0) || (right && b == 0))
      product = comp_index(e, 0);
    else if (left && a == 1)
      product = dims[i];
    else if (!right || b != 1)
      product = comp_binary(e, EXPR_MUL, product, dims[i]);
  }
  return product;
}

Expr *chunks_view(Emit *e, Expr *target, Expr *rows, Expr *cols, Expr *valid_rows,
                  Expr *valid_cols) {
  AttrList none = {0};
  Expr *shape = comp_pair(e, rows, cols);
  Expr *view = valid_rows ? comp_call(e, OP_TENSOR_VIEW, none, 3, target, shape,
                                      comp_pair(e, valid_rows, valid_cols))
                          : comp_call(e, OP_TENSOR_VIEW, none, 2, target, shape);
  return comp_bind(e, "target_2d", view);
}

void chunks_size(Emit *e, Chunks *c, Expr *most) {
  DType dtype = c->target->type->dtype;
  int64_t n, limit = CHUNK_BYTES / dtype_get_byte(dtype);
  c->block = BLOCK_BYTES / dtype_get_byte(dtype);
  c->whole_blocks = dtype == DT_FP16;
  bool small = expr_const_int(most, &n) && n > 0 && n < limit;
  c->chunk = comp_index(e, small ? (n + c->block - 1) / c->block * c->block : limit);
  c->shape = comp_pair(e, comp_index(e, 1), c->chunk);
}

Expr *chunks_round_up(Emit *e, Expr *a, Expr *b, bool times) {
  int64_t n;
  Expr *less = expr_const_int(b, &n) && times ? comp_index(e, n - 1)
                                              : comp_binary(e, EXPR_SUB, b, comp_index(e, 1));
  Expr *up = comp_binary(e, EXPR_FLOOR_DIV, comp_binary(e, EXPR_ADD, a, less), b);
  return times ? comp_binary(e, EXPR_MUL, up, b) : up;
}

static Expr *pad(Emit *e, Expr *tile, const char *name) {
  AttrList kw = comp_kw(e, (AttrList){0}, "pad_value", attr_of_enum(ENUM_PAD, PAD_ZERO));
  return comp_bind(e, name, comp_call(e, OP_TILE_FILLPAD_INPLACE, kw, 1, tile));
}

static Expr *narrow(Emit *e, Expr *tile, Expr *cols, const char *name) {
  return comp_bind(
      e, name,
      comp_call(e, OP_TILE_SET_VALIDSHAPE, (AttrList){0}, 3, tile, comp_index(e, 1), cols));
}

Expr *chunks_load(Emit *e, const Chunks *c, Expr *offsets, Expr *cols, const char *loaded,
                  const char *name) {
  Expr *valid = comp_pair(e, comp_index(e, 1), cols);
  return pad(e, comp_bind(e, loaded, comp_load(e, c->row, offsets, c->shape, valid)), name);
}

Expr *chunks_load_peer(Emit *e, const Chunks *c, Expr *peer, Expr *offsets, Expr *cols,
                       const char *name) {
  Arena *a = e->ir->arena;
  AttrList kw = {0};
  Expr *read = cols;
  if (c->whole_blocks) {
    read = chunks_round_up(e, cols, comp_index(e, c->block), true);
    kw = comp_kw(e, kw, "allow_physical_tail_padding", attr_of_bool(true));
  }
  Expr *valid = comp_pair(e, comp_index(e, 1), read);
  Expr *tile = comp_call(e, OP_PLD_TILE_REMOTE_LOAD, kw, 5, c->row, peer, offsets, c->shape, valid);
  tile = comp_bind(e, arena_printf(a, "%s_loaded", name), tile);
  if (c->whole_blocks) tile = narrow(e, tile, cols, arena_printf(a, "%s_tail", name));
  return pad(e, tile, name);
}

void chunks_store(Emit *e, const Chunks *c, Expr *tile, Expr *col, Expr *cols, const char *narrowed,
                  const char *name) {
  Expr *at = comp_pair(e, comp_index(e, 0), col);
  tile = narrow(e, tile, cols, narrowed);
  comp_bind(e, name, comp_call(e, OP_TILE_STORE, (AttrList){0}, 3, tile, at, c->row));
}
