/* build_expr.c -- names, constants and scalar arithmetic. */
#include <string.h>

#include "ir/print.h"
#include "parser/build.h"

bool is_scalar_of(const Expr *e, DType dtype) {
  return e && e->type->kind == TYPE_SCALAR && e->type->dtype == dtype;
}

/* ---------------------------------------------------------------- names and constants */

/* A name close to `name` among those that mean something here, or NULL. */
static const char *similar_name(Builder *b, Name name) {
  VEC(const char *) names = {0};
  for (Scope *s = b->f ? b->f->scope : NULL; s; s = s->outer)
    for (MapEntry *e = NULL; (e = map_next(&s->vars, e));) vec_push(&names, e->key);
  for (MapEntry *e = NULL; (e = map_next(&b->consts, e));) vec_push(&names, e->key);
  const char *near = diag_suggest(name, names.data, names.len);
  vec_free(&names);
  return near;
}

static Expr *undefined(Builder *b, const SynExpr *e) {
  const Const *c = const_lookup(b, e->name);
  if (c && c->kind == CONST_UNKNOWN)
    return build_error(
        b, e->at, "'%s' is bound by host code, which is not run: its value is not known", e->name);
  if (c) return build_error(b, e->at, "'%s' is no value of the program", e->name);
  const char *near = similar_name(b, e->name);
  if (near) return build_error(b, e->at, "'%s' is not defined: did you mean '%s'?", e->name, near);
  return build_error(b, e->at, "'%s' is not defined", e->name);
}

/* The value that the module's constants give `e`, as IR.  *known says whether they give one. */
static Expr *constant_expr(Builder *b, const SynExpr *e, bool *known) {
  AttrValue v;
  EvalResult r = eval_expr(b, e, &v);
  *known = r != EVAL_UNKNOWN;
  return r == EVAL_OK ? value_to_expr(b, &v, e->at) : NULL;
}

/* The printer declares a dimension that types speak of and nothing defines, even where a variable has its name. */
static bool names_dimension(Builder *b, Name name) {
  const Const *c = b->in_annotation && b->verbatim ? const_lookup(b, name) : NULL;
  return c && c->kind == CONST_VALUE && c->value.kind == ATTR_EXPR && !c->implicit;
}

static Expr *build_name(Builder *b, const SynExpr *e) {
  Expr *var = names_dimension(b, e->name) ? NULL : scope_lookup(b, e->name);
  bool known;
  if (var) return var;
  Expr *v = constant_expr(b, e, &known);
  if (known) return v;
  /* The signature of an outlined function may compute with what its caller knows. */
  bool callers = b->in_signature && is_printed(b) && !const_lookup(b, e->name);
  return callers ? declare_dim(b, e->name, e->at) : undefined(b, e);
}

static Expr *build_int(Builder *b, const SynExpr *e) {
  if (e->big) return build_error(b, e->at, "this integer does not fit in 64 bits");
  return expr_int(b->ir, e->integer, DT_INDEX, e->at);
}

/* A memory space standing alone is its number: pl.tile.alloc(pl.Mem.Vec, n). */
static Expr *build_attribute(Builder *b, const SynExpr *e) {
  AttrValue v;
  EvalResult r = eval_expr(b, e, &v);
  if (r == EVAL_ERROR) return NULL;
  if (r == EVAL_OK && v.kind == ATTR_ENUM && v.enum_id == ENUM_MEM)
    return expr_int(b->ir, v.u.i, DT_INDEX, e->at);
  return build_error(b, e->at, "'%s' is no value of the program", syn_text(b->ir->arena, e));
}

/* ---------------------------------------------------------------- arithmetic */

static bool scalar_operand(Builder *b, const Expr *e, const char *symbol, Span at) {
  if (e->type->kind == TYPE_SCALAR) return true;
  build_error(b, at, "'%s' takes scalars, not a %s", symbol, type_kind_name(e->type));
  if (type_is_shaped(e->type))
    build_note(b, "tensors and tiles are combined by operators: pl.add(a, b)");
  return false;
}

static bool is_bool_result(ExprKind kind) { return kind >= EXPR_EQ && kind <= EXPR_GE; }
static bool wants_ints(ExprKind kind) {
  return kind == EXPR_BIT_AND || kind == EXPR_BIT_OR || kind == EXPR_BIT_XOR || kind == EXPR_SHL ||
         kind == EXPR_SHR;
}

static Expr *converted(Builder *b, Expr *e, DType to, Span at) {
  DType from = e->type->dtype;
  if (from == to || (from == DT_INDEX && to == DT_INT64) || (from == DT_INT64 && to == DT_INDEX))
    return e;
  return expr_cast(b->ir, e, to, at);
}

