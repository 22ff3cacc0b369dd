#include "codegen/orch/orch.h"

const char *orch_type(const Type *t) {
  if (type_is_scalar(t)) return dtype_c(t->dtype) ? dtype_c(t->dtype) : "unknown";
  if (type_is_tensor(t)) return "ChipTensor";
  if (t->kind == TYPE_COMM_CTX) return "uint64_t";
  return "auto";
}

static const char *infix(ExprKind kind) {
  switch (kind) {
    case EXPR_FLOOR_DIV: return "/";
    case EXPR_AND: return "&&";
    case EXPR_OR: return "||";
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_FLOOR_MOD:
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE: return scalar_op_symbol(kind);
    default: return NULL;
  }
}

static void put_expr(Orch *o, Buf *b, const Expr *e);

static void put_binary(Orch *o, Buf *b, const Expr *e) {
  bool call = e->kind == EXPR_MIN || e->kind == EXPR_MAX;
  if (call)
    buf_printf(b, "std::%s<%s>(", scalar_op_symbol(e->kind), orch_type(e->type));
  else
    buf_putc(b, '(');
  put_expr(o, b, e->u.bin.lhs);
  if (call)
    buf_puts(b, ", ");
  else
    buf_printf(b, " %s ", infix(e->kind));
  put_expr(o, b, e->u.bin.rhs);
  buf_putc(b, ')');
}

static void put_expr(Orch *o, Buf *b, const Expr *e) {
  switch (e->kind) {
    case EXPR_VAR: buf_puts(b, orch_name(o, e)); return;
    case EXPR_INT: buf_int(b, e->u.i); return;
    case EXPR_FLOAT: buf_printf(b, "%f", e->u.f); return;
    case EXPR_BOOL: buf_putc(b, e->u.b ? '1' : '0'); return;
    case EXPR_NOT:
    case EXPR_NEG:
      buf_puts(b, e->kind == EXPR_NOT ? "(!" : "(-");
      put_expr(o, b, e->u.operand);
      buf_putc(b, ')');
      return;
    case EXPR_CAST:
      buf_printf(b, "static_cast<%s>(", orch_type(e->type));
      put_expr(o, b, e->u.operand);
      buf_putc(b, ')');
      return;
    case EXPR_TUPLE_GET:
      put_expr(o, b, e->u.get.tuple);
      buf_printf(b, "_%d", e->u.get.index);
      return;
    default: break;
  }
  if (infix(e->kind) || e->kind == EXPR_MIN || e->kind == EXPR_MAX) {
    put_binary(o, b, e);
    return;
  }
  const Op *op = expr_op(e);
  if (op)
    orch_error(o, e->span, "'%s' cannot be part of an expression in an orchestration", op->name);
  else
    orch_error(o, e->span, "this expression has no form in an orchestration");
  buf_putc(b, '0');
}

const char *orch_expr(Orch *o, const Expr *e) {
  if (expr_is_var(e)) return orch_name(o, e);
  Buf b = {0};
  put_expr(o, &b, e);
  const char *text = arena_strndup(o->ir->arena, buf_str(&b), b.len);
  buf_free(&b);
  return text;
}

Name orch_tensor(Orch *o, const Expr *e) {
  if (!expr_is_var(e)) {
    orch_error(o, e->span, "a tensor in an orchestration must be a variable");
    return NULL;
  }
  return orch_tensor_name(o, orch_name(o, e));
}

const char *orch_u32(Orch *o, const Expr *e) {
  const char *text = orch_expr(o, e);
  int64_t value;
  if (expr_const_int(e, &value) && (value < 0 || value > UINT32_MAX))
    orch_error(o, e->span,
               "%lld is no size or offset of a tensor: the runtime has 32 bits for them",
               (long long)value);
  return e->kind == EXPR_INT ? text : orch_text(o, "static_cast<uint32_t>(%s)", text);
}

/* ---- shapes; FP4 counts pairs on the last axis ---- */

static bool is_packed_axis(DType dtype, int axis, int rank) {
  return dtype == DT_FP4 && axis + 1 == rank;
}

const char *orch_extent_text(Orch *o, const char *dim, DType dtype, int axis, int rank) {
  if (!is_packed_axis(dtype, axis, rank)) return dim;
  return orch_text(o,
                   "([&]() -> uint32_t { const int64_t fp4_logical_dim = static_cast<int64_t>(%s); "
                   "always_assert(fp4_logical_dim > 0 && (fp4_logical_dim & 1u) == 0u); return "
                   "static_cast<uint32_t>(fp4_logical_dim / 2); }())",
                   dim);
}

const char *orch_extent(Orch *o, const Expr *e, DType dtype, int axis, int rank) {
  if (!is_packed_axis(dtype, axis, rank)) return orch_u32(o, e);
  int64_t value;
  if (expr_const_int(e, &value)) return orch_text(o, "%lld", (long long)(value / 2));
  return orch_extent_text(o, orch_expr(o, e), dtype, axis, rank);
}

const char *orch_shape_dim(Orch *o, Name tensor, DType dtype, int axis, int rank) {
  intptr_t number = map_get_int(&o->param_names, tensor);
  const char *dim = number > 0 ? orch_text(o, "(int64_t)orch_args.tensor(%d).ref().shapes[%d]",
                                           (int)number - 1, axis)
                               : orch_text(o, "(int64_t)%s.shapes[%d]", tensor, axis);
  if (!is_packed_axis(dtype, axis, rank)) return dim;
  return orch_text(
      o,
      "([&]() -> int64_t { const int64_t fp4_carrier_dim = %s; always_assert(fp4_carrier_dim > 0); "
      "return fp4_carrier_dim * 2; }())",
      dim);
}

const char *orch_dtype(DType t) {
  switch (t) {
    case DT_FP16: return "DataType::FLOAT16";
    case DT_FP32: return "DataType::FLOAT32";
    case DT_BF16: return "DataType::BFLOAT16";
    case DT_INT8: return "DataType::INT8";
    case DT_INT16: return "DataType::INT16";
    case DT_INT32: return "DataType::INT32";
    case DT_INDEX:
    case DT_INT64: return "DataType::INT64";
    case DT_UINT8: return "DataType::UINT8";
    case DT_UINT16: return "DataType::UINT16";
    case DT_UINT32: return "DataType::UINT32";
    case DT_UINT64: return "DataType::UINT64";
    case DT_FP8E4M3FN: return "DataType::FP8E4M3FN";
    case DT_FP8E5M2: return "DataType::FP8E5M2";
    case DT_FP8E8M0: return "DataType::FP8E8M0";
    case DT_FP4: return "DataType::FP4E2M1";
    default: return "DataType::UNKNOWN";
  }
}
