/* scalar.c -- scalar expressions in PTO text. */
#include <string.h>

#include "codegen/pto/emit.h"

/* How a binary operator is written for signless, unsigned and float results. */
typedef struct Arith {
  const char *sint, *uint, *flt;
  bool as_is; /* operands are taken as they are, without conversion to the result's type */
} Arith;

static const Arith arith[] = {
    [EXPR_ADD] = {"arith.addi", "arith.addi", "arith.addf", false},
    [EXPR_SUB] = {"arith.subi", "arith.subi", "arith.subf", false},
    [EXPR_MUL] = {"arith.muli", "arith.muli", "arith.mulf", false},
    [EXPR_FLOOR_DIV] = {"arith.divsi", "arith.divsi", "arith.divf", false},
    [EXPR_FLOOR_MOD] = {"arith.remsi", "arith.remsi", "arith.remf", false},
    [EXPR_FLOAT_DIV] = {"arith.divsi", "arith.divui", "arith.divf", false},
    [EXPR_MIN] = {"arith.minsi", "arith.minui", "arith.minimumf", false},
    [EXPR_MAX] = {"arith.maxsi", "arith.maxui", "arith.maximumf", false},
    [EXPR_AND] = {"arith.andi", "arith.andi", "arith.andi", true},
    [EXPR_OR] = {"arith.ori", "arith.ori", "arith.ori", true},
    [EXPR_XOR] = {"arith.xori", "arith.xori", "arith.xori", true},
    [EXPR_BIT_AND] = {"arith.andi", "arith.andi", "arith.andi", true},
    [EXPR_BIT_OR] = {"arith.ori", "arith.ori", "arith.ori", true},
    [EXPR_BIT_XOR] = {"arith.xori", "arith.xori", "arith.xori", true},
    [EXPR_SHL] = {"arith.shli", "arith.shli", "arith.shli", true},
    [EXPR_SHR] = {"arith.shrsi", "arith.shrui", "arith.shrsi", true},
};

/* Predicates of comparisons, for integers and for floats. */
static const char *const predicates[][2] = {
    [EXPR_EQ] = {"eq", "oeq"},  [EXPR_NE] = {"ne", "one"},  [EXPR_LT] = {"slt", "olt"},
    [EXPR_LE] = {"sle", "ole"}, [EXPR_GT] = {"sgt", "ogt"}, [EXPR_GE] = {"sge", "oge"},
};

static bool is_comparison(ExprKind k) { return k >= EXPR_EQ && k <= EXPR_GE; }

static DType scalar_dtype(const Expr *e) {
  return e->type->kind == TYPE_SCALAR ? e->type->dtype : DT_INDEX;
}

static Name one_result(PtoFn *f, const char *inst, Name operand, Name from, Name to) {
  Name r = pto_new(f);
  pto_line(f, "%s = %s %s : %s to %s", r, inst, operand, from, to);
  return r;
}

/* Conversion between integers of arithmetic operands, or NULL if there is none. */
static const char *widen_or_narrow(Name from, Name to) {
  if (strcmp(from, "index") == 0 || strcmp(to, "index") == 0) return "arith.index_cast";
  if (strcmp(from, "i32") == 0 && strcmp(to, "i64") == 0) return "arith.extsi";
  if (strcmp(from, "i64") == 0 && strcmp(to, "i32") == 0) return "arith.trunci";
  return NULL;
}

/* An operand of arithmetic whose type is `wanted`. */
static Name operand_as(PtoFn *f, Expr *e, DType wanted) {
  int64_t literal;
  if (expr_const_int(e, &literal) &&
      (wanted == DT_INDEX || wanted == DT_INT64 || wanted == DT_INT32))
    return pto_const(f, wanted == DT_INT32 ? (int32_t)literal : literal, wanted);
  Name value = pto_value(f, e);
  DType have = scalar_dtype(e);
  Name from = pto_dtype(f, have), to = pto_dtype(f, wanted);
  if (from == to) return value;
  const char *inst = dtype_is_float(have) ? NULL : widen_or_narrow(from, to);
  if (!inst) {
    pto_error(f, e->span,
              "an operand of type %s cannot be used in arithmetic of type %s in a kernel",
              dtype_name(have), dtype_name(wanted));
    return value;
  }
  return one_result(f, inst, value, from, to);
}

