#include "ir/ops/convert.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/ops/deduce_common.h"
#include "ir/print.h"

/* ---------------------------------------------------------------- values */

AttrValue value_of_text(Ir *ir, const char *text) {
  if (strcmp(text, "True") == 0 || strcmp(text, "False") == 0) return attr_of_bool(text[0] == 'T');
  char *end;
  long long i = strtoll(text, &end, 10);
  if (end != text && !*end) return attr_of_int(i);
  double f = strtod(text, &end);
  if (end != text && !*end) return attr_of_float(f);
  return attr_of_str(ir_name(ir, text));
}

/* The number behind an expression that is one, minus signs included. */
static const Expr *literal(const Expr *e, int *sign) {
  *sign = 1;
  while (e->kind == EXPR_NEG) {
    *sign = -*sign;
    e = e->u.operand;
  }
  return e;
}

bool value_const_int(const AttrValue *v, int64_t *out) {
  if (v->kind == ATTR_INT) {
    *out = v->u.i;
    return true;
  }
  if (v->kind != ATTR_EXPR) return false;
  int sign;
  const Expr *e = literal(v->u.expr, &sign);
  if (e->kind != EXPR_INT || (sign < 0 && e->u.i == INT64_MIN)) return false;
  *out = sign * e->u.i;
  return true;
}

static bool value_const_float(const AttrValue *v, double *out) {
  int64_t i;
  if (v->kind == ATTR_FLOAT) {
    *out = v->u.f;
    return true;
  }
  if (value_const_int(v, &i)) {
    *out = (double)i;
    return true;
  }
  if (v->kind != ATTR_EXPR) return false;
  int sign;
  const Expr *e = literal(v->u.expr, &sign);
  if (e->kind != EXPR_FLOAT) return false;
  *out = sign * e->u.f;
  return true;
}

const char *type_str_short(Ir *ir, const Type *t) {
  if (!type_is_scalar(t)) return type_kind_name(t);
  return arena_printf(ir->arena, "Scalar[%s]", dtype_name(t->dtype));
}

/* What a value is, for messages. */
static const char *value_str(Ir *ir, const AttrValue *v) {
  switch (v->kind) {
    case ATTR_NONE: return "None";
    case ATTR_BOOL: return v->u.b ? "True" : "False";
    case ATTR_INT: return arena_printf(ir->arena, "%lld", (long long)v->u.i);
    case ATTR_FLOAT: return arena_printf(ir->arena, "%g", v->u.f);
    case ATTR_STR: return arena_printf(ir->arena, "'%s'", v->u.str);
    case ATTR_DTYPE: return arena_printf(ir->arena, "pl.%s", dtype_name(v->u.dtype));
    case ATTR_ENUM:
      return arena_printf(ir->arena, "%s.%s", enum_written(v->enum_id),
                          enum_name(v->enum_id, (int)v->u.i));
    case ATTR_EXPR: return type_str_short(ir, v->u.expr->type);
    case ATTR_LIST: return "a list";
  }
  return "?";
}

static bool refuse(OpCall *c, const OpParam *p, const AttrValue *v) {
  op_error(c, "'%s' must be %s, not %s", p->name, param_wants(p->code), value_str(c->ir, v));
  return false;
}

/* ---------------------------------------------------------------- keywords */

static const char *const coalesce_names[] = {"row", "elem", NULL};
static const char *const oob_names[] = {"undefined", "clamp", "wrap", "zero", NULL};
static const char *const cmp_names[] = {"eq", "ne", "lt", "le", "gt", "ge", NULL};
static const char *const on_off_names[] = {"off", "on", NULL};
static const char *const cast_names[] = {"none", "rint",  "round", "floor",
                                         "ceil", "trunc", "odd",   NULL};

/* The place of a name, or of a number that is a place, in a list of names; -1 if it is none. */
static int named(const AttrValue *v, const char *const *names) {
  int64_t want = -1;
  int n = 0;
  bool number = value_const_int(v, &want);
  for (; names[n]; n++)
    if (v->kind == ATTR_STR && strcmp(names[n], v->u.str) == 0) return n;
  return number && want >= 0 && want < n ? (int)want : -1;
}

/* A value of an enumeration: itself, a name (of a default), or, where numbers are usual, a number.
 */
static int enumerated(const AttrValue *v, EnumId e, bool numbers) {
  int64_t i;
  if (v->kind == ATTR_ENUM && v->enum_id == e) return (int)v->u.i;
  if (v->kind == ATTR_STR) return enum_value(e, v->u.str);
  if (numbers && value_const_int(v, &i) && i >= 0 && i < enum_count(e)) return (int)i;
  return -1;
}

