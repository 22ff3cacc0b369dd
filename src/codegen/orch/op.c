/* Operators of an orchestration: views, element access, arrays. */
#include "codegen/orch/orch.h"

static Expr *arg(const Expr *call, int i) {
  return i < call->u.call.nargs ? call->u.call.args[i] : NULL;
}

static int tuple_len(const Expr *e) { return e && e->kind == EXPR_TUPLE ? e->u.tuple.len : 0; }

/* `uint32_t NAME[N] = {a, b};` from pieces already written. */
static void array_line(Orch *o, const char *name, const char **items, int n) {
  Buf b = {0};
  buf_printf(&b, "uint32_t %s[%d] = {", name, n);
  for (int i = 0; i < n; i++) buf_printf(&b, "%s%s", i ? ", " : "", items[i]);
  orch_line(o, "%s};", buf_str(&b));
  buf_free(&b);
}

/* ---- slice ---- */

/* Offsets in the runtime's units.  FP4 offsets must not split a byte. */
static const char *slice_offset(Orch *o, const Expr *call, const Expr *e, DType dtype, int axis,
                                int rank, Name x) {
  if (dtype != DT_FP4 || axis + 1 != rank) return orch_u32(o, e);
  int64_t value;
  if (!expr_const_int(e, &value)) {
    orch_line(o, "uint32_t %s_logical_fp4_offset = %s;", x, orch_u32(o, e));
    orch_line(o, "always_assert((%s_logical_fp4_offset & 1u) == 0u);", x);
    return orch_text(o, "(%s_logical_fp4_offset / 2)", x);
  }
  if (value < 0 || value % 2 != 0)
    orch_error(
        o, call->span,
        "tensor.slice: the last offset of an FP4 tensor must be even and not negative, but is %lld",
        (long long)value);
  return orch_text(o, "%lld", (long long)(value / 2));
}

static bool drops(const Expr *dims, int axis) {
  int64_t v;
  for (int i = 0; i < tuple_len(dims); i++)
    if (expr_const_int(dims->u.tuple.elems[i], &v) && v == axis) return true;
  return false;
}

/* A view without its dropped axes: the runtime has no such operation, so shape, strides and
 * contiguity are set by hand. */
static void reduce_rank(Orch *o, Name x, const Expr *dims, int rank) {
  int kept = 0;
  orch_line(o, "bool %s_empty = %s_view.numel() == 0;", x, x);
  orch_line(o, "ChipTensor %s = %s_view;", x, x);
  for (int i = 0; i < rank; i++) kept += !drops(dims, i);
  orch_line(o, "%s.ndims = %d;", x, kept);
  for (int i = 0, to = 0; i < rank; i++) {
    if (drops(dims, i)) continue;
    orch_line(o, "%s.shapes[%d] = %s_view.shapes[%d];", x, to, x, i);
    orch_line(o, "%s.strides[%d] = %s_view.strides[%d];", x, to++, x, i);
  }
  orch_line(o, "if (%s_empty) %s.shapes[0] = 0;", x, x);
  orch_line(o, "uint64_t %s_expected_stride = 1;", x);
  orch_line(o, "bool %s_contiguous = true;", x);
  orch_line(o, "for (int32_t i = static_cast<int32_t>(%s.ndims) - 1; i >= 0; --i) {", x);
  orch_line(o, "  %s_contiguous = %s_contiguous && (%s.strides[i] == %s_expected_stride);", x, x, x,
            x);
  orch_line(o, "  %s_expected_stride *= %s.shapes[i];", x, x);
  orch_line(o, "}");
  orch_line(o, "%s.is_contiguous = %s_empty || %s_contiguous;", x, x, x);
}

static void op_slice(Orch *o, const Expr *call, Name x) {
  Expr *source = arg(call, 0), *shape = arg(call, 1), *offset = arg(call, 2),
       *dropped = arg(call, 4);
  Name s = orch_tensor(o, source);
  int n = tuple_len(shape);
  if (!s || tuple_len(offset) != n) return;
  DType dtype = source->type->dtype;
  const char **items = NEW_ARRAY(o->ir->arena, const char *, n);
  for (int i = 0; i < n; i++)
    items[i] = slice_offset(o, call, offset->u.tuple.elems[i], dtype, i, n, x);
  array_line(o, orch_text(o, "%s_offsets", x), items, n);
  /* An extent is cut to what the source has left, so that a view never reaches past its source. */
  for (int i = 0; i < n; i++)
    items[i] =
        orch_text(o,
                  "(%s_offsets[%d] >= %s.shapes[%d] ? 0u : std::min<uint32_t>(%s, %s.shapes[%d] - "
                  "%s_offsets[%d]))",
                  x, i, s, i, orch_extent(o, shape->u.tuple.elems[i], dtype, i, n), s, i, x, i);
  array_line(o, orch_text(o, "%s_shapes", x), items, n);
  bool reduced = tuple_len(dropped) > 0;
  orch_line(o, "ChipTensor %s%s = %s.view(%s_shapes, %s_offsets);", x, reduced ? "_view" : "", s, x,
            x);
  if (reduced) reduce_rank(o, x, dropped, n);
}

