/* convert_memory.c -- slices, writes into tensors and tiles, padding, copies. */
#include "ir/ops/deduce_region.h"
#include "passes/tensor_to_tile/convert.h"

Expr *convert_slice(Conv *c) {
  SliceWindow w;
  if (!conv_slice_window(c, &w)) return NULL;
  if (type_is_tile(c->args[0]->type)) {
    AttrList kw = NO_KWARGS;
    const AttrValue *pad = key_get(c->kwargs, KEY_PAD_VALUE);
    if (pad) kw = conv_kw(c, kw, "pad_value", *pad);
    return conv_op(c, OP_TILE_SLICE, c->args, c->nargs, kw);
  }
  Expr *load = CONV_OP(c, OP_TILE_LOAD, conv_kw_space(c, MEM_VEC), c->args[0], w.offset_arg,
                       w.shape_arg, conv_tuple(c, w.valid.at, w.valid.n));
  if (!w.ndrop) return load;
  Dims kept = dims_without(c->ir, w.shape, w.drop);
  return CONV_OP(c, OP_TILE_RESHAPE, NO_KWARGS, conv_bind(c, "slice_load", load),
                 conv_tuple(c, kept.at, kept.n));
}

Expr *convert_assemble(Conv *c) {
  Expr *target = c->args[0], *source = c->args[1], *offset = c->args[2];
  bool from_tile = type_is_tile(source->type), into_tile = type_is_tile(target->type);
  bool atomic = conv_int(c, "atomic", ATOMIC_NONE) == ATOMIC_ADD;
  if (from_tile && !into_tile) {
    AttrList kw = NO_KWARGS;
    if (atomic) kw = conv_kw(c, kw, "atomic", *key_get(c->kwargs, KEY_ATOMIC));
    return CONV_OP(c, OP_TILE_STORE, kw, source, offset, target);
  }
  if (into_tile) {
    if (atomic)
      return conv_error(
          c, "atomic=AtomicType.Add needs a tensor in global memory as target, not a tile");
    if (!from_tile) source = conv_load_whole(c, "assemble_src", source, false);
    return CONV_OP(c, OP_TILE_ASSEMBLE, NO_KWARGS, target, source, offset);
  }
  if (atomic)
    return conv_error(c, "atomic=AtomicType.Add needs a computed value as source, not a tensor");
  return conv_op(c, OP_TENSOR_ASSEMBLE, c->args, c->nargs, c->kwargs);
}

Expr *convert_create(Conv *c) {
  const AttrValue *given = key_get(c->kwargs, KEY_DTYPE);
  DType dtype = given ? given->u.dtype : DT_FP32;
  if (c->op->id == OP_TENSOR_CREATE_L1) {
    AttrList kw = conv_kw(c, conv_kw_tile(c, dtype, MEM_MAT), "transpose",
                          attr_of_bool(conv_flag(c, "transpose", false)));
    return CONV_OP(c, OP_TILE_CREATE, kw, c->args[0]);
  }
  Expr *tile = CONV_OP(c, OP_TILE_CREATE, conv_kw_tile(c, dtype, MEM_VEC), c->args[0]);
  if (!tile) return NULL;
  int64_t bytes = type_num_bytes(tile->type), room = c->target->spaces[MEM_VEC].capacity;
  if (room && bytes > room)
    return conv_error(c, "a tile of %lld bytes does not fit Vec, which has %lld", (long long)bytes,
                      (long long)room);
  return tile;
}

Expr *convert_fillpad(Conv *c) {
  bool expand = c->op->id == OP_TENSOR_FILLPAD_EXPAND;
  Expr *input = c->args[0];
  if (!type_is_tile(input->type))
    input = conv_load_whole(c, expand ? "fillpad_expand_src" : "fillpad_src", input, true);
  if (expand) return CONV_OP(c, OP_TILE_FILLPAD_EXPAND, c->kwargs, input, c->args[1]);
  return CONV_OP(c, OP_TILE_FILLPAD, c->kwargs, input);
}

/* tensor.read and tensor.write: single elements of a tensor stay what they are. */
Expr *convert_element(Conv *c) {
  bool read = c->op->id == OP_TENSOR_READ;
  OpId to = type_is_tile(c->args[0]->type) ? (read ? OP_TILE_READ : OP_TILE_WRITE) : c->op->id;
  return conv_op(c, to, c->args, c->nargs, c->kwargs);
}