Expr *build_binary(Builder *b, ExprKind kind, Expr *lhs, Expr *rhs, Span at) {
  const char *symbol = scalar_op_symbol(kind);
  if (kind == EXPR_AND || kind == EXPR_OR) return expr_binary(b->ir, kind, lhs, rhs, DT_BOOL, at);
  if (!scalar_operand(b, lhs, symbol, at) || !scalar_operand(b, rhs, symbol, at)) return NULL;
  DType l = lhs->type->dtype, r = rhs->type->dtype;
  if (l == DT_BOOL || r == DT_BOOL)
    return build_error(b, at, "'%s' does not take BOOL operands", symbol);
  bool ints = dtype_is_int(l) && dtype_is_int(r), floats = dtype_is_float(l) && dtype_is_float(r);
  if (!ints && (!floats || wants_ints(kind)))
    return build_error(b, at, "'%s' needs two %s, not %s and %s", symbol,
                       wants_ints(kind) ? "integers" : "integers or two floats", dtype_name(l),
                       dtype_name(r));
  DType t = dtype_bits(r) > dtype_bits(l) ? r : l;
  lhs = converted(b, lhs, t, at);
  rhs = converted(b, rhs, t, at);
  return expr_binary(b->ir, kind, lhs, rhs, is_bool_result(kind) ? DT_BOOL : t, at);
}

/* Does the tree consist of nothing but literals, arithmetic and names that the function does not
 * define?  Then Python itself computes it. */
static bool is_constant_tree(const SynExpr *e, void *ctx) {
  if (e->kind == SYN_NAME) return !scope_lookup(ctx, e->name);
  switch (e->kind) {
    case SYN_INT:
    case SYN_FLOAT:
    case SYN_STR:
    case SYN_TRUE:
    case SYN_FALSE:
    case SYN_NONE:
    case SYN_BINARY:
    case SYN_UNARY: return true;
    default: return false;
  }
}

static Expr *fold_constant(Builder *b, const SynExpr *e, bool *known) {
  *known = false;
  return b->jit || syn_walk(e, is_constant_tree, b) ? constant_expr(b, e, known) : NULL;
}

static ExprKind binary_kind(SynOp op) {
  switch (op) {
    case SYN_OP_ADD: return EXPR_ADD;
    case SYN_OP_SUB: return EXPR_SUB;
    case SYN_OP_MUL: return EXPR_MUL;
    case SYN_OP_DIV: return EXPR_FLOAT_DIV;
    case SYN_OP_FLOORDIV: return EXPR_FLOOR_DIV;
    case SYN_OP_MOD: return EXPR_FLOOR_MOD;
    case SYN_OP_POW: return EXPR_POW;
    case SYN_OP_SHL: return EXPR_SHL;
    case SYN_OP_SHR: return EXPR_SHR;
    case SYN_OP_BITAND: return EXPR_BIT_AND;
    case SYN_OP_BITOR: return EXPR_BIT_OR;
    case SYN_OP_BITXOR: return EXPR_BIT_XOR;
    case SYN_OP_EQ: return EXPR_EQ;
    case SYN_OP_NE: return EXPR_NE;
    case SYN_OP_LT: return EXPR_LT;
    case SYN_OP_LE: return EXPR_LE;
    case SYN_OP_GT: return EXPR_GT;
    case SYN_OP_GE: return EXPR_GE;
    default: return EXPR_VAR; /* none */
  }
}

static Expr *build_binary_expr(Builder *b, const SynExpr *e) {
  bool known;
  Expr *folded = fold_constant(b, e, &known);
  if (known) return folded;
  ExprKind kind = binary_kind(e->op);
  if (kind == EXPR_VAR) return build_error(b, e->at, "this operator has no meaning in a kernel");
  Expr *l = build_expr(b, e->lhs), *r = l ? build_expr(b, e->rhs) : NULL;
  return r ? build_binary(b, kind, l, r, e->at) : NULL;
}

static Expr *build_compare(Builder *b, const SynExpr *e) {
  if (e->nitems != 2)
    return build_error(b, e->at, "comparisons cannot be chained: write 'a < b and b < c'");
  ExprKind kind = binary_kind((SynOp)e->ops[0]);
  if (kind == EXPR_VAR)
    return build_error(
        b, e->at, "'in' and 'is' have no meaning in a kernel: compare with ==, !=, <, <=, >, >=");
  Expr *l = build_expr(b, e->items[0]), *r = l ? build_expr(b, e->items[1]) : NULL;
  return r ? build_binary(b, kind, l, r, e->at) : NULL;
}