/* ---- other views ---- */

static void reshape_to(Orch *o, const Expr *source, const Expr *shape, Name x) {
  Name s = orch_tensor(o, source);
  if (!s) return;
  int n = tuple_len(shape);
  const char **items = NEW_ARRAY(o->ir->arena, const char *, n);
  for (int i = 0; i < n; i++)
    items[i] = orch_extent(o, shape->u.tuple.elems[i], source->type->dtype, i, n);
  array_line(o, orch_text(o, "%s_shapes", x), items, n);
  orch_line(o, "ChipTensor %s = %s.reshape(%s_shapes, %d);", x, s, x, n);
}

static TensorLayout layout_of(const Type *t) {
  return t->tensor_view ? t->tensor_view->layout : LAYOUT_ND;
}

static void op_view(Orch *o, const Expr *call, Name x) {
  Expr *source = arg(call, 0);
  TensorLayout from = layout_of(source->type);
  TensorLayout to = (TensorLayout)key_int(call->u.call.kwargs, KEY_LAYOUT, from);
  if (call->u.call.nargs >= 2) {
    if (from != to || from != LAYOUT_ND)
      orch_error(o, call->span,
                 "tensor.view in an orchestration can change the shape of an ND tensor only, "
                 "not its layout at the same time");
    reshape_to(o, source, arg(call, 1), x);
    return;
  }
  Name s = orch_tensor(o, source);
  if (!s) return;
  int rank = source->type->rank;
  if (from == to) {
    orch_line(o, "ChipTensor %s = %s;", x, s);
    return;
  }
  if (source->type->dtype == DT_FP4)
    orch_error(o, call->span,
               "tensor.view cannot move the packed last axis of an FP4 tensor in an orchestration");
  orch_line(o, "ChipTensor %s = %s.transpose(%d, %d);", x, s, rank - 2, rank - 1);
}

static void op_transpose(Orch *o, const Expr *call, Name x) {
  Expr *source = arg(call, 0);
  Name s = orch_tensor(o, source);
  int64_t a, b, rank = source->type->rank;
  if (!s) return;
  if (!expr_known_int(arg(call, 1), &a) || !expr_known_int(arg(call, 2), &b)) {
    orch_error(o, call->span, "tensor.transpose in an orchestration needs constant axes");
    return;
  }
  a += a < 0 ? rank : 0;
  b += b < 0 ? rank : 0;
  if (source->type->dtype == DT_FP4 && (a == rank - 1 || b == rank - 1))
    orch_error(
        o, call->span,
        "tensor.transpose cannot move the packed last axis of an FP4 tensor in an orchestration");
  orch_line(o, "ChipTensor %s = %s.transpose(%lld, %lld);", x, s, (long long)a, (long long)b);
}

/* ---- elements ---- */

static const char **index_items(Orch *o, const Expr *indices, int *n) {
  *n = indices->kind == EXPR_TUPLE ? indices->u.tuple.len : 1;
  const char **items = NEW_ARRAY(o->ir->arena, const char *, *n);
  for (int i = 0; i < *n; i++)
    items[i] = orch_u32(o, indices->kind == EXPR_TUPLE ? indices->u.tuple.elems[i] : indices);
  return items;
}

static void op_read(Orch *o, const Expr *call, Name x) {
  Name s = orch_tensor(o, arg(call, 0));
  if (!s) return;
  const char *type = orch_type(call->type);
  int n;
  const char **items = index_items(o, arg(call, 1), &n);
  if (n == 0) {
    orch_line(o, "%s %s = get_tensor_data<%s>(%s, 0, nullptr);", type, x, type, s);
    return;
  }
  array_line(o, orch_text(o, "indices_%s", x), items, n);
  orch_line(o, "%s %s = get_tensor_data<%s>(%s, %d, indices_%s);", type, x, type, s, n, x);
}

