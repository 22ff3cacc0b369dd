/* form_memory.c -- instructions on global memory, elements, arrays, and fixed texts. */
#include <inttypes.h>
#include <string.h>

#include "codegen/pto/forms.h"

bool pto_need_var(PtoFn *f, const Expr *call, int arg) {
  if (expr_is_var(call->u.call.args[arg])) return true;
  pto_error(f, call->span, "operand %d of '%s' must be a variable in a kernel", arg + 1,
            expr_op(call)->name);
  return false;
}

/* A partition of a tensor at `offsets` with `sizes`; literals print as numbers in its type.
 * `sizes_first`: which of the two is computed first. */
static PtoArg partition_at(PtoFn *f, const Expr *tensor, bool sizes_first, Expr *const *offsets,
                           int noffsets, Expr *const *sizes, int nsizes) {
  Name view = pto_tensor_view(f, tensor), view_type = pto_view_type(f, tensor->type);
  Name *o = NEW_ARRAY(f->ir->arena, Name, noffsets), *s = NEW_ARRAY(f->ir->arena, Name, nsizes);
  if (noffsets != nsizes) {
    pto_error(f, NO_SPAN, "%d offsets for %d sizes", noffsets, nsizes);
    return (PtoArg){view, view_type};
  }
  if (sizes_first) pto_dims(f, sizes, nsizes, s);
  pto_offsets(f, offsets, noffsets, o);
  if (!sizes_first) pto_dims(f, sizes, nsizes, s);
  PtoArg a = {.type = pto_partition_type(f, sizes, nsizes, tensor->type->dtype)};
  a.value = pto_partition(f, tensor->u.var.name, view, view_type, a.type, o, s, nsizes);
  return a;
}

PtoArg pto_full_partition(PtoFn *f, const Expr *tensor, const char *hint) {
  const Type *t = tensor->type;
  Name view = pto_tensor_view(f, tensor), view_type = pto_view_type(f, t);
  Name *o = NEW_ARRAY(f->ir->arena, Name, t->rank), *s = NEW_ARRAY(f->ir->arena, Name, t->rank);
  for (int i = 0; i < t->rank; i++) {
    o[i] = pto_const_index(f, 0);
    s[i] = t->shape[i]->kind == EXPR_INT ? pto_const_index(f, t->shape[i]->u.i)
                                         : pto_value(f, t->shape[i]);
  }
  PtoArg a = {.type = pto_partition_type(f, t->shape, t->rank, t->dtype)};
  a.value = pto_partition(f, hint, view, view_type, a.type, o, s, t->rank);
  return a;
}

/* ---- loads and stores ---- */

void form_load(PtoFn *f, const PtoOp *op, Expr *call) {
  if (!pto_need_var(f, call, 0)) return;
  const Expr *tensor = call->u.call.args[0];
  int noffsets, nsizes;
  Expr **offsets = pto_tuple(f, call, 1, &noffsets);
  Expr **sizes = pto_tuple(f, call, call->u.call.nargs >= 4 ? 3 : 2, &nsizes);
  if (!offsets || !sizes || !f->res) return;
  PtoArg p = partition_at(f, tensor, false, offsets, noffsets, sizes, nsizes);
  const TensorView *tv = tensor->type->tensor_view;
  bool mx = tv && (tv->layout == LAYOUT_MX_A_ZZ || tv->layout == LAYOUT_MX_B_NN);
  char outer[48];
  if (mx) snprintf(outer, sizeof outer, "{layout = #pto.layout<%s>}", pto_layout(tv->layout));
  pto_ins_outs(f, op->inst, &p, 1, NULL, mx ? outer : NULL);
}

/* The assigned tensor is the one written to. */
static void result_is_tensor(PtoFn *f, const Expr *tensor, Name view) {
  if (f->res_var) pto_alias_tensor(f, f->res_var, tensor, view);
}