static int pad_value(const AttrValue *v, bool null_too) {
  int e = enumerated(v, ENUM_PAD, false);
  if (e >= 0) return e == PAD_NULL && !null_too ? -1 : e;
  double f;
  if (!value_const_float(v, &f)) return -1;
  if (f == 0) return PAD_ZERO;
  return isinf(f) ? (f > 0 ? PAD_MAX : PAD_MIN) : -1;
}

static AttrValue as_enum(EnumId e, int i) { return attr_of_enum(e, i); }

static EnumId enum_of(ParamKind k) {
  switch (k) {
    case KIND_MEM: return ENUM_MEM;
    case KIND_LAYOUT: return ENUM_LAYOUT;
    case KIND_TILE_LAYOUT: return ENUM_TILE_LAYOUT;
    case KIND_ATOMIC: return ENUM_ATOMIC;
    case KIND_PIPE: return ENUM_PIPE;
    case KIND_NOTIFY: return ENUM_NOTIFY;
    case KIND_WAIT: return ENUM_WAIT;
    default: return ENUM_REDUCE;
  }
}

/* Keywords that are one of a list of names or of an enumeration; `i` is its place. */
static bool convert_choice(OpCall *c, const OpParam *p, const AttrValue *v, AttrValue *out) {
  int i = -1;
  switch ((ParamKind)p->code) {
    case KIND_COALESCE: *out = attr_of_int(i = named(v, coalesce_names)); break;
    case KIND_OOB: *out = attr_of_int(i = named(v, oob_names)); break;
    case KIND_CMP_MODE: *out = attr_of_int(i = named(v, cmp_names)); break;
    case KIND_ON_OFF:
      i = named(v, on_off_names);
      if (i >= 0) *out = attr_of_str(ir_name(c->ir, on_off_names[i]));
      break;
    case KIND_CAST_MODE:
      i = named(v, cast_names);
      if (i >= 0) *out = attr_of_str(ir_name(c->ir, cast_names[i]));
      break;
    case KIND_PAD:
    case KIND_PAD_OR_NULL:
      *out = as_enum(ENUM_PAD, i = pad_value(v, p->code == KIND_PAD_OR_NULL));
      break;
    case KIND_NOTIFY:
    case KIND_WAIT:
    case KIND_REDUCE: *out = attr_of_int(i = enumerated(v, enum_of(p->code), true)); break;
    case KIND_ATOMIC:
    case KIND_PIPE:
      *out = as_enum(enum_of(p->code), i = enumerated(v, enum_of(p->code), true));
      break;
    default: *out = as_enum(enum_of(p->code), i = enumerated(v, enum_of(p->code), false)); break;
  }
  return i >= 0 || refuse(c, p, v);
}

static bool convert_bool(OpCall *c, const OpParam *p, const AttrValue *v, AttrValue *out) {
  bool literal_expr = v->kind == ATTR_EXPR && v->u.expr->kind == EXPR_BOOL;
  if (v->kind != ATTR_BOOL && !literal_expr) return refuse(c, p, v);
  *out = attr_of_bool(literal_expr ? v->u.expr->u.b : v->u.b);
  return true;
}

static bool convert_int(OpCall *c, const OpParam *p, const AttrValue *v, AttrValue *out) {
  int64_t i;
  if (!value_const_int(v, &i)) return refuse(c, p, v);
  if (i < INT32_MIN || i > INT32_MAX) {
    op_error(c, "'%s' does not fit 32 bits: %lld", p->name, (long long)i);
    return false;
  }
  *out = attr_of_int(i);
  return true;
}

static bool convert_float(OpCall *c, const OpParam *p, const AttrValue *v, AttrValue *out) {
  double f;
  int64_t i;
  if (!value_const_float(v, &f)) return refuse(c, p, v);
  const int64_t exact = (int64_t)1 << 53; /* every integer up to here has a double of its own */
  if (!isfinite(f) || (value_const_int(v, &i) && (i < -exact || i > exact))) {
    op_error(c, "'%s' must be a finite number that a double holds exactly", p->name);
    return false;
  }
  *out = attr_of_float(f);
  return true;
}

static bool convert_dtype(OpCall *c, const OpParam *p, const AttrValue *v, AttrValue *out) {
  DType t = v->kind == ATTR_DTYPE ? v->u.dtype
            : v->kind == ATTR_STR ? dtype_by_name(v->u.str)
                                  : DT_NONE;
  if (t == DT_NONE) return refuse(c, p, v);
  *out = attr_of_dtype(t);
  return true;
}