static void op_write(Orch *o, const Expr *call) {
  Name s = orch_tensor(o, arg(call, 0));
  if (!s) return;
  const char *value = orch_expr(o, arg(call, 2)), *type = orch_type(arg(call, 2)->type);
  int n;
  const char **items = index_items(o, arg(call, 1), &n);
  if (n == 0) {
    orch_line(o, "set_tensor_data<%s>(%s, 0, nullptr, %s);", type, s, value);
    return;
  }
  Name bare = orch_name(o, arg(call, 0));
  orch_line(o, "{"); /* a block of its own: the name of the index array may come again */
  o->indent += 2;
  array_line(o, orch_text(o, "indices_%s", bare), items, n);
  orch_line(o, "set_tensor_data<%s>(%s, %d, indices_%s, %s);", type, s, n, bare, value);
  o->indent -= 2;
  orch_line(o, "}");
}

static void op_dim(Orch *o, const Expr *call, Name x) {
  Expr *source = arg(call, 0);
  int rank = source->type->rank;
  int64_t axis;
  if (!expr_known_int(arg(call, 1), &axis)) {
    orch_error(o, call->span, "tensor.dim needs a constant axis");
    return;
  }
  axis += axis < 0 ? rank : 0;
  if (axis < 0 || axis >= rank) {
    orch_error(o, call->span, "tensor.dim: the tensor has no axis %lld", (long long)axis);
    return;
  }
  const Expr *dim = source->type->shape[axis];
  if (dim->kind == EXPR_INT) {
    orch_line(o, "int64_t %s = %s;", x, orch_expr(o, dim));
  } else if (orch_tensor(o, source)) {
    orch_line(o, "int64_t %s = %s;", x,
              orch_shape_dim(o, orch_name(o, source), source->type->dtype, (int)axis, rank));
  }
}

/* ---- arrays ---- */

static void op_array_create(Orch *o, const Expr *call, Name x) {
  int64_t n;
  if (!expr_const_int(call->type->shape[0], &n)) {
    orch_error(o, call->span, "an array in an orchestration needs a constant extent");
    return;
  }
  if (call->type->dtype != DT_TASK_ID) {
    orch_line(o, "%s %s[%lld] = {0};", dtype_c(call->type->dtype), x, (long long)n);
    return;
  }
  orch_line(
      o,
      "PTO2TaskId %s[%lld]; for (int64_t __init_i = 0; __init_i < %lld; ++__init_i) %s[__init_i] = "
      "PTO2TaskId::invalid();",
      x, (long long)n, (long long)n, x);
}

static void op_array_get(Orch *o, const Expr *call, Name x) {
  const char *array = orch_expr(o, arg(call, 0));
  orch_line(o, "%s %s = %s[%s];", orch_type(call->type), x, array, orch_expr(o, arg(call, 1)));
}

static void op_array_update(Orch *o, const Expr *call) {
  const char *array = orch_expr(o, arg(call, 0));
  const char *index = orch_expr(o, arg(call, 1));
  orch_line(o, "%s[%s] = %s;", array, index, orch_expr(o, arg(call, 2)));
}

void orch_op(Orch *o, const Expr *call, Name x, const Expr *var) {
  switch (expr_op(call)->id) {
    case OP_TENSOR_CREATE: orch_create(o, call, var); return;
    case OP_TENSOR_SLICE: op_slice(o, call, x); return;
    case OP_TENSOR_RESHAPE: reshape_to(o, arg(call, 0), arg(call, 1), x); return;
    case OP_TENSOR_VIEW: op_view(o, call, x); return;
    case OP_TENSOR_TRANSPOSE: op_transpose(o, call, x); return;
    case OP_TENSOR_READ: op_read(o, call, x); return;
    case OP_TENSOR_WRITE:
      op_write(o, call);
      if (var && expr_is_var(arg(call, 0))) orch_rename(o, var, orch_name(o, arg(call, 0)));
      return;
    case OP_TENSOR_DIM: op_dim(o, call, x); return;
    case OP_ARRAY_CREATE: op_array_create(o, call, x); return;
    case OP_ARRAY_GET_ELEMENT: op_array_get(o, call, x); return;
    case OP_ARRAY_UPDATE_ELEMENT: op_array_update(o, call); return;
    case OP_TENSOR_REINTERPRET_VIEW:
      orch_error(
          o, call->span,
          "tensor.reinterpret_view cannot stand in an orchestration: the runtime's views keep "
          "their element type; move it into a kernel");
      return;
    default:
      orch_error(o, call->span, "'%s' cannot stand in an orchestration; move it into a kernel",
                 expr_op(call)->name);
  }
}