/* Can the chip store from that space to elements of that type?  Reports it if not. */
bool pto_can_store(PtoFn *f, const Expr *call, const Type *tile, const Type *tensor, bool add) {
  const Target *t = f->m->target;
  if (tile->space == MEM_ACC && !(t->acc_store_types >> tensor->dtype & 1)) {
    pto_error(f, call->span,
              "an accumulator cannot be stored as %s on %s; move it to Vec and cast there",
              dtype_name(tensor->dtype), t->name);
    return false;
  }
  if (add && (t->atomic_add_refused >> tensor->dtype & 1)) {
    pto_error(f, call->span,
              "atomic add into %s memory does not exist on %s; add up in FP32 and cast",
              dtype_name(tensor->dtype), t->name);
    return false;
  }
  return true;
}

void form_store(PtoFn *f, const PtoOp *op, Expr *call) {
  if (!pto_need_var(f, call, 0) || !pto_need_var(f, call, 2)) return;
  Expr *tile = call->u.call.args[0], *tensor = call->u.call.args[2];
  bool add = pto_kwarg_int(f, call, "atomic", ATOMIC_NONE) == ATOMIC_ADD;
  if (!pto_can_store(f, call, tile->type, tensor->type, add)) return;
  TileView valid = tile_view_of(f->ir, tile->type);
  if (valid.nvalid != 2) {
    pto_error(f, call->span, "a tile to store must have two dimensions");
    return;
  }
  int n;
  Expr **offsets = pto_tuple(f, call, 1, &n);
  if (!offsets) return;
  /* The extents are computed first, also where an explicit shape replaces them. */
  Name extents[2] = {pto_value(f, valid.valid_shape[0]), pto_value(f, valid.valid_shape[1])};
  Name view = pto_tensor_view(f, tensor), view_type = pto_view_type(f, tensor->type);
  Name tile_value = pto_var_value(f, tile), tile_type = pto_type_of(f, tile);
  Name *o = NEW_ARRAY(f->ir->arena, Name, n), *s = extents;
  Expr *const *dims = valid.valid_shape;
  int ndims = 2;
  bool shaped = tensor->type->rank > 2 && call->u.call.nargs > 3;
  if (shaped) dims = pto_tuple(f, call, 3, &ndims);
  if (!dims || n != ndims) {
    pto_error(f, call->span, "%d offsets for %d sizes", n, ndims);
    return;
  }
  if (shaped) {
    s = NEW_ARRAY(f->ir->arena, Name, ndims);
    pto_dims(f, dims, ndims, s);
  }
  pto_offsets(f, offsets, n, o);
  Name type = pto_partition_type(f, dims, ndims, tensor->type->dtype);
  Name p = pto_partition(f, tensor->u.var.name, view, view_type, type, o, s, n);
  Buf in = {0};
  buf_puts(&in, tile_value);
  if (tile_type) buf_printf(&in, " : %s", tile_type);
  pto_line(f, "%s ins(%s) outs(%s : %s)%s", op->inst, buf_str(&in), p, type,
           add ? " {atomicType = #pto<atomic_type atomic_add>}" : "");
  buf_free(&in);
  result_is_tensor(f, tensor, view);
}

void form_mscatter(PtoFn *f, const PtoOp *op, Expr *call) {
  for (int i = 0; i < 3; i++)
    if (!pto_need_var(f, call, i)) return;
  const Expr *tensor = call->u.call.args[2];
  PtoArg args[2] = {pto_arg(f, call->u.call.args[0]), pto_arg(f, call->u.call.args[1])};
  PtoArg p = pto_full_partition(f, tensor, tensor->u.var.name);
  Buf types = {0};
  pto_put_types(&types, args, 2);
  pto_line(f, "%s ins(%s, %s%s) outs(%s : %s)", op->inst, args[0].value, args[1].value,
           buf_str(&types), p.value, p.type);
  buf_free(&types);
  result_is_tensor(f, tensor, pto_tensor_view(f, tensor));
}