static Name binary(PtoFn *f, Expr *e) {
  const Arith *a = &arith[e->kind];
  DType t = scalar_dtype(e);
  const char *inst = dtype_is_float(t) ? a->flt : dtype_is_unsigned(t) ? a->uint : a->sint;
  if (!inst) {
    pto_error(f, e->span, "'%s' cannot be computed in a kernel", scalar_op_symbol(e->kind));
    return ir_name(f->ir, "%undefined");
  }
  bool as_is = a->as_is || dtype_is_float(t);
  Name lhs = as_is ? pto_value(f, e->u.bin.lhs) : operand_as(f, e->u.bin.lhs, t);
  Name rhs = as_is ? pto_value(f, e->u.bin.rhs) : operand_as(f, e->u.bin.rhs, t);
  Name r = pto_new(f);
  pto_line(f, "%s = %s %s, %s : %s", r, inst, lhs, rhs, pto_dtype(f, t));
  return r;
}

static Name compare(PtoFn *f, Expr *e) {
  DType t = scalar_dtype(e->u.bin.lhs);
  bool is_float = dtype_is_float(t);
  Name lhs = is_float ? pto_value(f, e->u.bin.lhs) : operand_as(f, e->u.bin.lhs, t);
  Name rhs = is_float ? pto_value(f, e->u.bin.rhs) : operand_as(f, e->u.bin.rhs, t);
  Name r = pto_new(f);
  pto_line(f, "%s = arith.%s %s, %s, %s : %s", r, is_float ? "cmpf" : "cmpi",
           predicates[e->kind][is_float], lhs, rhs, pto_dtype(f, t));
  return r;
}

/* The instruction of a cast that needs no bridge for unsigned index conversions. */
static const char *cast_inst(DType from, DType to) {
  bool ff = dtype_is_float(from), tf = dtype_is_float(to);
  bool wider = dtype_bits(to) > dtype_bits(from);
  if (from == DT_INDEX || to == DT_INDEX) return "arith.index_cast";
  if (ff && tf) return wider ? "arith.extf" : "arith.truncf";
  if (!ff && !tf) {
    if (!wider) return "arith.trunci";
    return dtype_is_unsigned(from) ? "arith.extui" : "arith.extsi";
  }
  if (tf) return dtype_is_unsigned(from) ? "arith.uitofp" : "arith.sitofp";
  return dtype_is_unsigned(to) ? "arith.fptoui" : "arith.fptosi";
}

static Name cast(PtoFn *f, Expr *e) {
  Name value = pto_value(f, e->u.operand);
  DType from = scalar_dtype(e->u.operand), to = scalar_dtype(e);
  Name ft = pto_dtype(f, from), tt = pto_dtype(f, to);
  Name r = pto_new(f); /* numbered even where nothing is to do */
  if (from == to) return value;
  bool index = from == DT_INDEX || to == DT_INDEX;
  if (index && (dtype_is_float(from) || dtype_is_float(to))) {
    pto_error(f, e->span, "a cast between %s and %s cannot be computed in a kernel",
              dtype_name(from), dtype_name(to));
    return value;
  }
  if (index && dtype_is_unsigned(to)) {
    Name plain = one_result(f, "arith.index_cast", value, ft, tt + 1);
    pto_line(f, "%s = builtin.unrealized_conversion_cast %s : %s to %s", r, plain, tt + 1, tt);
  } else if (index && dtype_is_unsigned(from)) {
    Name plain = one_result(f, "builtin.unrealized_conversion_cast", value, ft, ft + 1);
    pto_line(f, "%s = arith.index_cast %s : %s to %s", r, plain, ft + 1, tt);
  } else {
    pto_line(f, "%s = %s %s : %s to %s", r, cast_inst(from, to), value, ft, tt);
  }
  return r;
}