bool convert_keyword(OpCall *c, const OpParam *p, const AttrValue *v, AttrValue *out) {
  bool ok;
  switch ((ParamKind)p->code) {
    case KIND_BOOL: ok = convert_bool(c, p, v, out); break;
    case KIND_INT: ok = convert_int(c, p, v, out); break;
    case KIND_FLOAT: ok = convert_float(c, p, v, out); break;
    case KIND_DTYPE: ok = convert_dtype(c, p, v, out); break;
    case KIND_STR:
      if (v->kind != ATTR_STR) return refuse(c, p, v);
      *out = attr_of_str(v->u.str);
      return true;
    default: ok = convert_choice(c, p, v, out); break;
  }
  if (ok) out->span = v->span;
  return ok;
}

static bool is_enumeration(ParamKind k) {
  switch (k) {
    case KIND_MEM:
    case KIND_LAYOUT:
    case KIND_TILE_LAYOUT:
    case KIND_PAD:
    case KIND_PAD_OR_NULL:
    case KIND_ATOMIC:
    case KIND_PIPE:
    case KIND_NOTIFY:
    case KIND_WAIT:
    case KIND_REDUCE: return true;
    default: return false;
  }
}

bool convert_written(OpCall *c, const OpParam *p, const AttrValue *v, AttrValue *out) {
  if (v->kind == ATTR_STR && is_enumeration(p->code)) return refuse(c, p, v);
  return convert_keyword(c, p, v, out);
}

/* ---------------------------------------------------------------- scalars */

static Expr *constant(Ir *ir, const AttrValue *v, DType t, Span at) {
  double f;
  int64_t i;
  bool whole = value_const_int(v, &i);
  if (dtype_is_float(t)) {
    if (!value_const_float(v, &f)) return NULL;
    return expr_float(ir, f, t, at);
  }
  return whole ? expr_int(ir, i, t, at) : NULL;
}

/* A number written bare: not an expression with a type of its own.  By position a bare integer is
 * INDEX and a bare fraction FP32, which counts as such a type. */
static bool is_bare(const AttrValue *v, bool keyword) {
  if (v->kind == ATTR_INT || v->kind == ATTR_FLOAT) return keyword || v->kind == ATTR_INT;
  return v->kind == ATTR_EXPR && v->u.expr->kind == EXPR_INT && v->u.expr->type->dtype == DT_INDEX;
}

static Expr *as_expr(OpCall *c, const AttrValue *v) {
  Span at = v->span.line ? v->span : c->span;
  switch (v->kind) {
    case ATTR_EXPR: return v->u.expr;
    case ATTR_INT: return expr_int(c->ir, v->u.i, DT_INDEX, at);
    case ATTR_FLOAT: return expr_float(c->ir, v->u.f, DT_FP32, at);
    case ATTR_BOOL: return expr_bool(c->ir, v->u.b, at);
    default: return NULL;
  }
}

/* A scalar beside elements of type `t`: bare numbers take their type, as far as it can hold them.
 */
static bool scalar_beside(OpCall *c, const OpParam *p, const AttrValue *v, bool keyword, DType t,
                          Expr **out) {
  Span at = v->span.line ? v->span : c->span;
  Expr *e = as_expr(c, v);
  if (!e) return refuse(c, p, v);
  *out = e;
  if (is_bare(v, keyword)) {
    bool fraction = v->kind == ATTR_FLOAT;
    if (dtype_is_int(t) && fraction) t = DT_FP32;
    if (dtype_is_int(t) || dtype_is_float(t)) *out = constant(c->ir, v, t, at);
    return true;
  }
  if (!type_is_scalar(e->type) || e->type->dtype != DT_INDEX) return true;
  op_error(
      c,
      "'%s' is an INDEX value, which is no operand of tile and tensor arithmetic; convert it with "
      "pl.cast(..., pl.%s)",
      p->name, dtype_is_int(t) ? dtype_name(t) : "INT32");
  return false;
}

static DType first_dtype(const OpCall *c) {
  return c->nargs > 0 && c->args[0] && type_is_shaped(c->args[0]->type) ? c->args[0]->type->dtype
                                                                        : DT_FP32;
}

static DType keyword_dtype(const OpCall *c) { return kwarg_dtype(c, "dtype"); }