/* What a gather into Vec cannot do on chips that gather linearly; reported. */
static bool vector_gather_fits(PtoFn *f, const Expr *call, bool rows) {
  const Expr *mem = call->u.call.args[0], *idx = call->u.call.args[1];
  const Target *t = f->m->target;
  int64_t index_rows, cols;
  if (rows && !(expr_const_int(idx->type->shape[0], &index_rows) && index_rows == 1)) {
    pto_error(f, call->span, "tile.mgather by rows on %s needs indices of shape [1, R]", t->name);
    return false;
  }
  const TensorView *tv = mem->type->tensor_view;
  TileView v = tile_view_of(f->ir, call->type);
  if ((tv && tv->layout != LAYOUT_ND) || v.blayout != TILE_LAYOUT_ROW_MAJOR ||
      v.slayout != TILE_LAYOUT_NONE_BOX) {
    pto_error(f, call->span, "tile.mgather into Vec on %s goes from ND tensors to row-major tiles",
              t->name);
    return false;
  }
  if (expr_const_int(call->type->shape[1], &cols) &&
      cols * dtype_get_byte(mem->type->dtype) % 32 != 0) {
    pto_error(f, call->span, "tile.mgather into Vec on %s needs rows of a multiple of 32 bytes",
              t->name);
    return false;
  }
  return true;
}

static bool scratch_apart(PtoFn *f, const Expr *call) {
  const Expr *scratch = call->u.call.args[2];
  for (int i = 0; i < 2; i++) {
    const Expr *other = call->u.call.args[i];
    if (scratch != other && !pto_may_overlap(scratch->type, other->type)) continue;
    pto_error(f, call->span, "the scratch tensor of tile.mgather must not overlap its operands");
    return false;
  }
  return true;
}

void form_mgather(PtoFn *f, const PtoOp *op, Expr *call) {
  static const char *const beyond[] = {"undefined", "clamp", "wrap", "zero"};
  if (!pto_need_var(f, call, 0) || !pto_need_var(f, call, 1)) return;
  Expr **args = call->u.call.args;
  bool elems = pto_kwarg_int(f, call, "coalesce", 0) == 1;
  int64_t oob = pto_kwarg_int(f, call, "gather_oob", 0);
  bool mat = pto_kwarg_int(f, call, "target_memory", MEM_VEC) == MEM_MAT;
  const Target *t = f->m->target;
  if (oob < 0 || oob > 3) {
    pto_error(f, call->span, "tile.mgather has no such gather_oob");
    return;
  }
  if ((t->mgather_refused >> args[0]->type->dtype) & 1) {
    pto_error(f, call->span, "tile.mgather cannot gather %s elements on %s",
              dtype_name(args[0]->type->dtype), t->name);
    return;
  }
  if (!mat && t->vector_gather_linear && !vector_gather_fits(f, call, !elems)) return;
  PtoArg in[3] = {pto_full_partition(f, args[0], args[0]->u.var.name)};
  int n = 2;
  if (!mat) {
    in[1] = (PtoArg){pto_var_value(f, args[1]), pto_type_of(f, args[1])};
  } else {
    in[1] = pto_full_partition(f, args[1], args[1]->u.var.name);
    if (elems) {
      if (call->u.call.nargs < 3 || !pto_need_var(f, call, 2) || !scratch_apart(f, call)) return;
      in[n++] = pto_full_partition(f, args[2], args[2]->u.var.name);
    }
  }
  char outer[96];
  int len = snprintf(outer, sizeof outer, "{coalesce = #pto<coalesce %s>", elems ? "elem" : "row");
  if (oob)
    len += snprintf(outer + len, sizeof outer - (size_t)len, ", gatherOob = #pto<gather_oob %s>",
                    beyond[oob]);
  snprintf(outer + len, sizeof outer - (size_t)len, "}");
  pto_ins_outs(f, op->inst, in, n, NULL, outer);
}

/* ---- elements ---- */

void form_tile_read(PtoFn *f, const PtoOp *op, Expr *call) {
  Expr *tile = call->u.call.args[0];
  int n;
  Expr **indices = pto_tuple(f, call, 1, &n);
  if (!indices) return;
  PtoArg a = pto_arg(f, tile);
  Name offset = pto_flat_offset(f, indices, n, tile->type->shape, tile->type->rank);
  pto_line(f, "%s = %s ins(%s, %s : %s, index) outs : %s", f->res ? f->res : pto_new(f), op->inst,
           a.value, offset, a.type ? a.type : "", pto_dtype(f, tile->type->dtype));
}