static Name unary(PtoFn *f, Expr *e) {
  if (e->kind == EXPR_CAST) return cast(f, e);
  Name value = pto_value(f, e->u.operand);
  DType t = scalar_dtype(e->kind == EXPR_NOT ? e->u.operand : e);
  Name type = pto_dtype(f, t);
  bool flt = dtype_is_float(t);
  if (e->kind == EXPR_NOT || e->kind == EXPR_BIT_NOT) {
    Name other = pto_new(f), r = NULL;
    if (e->kind == EXPR_BIT_NOT) {
      pto_line(f, "%s = arith.constant -1 : %s", other, type);
      r = pto_new(f);
      pto_line(f, "%s = arith.xori %s, %s : %s", r, value, other, type);
      return r;
    }
    r = pto_new(f);
    pto_line(f, "%s = arith.constant %s : %s", other, flt ? "0.0" : "0", type);
    pto_line(f, "%s = arith.%s, %s, %s : %s", r, flt ? "cmpf oeq" : "cmpi eq", value, other, type);
    return r;
  }
  Name r = pto_new(f);
  if (e->kind == EXPR_ABS) {
    pto_line(f, "%s = math.abs%s %s : %s", r, flt ? "f" : "i", value, type);
  } else if (flt) {
    pto_line(f, "%s = arith.negf %s : %s", r, value, type);
  } else {
    Name zero = pto_new(f);
    pto_line(f, "%s = arith.constant 0 : %s", zero, type);
    pto_line(f, "%s = arith.subi %s, %s : %s", r, zero, value, type);
  }
  return r;
}

Name pto_value(PtoFn *f, Expr *e) {
  switch (e->kind) {
    case EXPR_VAR: return pto_var_value(f, e);
    case EXPR_INT: return pto_const(f, e->u.i, scalar_dtype(e));
    case EXPR_FLOAT: return pto_const_float(f, e->u.f, scalar_dtype(e));
    case EXPR_BOOL: {
      Name r = pto_new(f);
      pto_line(f, "%s = arith.constant %d : i1", r, e->u.b ? 1 : 0);
      return r;
    }
    case EXPR_CALL:
    case EXPR_SUBMIT:
      f->expr_value = NULL;
      pto_call(f, e);
      if (f->expr_value) return f->expr_value;
      break;
    default:
      if (is_comparison(e->kind)) return compare(f, e);
      if (expr_is_binary(e)) return binary(f, e);
      if (expr_is_unary(e)) return unary(f, e);
      break;
  }
  if (!f->ir->diag->errors) pto_error(f, e->span, "this value cannot be computed in a kernel");
  return ir_name(f->ir, "%undefined");
}

Name pto_type_of(PtoFn *f, const Expr *e) {
  if (expr_is_var(e)) {
    Name value = pto_lookup(f, e);
    const PtoValue *known = value ? pto_value_known(f, value) : NULL;
    if (known && known->tile_type) return known->tile_type;
    if (e->type->kind == TYPE_TILE) return e->type->memref ? pto_tile_type(f, e->type) : NULL;
  }
  return e->type->kind == TYPE_SCALAR ? pto_dtype(f, e->type->dtype) : NULL;
}

Name pto_to_index(PtoFn *f, Expr *e, Name value) {
  if (e->type->kind != TYPE_SCALAR || e->type->dtype == DT_INDEX) return value;
  if (dtype_is_float(e->type->dtype)) {
    pto_error(f, e->span, "an index must be an integer, got %s", dtype_name(e->type->dtype));
    return value;
  }
  bool named = expr_is_var(e) && !e->u.var.is_iter_arg;
  Name r = named ? pto_new_named(f, "%s_idx", e->u.var.name) : pto_new(f);
  pto_line(f, "%s = arith.index_cast %s : %s to index", r, value, pto_dtype(f, e->type->dtype));
  return r;
}