Expr *convert_transpose(Conv *c) {
  if (!type_is_tile(c->args[0]->type)) return conv_error(c, "the operand is not a tile here");
  return CONV_OP(c, OP_TILE_TRANSPOSE, NO_KWARGS, c->args[0], c->args[1], c->args[2]);
}

/* ---------------------------------------------------------------- expand_clone */

/* The dimension in which `from` is 1 and `to` is not; -1: none, -2 after an error. */
static int grown_dim(Conv *c, const Type *from, const Type *to) {
  int grown = -1;
  for (int i = 0; i < 3; i++) {
    if (dims_same(c->ir, from->shape[i], to->shape[i])) continue;
    if (!extent_is_const(from->shape[i], 1) || grown >= 0) {
      conv_error(c, "one dimension may grow, and only from 1");
      return -2;
    }
    grown = i;
  }
  return grown;
}

static Expr *load_part(Conv *c, const char *name, Expr *tensor, Expr *offsets, Dims shape,
                       Dims valid) {
  return conv_bind(c, name,
                   CONV_OP(c, OP_TILE_LOAD, conv_kw_space(c, MEM_VEC), tensor, offsets,
                           conv_tuple(c, shape.at, shape.n), conv_tuple(c, valid.at, valid.n)));
}

/* One store of the whole input for each index of dimension 0. */
static Expr *clone_dim0(Conv *c, Expr *input, Expr *target) {
  Expr *tile = conv_load_whole(c, "expand_clone_input", input, true);
  ConvLoop l;
  conv_loop_begin(&l, c, target->type->shape[0], "i", "expand_clone_acc", "expand_clone_d0_result",
                  target);
  Expr *at = CONV_TUPLE(c, l.var, conv_index(c, 0), conv_index(c, 0));
  return conv_loop_end(&l, conv_bind(c, "expand_clone_d0_store",
                                     CONV_OP(c, OP_TILE_STORE, NO_KWARGS, tile, at, l.carried)));
}

/* Row by row: the row is repeated downward and stored. */
static Expr *clone_dim1(Conv *c, Expr *input, Expr *target) {
  const Type *to = target->type;
  ConvLoop l;
  conv_loop_begin(&l, c, to->shape[0], "i", "expand_clone_acc", "expand_clone_d1_result", target);
  Expr *at = CONV_TUPLE(c, l.var, conv_index(c, 0), conv_index(c, 0));
  Expr *row[] = {conv_index(c, 1), conv_index(c, 1), valid_of(input->type).at[2]};
  Expr *tile = load_part(c, "expand_clone_d1_input", input, at, (Dims){row, 3}, (Dims){row, 3});
  Expr *block = CONV_TUPLE(c, conv_index(c, 1), to->shape[1], to->shape[2]);
  Expr *into = conv_scratch(c, "expand_clone_d1_target", block, input->type->dtype);
  Expr *wide =
      conv_bind(c, "expand_clone_d1_col", CONV_OP(c, OP_TILE_COL_EXPAND, NO_KWARGS, into, tile));
  return conv_loop_end(&l, conv_bind(c, "expand_clone_d1_store",
                                     CONV_OP(c, OP_TILE_STORE, NO_KWARGS, wide, at, l.carried)));
}

static Expr *clone_dim2(Conv *c, Expr *input, Expr *target) {
  Expr *tile = conv_load_whole(c, "expand_clone_input", input, true);
  Expr *into =
      conv_scratch(c, "expand_clone_d2_target", conv_shape(c, target->type), input->type->dtype);
  Expr *wide =
      conv_bind(c, "expand_clone_d2_row", CONV_OP(c, OP_TILE_ROW_EXPAND, NO_KWARGS, into, tile));
  return CONV_OP(c, OP_TILE_STORE, NO_KWARGS, wide, conv_zeros(c, 3), target);
}

Expr *convert_expand_clone(Conv *c) {
  Expr *input = c->args[0], *target = c->args[1];
  if (input->type->kind != TYPE_TENSOR || target->type->kind != TYPE_TENSOR)
    return conv_error(c, "both operands must be tensors in global memory");
  if (input->type->rank != 3 || target->type->rank != 3)
    return conv_error(c, "both operands must have three dimensions");
  switch (grown_dim(c, input->type, target->type)) {
    case 0: return clone_dim0(c, input, target);
    case 1: return clone_dim1(c, input, target);
    case 2: return clone_dim2(c, input, target);
    case -1:
      return CONV_OP(c, OP_TILE_STORE, NO_KWARGS,
                     conv_load_whole(c, "expand_clone_input", input, true), conv_zeros(c, 3),
                     target);
    default: return NULL;
  }
}