static Expr *build_unary(Builder *b, const SynExpr *e) {
  bool known = false;
  Expr *folded = NULL;
  if (e->op != SYN_OP_NOT && e->op != SYN_OP_INVERT) folded = fold_constant(b, e, &known);
  if (known) return folded;
  if (e->op == SYN_OP_POS) return build_error(b, e->at, "a unary '+' has no meaning in a kernel");
  Expr *x = build_expr(b, e->lhs);
  if (!x) return NULL;
  if (e->op == SYN_OP_NOT) return expr_unary(b->ir, EXPR_NOT, x, DT_BOOL, e->at);
  if (!scalar_operand(b, x, e->op == SYN_OP_NEG ? "-" : "~", e->at)) return NULL;
  DType t = x->type->dtype;
  if (e->op == SYN_OP_INVERT) {
    if (!dtype_is_int(t))
      return build_error(b, e->at, "'~' takes an integer, not %s", dtype_name(t));
    return expr_unary(b->ir, EXPR_BIT_NOT, x, t, e->at);
  }
  if (x->kind == EXPR_INT && x->u.i != INT64_MIN) return expr_int(b->ir, -x->u.i, t, e->at);
  if (x->kind == EXPR_FLOAT) return expr_float(b->ir, -x->u.f, t, e->at);
  return expr_unary(b->ir, EXPR_NEG, x, t, e->at);
}

/* a and b and c is (a and b) and c; both sides are always computed.  A chain of any length nests, so it
 * has the same bound as other nesting. */
static Expr *build_bool(Builder *b, const SynExpr *e) {
  if (e->nitems > SYN_MAX_DEPTH)
    return build_error(b, e->at, "more than %d operands joined by 'and' or 'or'", SYN_MAX_DEPTH);
  Expr *v = build_expr(b, e->items[0]);
  for (size_t i = 1; v && i < e->nitems; i++) {
    Expr *r = build_expr(b, e->items[i]);
    v = r ? build_binary(b, e->op == SYN_OP_AND ? EXPR_AND : EXPR_OR, v, r, e->at) : NULL;
  }
  return v;
}

/* ---------------------------------------------------------------- all expressions */

/* Nodes in `t`, counting those of tuples within; no further than `limit`, for tuples may share what they hold. */
static int count_types(const Type *t, int limit, int depth) {
  int n = depth > SYN_MAX_DEPTH ? limit : 1;
  for (int i = 0; i < t->nelems && n < limit; i++)
    n += count_types(t->elems[i], limit - n, depth + 1);
  return n;
}

Expr *build_tuple(Builder *b, Expr *const *items, int n, Span at) {
  int room = MAX_TUPLE;
  for (int i = 0; i < n && room > 0; i++) room -= count_types(items[i]->type, room, 1);
  if (room > 0) return expr_tuple(b->ir, items, n, at);
  return build_error(b, at, "a tuple holds at most %d values, and tuples nest at most %d deep",
                     MAX_TUPLE - 1, SYN_MAX_DEPTH);
}

Expr *build_list(Builder *b, const SynExpr *e) {
  Expr **items = NEW_ARRAY(b->ir->arena, Expr *, e->nitems);
  for (size_t i = 0; i < e->nitems; i++)
    if (!(items[i] = build_expr(b, e->items[i]))) return NULL;
  return build_tuple(b, items, (int)e->nitems, e->at);
}

/* a.shape[0] in a @pl.jit function is a number; any other subscript takes a part of a value. */
static Expr *build_subscript_expr(Builder *b, const SynExpr *e) {
  bool known = false;
  Expr *v = b->jit && e->lhs->kind == SYN_ATTR ? constant_expr(b, e, &known) : NULL;
  return known ? v : build_subscript(b, e);
}

Expr *build_expr(Builder *b, const SynExpr *e) {
  switch (e->kind) {
    case SYN_NAME: return build_name(b, e);
    case SYN_INT: return build_int(b, e);
    case SYN_FLOAT: return expr_float(b->ir, e->real, DT_FP32, e->at);
    case SYN_TRUE:
    case SYN_FALSE: return expr_bool(b->ir, e->kind == SYN_TRUE, e->at);
    case SYN_NONE: /* "no task yet" */
      return build_op(b, OP_SYSTEM_TASK_INVALID, NULL, 0, (AttrList){0}, e->at);
    case SYN_ATTR: return build_attribute(b, e);
    case SYN_SUBSCRIPT: return build_subscript_expr(b, e);
    case SYN_CALL: return build_call(b, e);
    case SYN_UNARY: return build_unary(b, e);
    case SYN_BINARY: return build_binary_expr(b, e);
    case SYN_COMPARE: return build_compare(b, e);
    case SYN_BOOL: return build_bool(b, e);
    case SYN_TUPLE:
    case SYN_LIST: return build_list(b, e);
    default: return build_error(b, e->at, "%s has no meaning in a kernel", syn_kind_name(e));
  }
}