void form_tile_write(PtoFn *f, const PtoOp *op, Expr *call) {
  Expr *tile = call->u.call.args[0];
  int n;
  Expr **indices = pto_tuple(f, call, 1, &n);
  if (!indices) return;
  PtoArg a = pto_arg(f, tile), value = pto_arg(f, call->u.call.args[2]);
  Name offset = pto_flat_offset(f, indices, n, tile->type->shape, tile->type->rank);
  Buf b = {0};
  buf_printf(&b, "%s ins(%s, %s : index", op->inst, offset, value.value);
  if (value.type) buf_printf(&b, ", %s", value.type);
  buf_printf(&b, ") outs(%s", a.value);
  if (a.type) buf_printf(&b, " : %s", a.type);
  pto_line(f, "%s)", buf_str(&b));
  buf_free(&b);
  if (f->res_var) pto_bind(f, f->res_var, a.value);
}

void form_tensor_read(PtoFn *f, const PtoOp *op, Expr *call) {
  Expr *tensor = call->u.call.args[0];
  int n;
  Expr **indices = pto_tuple(f, call, 1, &n);
  if (!indices || !pto_need_var(f, call, 0)) return;
  Name ptr = pto_base_ptr(f, tensor);
  Name offset = pto_flat_offset(f, indices, n, tensor->type->shape, tensor->type->rank);
  pto_line(f, "%s = %s %s[%s] : !pto.ptr<%s> -> %s", f->res ? f->res : pto_new(f), op->inst, ptr,
           offset, pto_dtype(f, tensor->type->dtype), pto_dtype(f, call->type->dtype));
}

void form_tensor_write(PtoFn *f, const PtoOp *op, Expr *call) {
  Expr *tensor = call->u.call.args[0];
  int n;
  Expr **indices = pto_tuple(f, call, 1, &n);
  if (!indices || !pto_need_var(f, call, 0)) return;
  Name ptr = pto_base_ptr(f, tensor);
  PtoArg value = pto_arg(f, call->u.call.args[2]);
  Name offset = pto_flat_offset(f, indices, n, tensor->type->shape, tensor->type->rank);
  Buf b = {0};
  buf_printf(&b, "%s %s, %s[%s] : !pto.ptr<%s>", op->inst, value.value, ptr, offset,
             pto_dtype(f, tensor->type->dtype));
  if (value.type) buf_printf(&b, ", %s", value.type);
  pto_line(f, "%s", buf_str(&b));
  buf_free(&b);
  if (!f->res_var) return;
  pto_alias_tensor(f, f->res_var, tensor, ptr);
  pto_var(f, f->res_var)->base_ptr = ptr;
}

void form_tensor_dim(PtoFn *f, const PtoOp *op, Expr *call) {
  (void)op;
  const Type *t = call->u.call.args[0]->type;
  int64_t axis, size;
  if (!expr_const_int(call->u.call.args[1], &axis) || axis < 0 || axis >= t->rank) {
    pto_error(f, call->span, "the axis of tensor.dim must be a constant below %d", t->rank);
    return;
  }
  Expr *dim = t->shape[axis];
  Name value = NULL;
  if (expr_is_var(dim))
    value = pto_var_value(f, dim);
  else if (expr_const_int(dim, &size))
    value = pto_const_index(f, size);
  else
    pto_error(f, call->span,
              "tensor.dim of a dimension that is computed cannot be used in a kernel");
  if (value && f->res_var) pto_bind(f, f->res_var, value);
}

void form_tensor_view(PtoFn *f, const PtoOp *op, Expr *call) {
  (void)op;
  if (!pto_need_var(f, call, 0) || !f->res_var) return;
  const Type *t = f->res_var->type;
  if (!type_is_tensor(t) || !t->tensor_view || t->tensor_view->nstride != t->rank) {
    pto_error(f, call->span, "tensor.view in a kernel needs a result with explicit strides");
    return;
  }
  Expr *source = call->u.call.args[0];
  Name ptr = pto_base_ptr(f, source);
  pto_alias_tensor(f, f->res_var, source, f->res);
  Name *shape = NEW_ARRAY(f->ir->arena, Name, t->rank),
       *stride = NEW_ARRAY(f->ir->arena, Name, t->rank);
  pto_dims(f, t->shape, t->rank, shape);
  pto_dims(f, t->tensor_view->stride, t->rank, stride);
  pto_print_view_line(f, f->res, ptr, shape, stride, t->rank, t->tensor_view->layout,
                      pto_view_type(f, t));
}