/* Constant integers become constants of `t`, other values stay. */
static bool retype_int(OpCall *c, const OpParam *p, const AttrValue *v, DType t, Expr **out) {
  int64_t i;
  Span at = v->span.line ? v->span : c->span;
  *out = value_const_int(v, &i) ? expr_int(c->ir, i, t, at) : as_expr(c, v);
  return *out || refuse(c, p, v);
}

static bool convert_number(OpCall *c, const OpParam *p, const AttrValue *v, Expr **out) {
  DType t = keyword_dtype(c);
  int64_t i;
  double f;
  Span at = v->span.line ? v->span : c->span;
  if (value_const_int(v, &i))
    *out = expr_int(c->ir, i, t, at);
  else if (value_const_float(v, &f))
    *out = expr_float(c->ir, f, t, at);
  else
    return refuse(c, p, v);
  return true;
}

static bool convert_axis(OpCall *c, const OpParam *p, const AttrValue *v, Expr **out) {
  int64_t i;
  if (!value_const_int(v, &i)) return refuse(c, p, v);
  bool plain = v->kind == ATTR_EXPR && v->u.expr->kind == EXPR_INT;
  *out = plain ? v->u.expr : expr_int(c->ir, i, DT_INDEX, v->span.line ? v->span : c->span);
  return true;
}

/* ---------------------------------------------------------------- lists */

static bool convert_list(OpCall *c, const OpParam *p, const AttrValue *v, Expr **out) {
  if (v->kind == ATTR_EXPR && v->u.expr->type->kind == TYPE_TUPLE) {
    *out = v->u.expr;
    return true;
  }
  AttrValue one = *v;
  const AttrValue *items = v->u.list.items;
  int n = v->u.list.len;
  if (v->kind != ATTR_LIST) {
    if (p->code != KIND_LIST1) return refuse(c, p, v);
    items = &one;
    n = 1;
  }
  Expr **elems = NEW_ARRAY(c->ir->arena, Expr *, n + 1);
  for (int i = 0; i < n; i++) {
    elems[i] = as_expr(c, &items[i]);
    if (elems[i]) continue;
    op_error(c, "element %d of '%s' must be a number, not %s", i, p->name,
             value_str(c->ir, &items[i]));
    return false;
  }
  *out = expr_tuple(c->ir, elems, n, v->span.line ? v->span : c->span);
  return true;
}

/* ---------------------------------------------------------------- operands */

static bool convert_space(OpCall *c, const OpParam *p, const AttrValue *v, Expr **out) {
  int i = enumerated(v, ENUM_MEM, false);
  *out = i >= 0 ? expr_index(c->ir, i) : v->kind == ATTR_EXPR ? v->u.expr : NULL;
  return *out || refuse(c, p, v);
}

bool convert_operand(OpCall *c, const OpParam *p, const AttrValue *v, bool keyword, Expr **out) {
  switch ((ParamKind)p->code) {
    case KIND_LIST:
    case KIND_LIST1: return convert_list(c, p, v, out);
    case KIND_AXES:
      if (!convert_list(c, p, v, out)) return false;
      if ((*out)->type->nelems == 0) *out = NULL;
      return true;
    case KIND_I32:
      if (keyword && v->kind == ATTR_INT) return retype_int(c, p, v, DT_INT32, out);
      *out = as_expr(c, v);
      break;
    case KIND_SCALAR_ELEMENT:
      if (keyword && v->kind == ATTR_INT) return retype_int(c, p, v, c->args[0]->type->dtype, out);
      *out = as_expr(c, v);
      break;
    case KIND_SCALAR_INT32: return retype_int(c, p, v, DT_INT32, out);
    case KIND_SCALAR_DTYPE: return retype_int(c, p, v, keyword_dtype(c), out);
    case KIND_SCALAR_FP32: return scalar_beside(c, p, v, keyword, DT_FP32, out);
    case KIND_TENSOR_OR_SCALAR:
    case KIND_SCALAR_LIKE: return scalar_beside(c, p, v, keyword, first_dtype(c), out);
    case KIND_NUMBER: return convert_number(c, p, v, out);
    case KIND_AXIS: return convert_axis(c, p, v, out);
    case KIND_MEM: return convert_space(c, p, v, out);
    case KIND_PRED: /* True and False by keyword are constants that code generation folds */
      *out = v->kind == ATTR_BOOL ? expr_int(c->ir, v->u.b, DT_BOOL, c->span) : as_expr(c, v);
      break;
    case KIND_SCALAR:
    case KIND_INDEX:
    case KIND_ANY: *out = as_expr(c, v); break;
    default: *out = v->kind == ATTR_EXPR ? v->u.expr : NULL; break;
  }
  return *out || refuse(c, p, v);
}