Name pto_index_operand(PtoFn *f, Expr *e) {
  int64_t literal;
  if (expr_const_int(e, &literal)) return pto_const_index(f, literal);
  Name value = pto_value(f, e);
  if (e->type->kind != TYPE_SCALAR || e->type->dtype == DT_INDEX) return value;
  if (!dtype_is_int(e->type->dtype)) {
    pto_error(f, e->span, "an index must be an integer, got %s", dtype_name(e->type->dtype));
    return value;
  }
  return one_result(f, "arith.index_cast", value, pto_dtype(f, e->type->dtype),
                    ir_name(f->ir, "index"));
}

Name pto_dim(PtoFn *f, Expr *e) {
  int64_t literal;
  if (expr_const_int(e, &literal)) return pto_const_index(f, literal);
  return pto_to_index(f, e, pto_value(f, e));
}

Name pto_to_i32(PtoFn *f, Expr *e, Name value) {
  if (e->type->kind != TYPE_SCALAR || e->type->dtype == DT_INT32) return value;
  DType t = e->type->dtype;
  if (dtype_is_float(t)) {
    pto_error(f, e->span, "this operand must be an integer, got %s", dtype_name(t));
    return value;
  }
  Name from = pto_dtype(f, t), i32 = ir_name(f->ir, "i32");
  if (dtype_is_unsigned(t)) {
    Name plain = ir_name(f->ir, from + 1);
    value = one_result(f, "builtin.unrealized_conversion_cast", value, from, plain);
    if (dtype_bits(t) == 32) return value;
    from = plain;
  }
  const char *inst = t == DT_INDEX          ? "arith.index_cast"
                     : dtype_bits(t) > 32   ? "arith.trunci"
                     : dtype_is_unsigned(t) ? "arith.extui"
                                            : "arith.extsi";
  return one_result(f, inst, value, from, i32);
}

void pto_dims(PtoFn *f, Expr *const *dims, int n, Name *out) {
  for (int i = 0; i < n; i++) out[i] = pto_dim(f, dims[i]);
}

void pto_offsets(PtoFn *f, Expr *const *offsets, int n, Name *out) {
  for (int i = 0; i < n; i++) {
    int64_t literal;
    if (expr_const_int(offsets[i], &literal)) {
      out[i] = pto_const_index(f, literal < 0 ? 0 : literal);
      continue;
    }
    Name value = pto_to_index(f, offsets[i], pto_value(f, offsets[i]));
    Name zero = pto_const_index(f, 0);
    out[i] = pto_new(f);
    pto_line(f, "%s = arith.maxsi %s, %s : index", out[i], value, zero);
  }
}

/* The element number if indices and inner dimensions are constant. */
static bool constant_offset(Expr *const *indices, int n, Expr *const *shape, int rank,
                            int64_t *out) {
  int64_t total = 0;
  for (int i = 0; i < n; i++) {
    int64_t index, stride = 1, dim;
    if (!expr_const_int(indices[i], &index)) return false;
    for (int j = i + 1; j < rank; j++) {
      if (!expr_const_int(shape[j], &dim) || __builtin_mul_overflow(stride, dim, &stride))
        return false;
    }
    if (__builtin_mul_overflow(index, stride, &index) ||
        __builtin_add_overflow(total, index, &total))
      return false;
  }
  *out = total;
  return true;
}

Name pto_flat_offset(PtoFn *f, Expr *const *indices, int n, Expr *const *shape, int rank) {
  int64_t total;
  if (constant_offset(indices, n, shape, rank, &total)) return pto_const_index(f, total);
  if (n != rank) {
    pto_error(f, NO_SPAN, "%d indices for a container of %d dimensions", n, rank);
    return pto_const_index(f, 0);
  }
  Name *values = NEW_ARRAY(f->ir->arena, Name, n);
  for (int i = 0; i < n; i++) values[i] = pto_dim(f, indices[i]);
  Name sum = values[0];
  for (int i = 1; i < n; i++) {
    Name dim = pto_dim(f, shape[i]);
    Name product = pto_new_named(f, "flat_offset_mul");
    pto_line(f, "%s = arith.muli %s, %s : index", product, sum, dim);
    sum = pto_new_named(f, "flat_offset");
    pto_line(f, "%s = arith.addi %s, %s : index", sum, product, values[i]);
  }
  return sum;
}