/* ---- arrays ---- */

void form_array_create(PtoFn *f, const PtoOp *op, Expr *call) {
  pto_line(f, "%s = %s -> %s", f->res ? f->res : pto_new(f), op->inst,
           pto_array_type(f, call->type));
}

void form_array_get(PtoFn *f, const PtoOp *op, Expr *call) {
  Expr *array = call->u.call.args[0];
  Name value = pto_value(f, array), index = pto_index_operand(f, call->u.call.args[1]);
  pto_line(f, "%s = %s %s[%s] : %s -> %s", f->res ? f->res : pto_new(f), op->inst, value, index,
           pto_array_type(f, array->type), pto_dtype(f, array->type->dtype));
}

/* The value as the array's element type. */
static Name as_element(PtoFn *f, Expr *e, DType to) {
  Name value = pto_value(f, e);
  DType from = e->type->kind == TYPE_SCALAR ? e->type->dtype : to;
  if (from == to) return value;
  const char *inst = from == DT_INDEX || to == DT_INDEX   ? "arith.index_cast"
                     : dtype_bits(from) > dtype_bits(to)  ? "arith.trunci"
                     : dtype_bits(from) == dtype_bits(to) ? "builtin.unrealized_conversion_cast"
                     : dtype_is_unsigned(from)            ? "arith.extui"
                                                          : "arith.extsi";
  Name r = pto_new(f);
  pto_line(f, "%s = %s %s : %s to %s", r, inst, value, pto_dtype(f, from), pto_dtype(f, to));
  return r;
}

void form_array_set(PtoFn *f, const PtoOp *op, Expr *call) {
  Expr *array = call->u.call.args[0];
  Name value = pto_value(f, array), index = pto_index_operand(f, call->u.call.args[1]);
  Name elem = as_element(f, call->u.call.args[2], array->type->dtype);
  pto_line(f, "%s %s[%s], %s : %s, %s", op->inst, value, index, elem,
           pto_array_type(f, array->type), pto_dtype(f, array->type->dtype));
}

/* ---- fixed texts ---- */

void form_spmd_index(PtoFn *f, const PtoOp *op, Expr *call) {
  (void)call;
  const Name from[] = {[INDEX_BLOCK] = f->block_idx_arg,
                       [INDEX_BLOCKS] = f->block_num_arg,
                       [INDEX_SUBBLOCK] = f->subblock_arg};
  Name r = f->res ? f->res : pto_new(f);
  pto_line(f, "%s = arith.index_cast %s : i32 to index", r, from[op->param]);
  f->expr_value = r;
}

void form_fixed(PtoFn *f, const PtoOp *op, Expr *call) {
  (void)call;
  pto_line(f, "%s", op->inst);
}

void form_cache_invalid(PtoFn *f, const PtoOp *op, Expr *call) {
  if (!call->u.call.nargs) {
    pto_line(f, "%s all #pto.address_space<gm>", op->inst);
    return;
  }
  if (call->u.call.nargs != 3 || !pto_need_var(f, call, 0)) {
    pto_error(f, call->span, "system.cacheinvalid takes nothing, or a tensor, a shape and offsets");
    return;
  }
  const Expr *tensor = call->u.call.args[0];
  int nsizes, noffsets;
  Expr **sizes = pto_tuple(f, call, 1, &nsizes), **offsets = pto_tuple(f, call, 2, &noffsets);
  if (!sizes || !offsets) return;
  PtoArg p = partition_at(f, tensor, true, offsets, noffsets, sizes, nsizes);
  pto_line(f, "%s %s single_cache_line : %s", op->inst, p.value, p.type);
}
