#include "ir/expr.h"

#include <stddef.h>
#include <string.h>

#include "ir/ir.h"

/* ---------------------------------------------------------------- construction */

/* Bytes of an expression of that kind: there are millions of them. */
static size_t expr_size(ExprKind kind) {
  switch (kind) {
    case EXPR_CALL:
    case EXPR_SUBMIT: return offsetof(Expr, u) + sizeof((Expr *)0)->u.call;
    case EXPR_VAR: return offsetof(Expr, u) + sizeof((Expr *)0)->u.var;
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL: return offsetof(Expr, u) + sizeof((Expr *)0)->u.i;
    default: return offsetof(Expr, u) + sizeof((Expr *)0)->u.bin;
  }
}
_Static_assert(sizeof((Expr *)0)->u.tuple <= sizeof((Expr *)0)->u.bin, "a tuple fits");
_Static_assert(sizeof((Expr *)0)->u.get <= sizeof((Expr *)0)->u.bin, "an element of a tuple fits");

static Expr *new_expr(Ir *ir, ExprKind kind, const Type *type, Span span) {
  Expr *e = arena_alloc(ir->arena, expr_size(kind));
  e->kind = kind;
  e->type = type;
  e->span = span;
  return e;
}

static Expr **own(Ir *ir, Expr *const *e, int n) {
  return n ? COPY_ARRAY(ir->arena, Expr *, e, n) : NULL;
}

static Expr *new_var(Ir *ir) { return pool_alloc(ir, &ir->vars, expr_size(EXPR_VAR)); }

Expr *expr_var(Ir *ir, Name name, const Type *type, Span span) {
  Expr *e = new_var(ir);
  e->kind = EXPR_VAR;
  e->type = type;
  e->span = span;
  e->u.var.name = name;
  e->u.var.id = ir->next_var++;
  return e;
}

Expr *expr_iter_arg(Ir *ir, Name name, const Type *type, Expr *init, Span span) {
  Expr *e = expr_var(ir, name, type, span);
  e->u.var.is_iter_arg = true;
  e->u.var.init = init;
  return e;
}

static Expr *new_int(Ir *ir, int64_t value, const Type *type, Span span) {
  Expr *e = new_expr(ir, EXPR_INT, type, span);
  e->u.i = value;
  return e;
}

Expr *expr_int(Ir *ir, int64_t value, DType dtype, Span span) {
  const Type *type = type_scalar(ir, dtype);
  if (span.line) return new_int(ir, value, type, span);
  size_t places = sizeof ir->ints / sizeof *ir->ints;
  Expr **known = &ir->ints[hash_mix((uint64_t)dtype, (uint64_t)value) % places];
  if (!*known || (*known)->u.i != value || (*known)->type != type)
    *known = new_int(ir, value, type, span);
  return *known;
}

Expr *expr_index(Ir *ir, int64_t value) { return expr_int(ir, value, DT_INDEX, NO_SPAN); }

Expr *expr_float(Ir *ir, double value, DType dtype, Span span) {
  Expr *e = new_expr(ir, EXPR_FLOAT, type_scalar(ir, dtype), span);
  e->u.f = value;
  return e;
}

Expr *expr_bool(Ir *ir, bool value, Span span) {
  Expr *e = new_expr(ir, EXPR_BOOL, type_scalar(ir, DT_BOOL), span);
  e->u.b = value;
  return e;
}

Expr *expr_binary(Ir *ir, ExprKind kind, Expr *lhs, Expr *rhs, DType dtype, Span span) {
  Expr *e = new_expr(ir, kind, type_scalar(ir, dtype), span);
  e->u.bin.lhs = lhs;
  e->u.bin.rhs = rhs;
  return e;
}

Expr *expr_unary(Ir *ir, ExprKind kind, Expr *operand, DType dtype, Span span) {
  Expr *e = new_expr(ir, kind, type_scalar(ir, dtype), span);
  e->u.operand = operand;
  return e;
}

Expr *expr_cast(Ir *ir, Expr *operand, DType dtype, Span span) {
  return expr_unary(ir, EXPR_CAST, operand, dtype, span);
}

Expr *expr_tuple(Ir *ir, Expr *const *elems, int n, Span span) {
  const Type *few[8],
      **types = n <= (int)(sizeof few / sizeof *few) ? few : NEW_ARRAY(ir->arena, const Type *, n);
  for (int i = 0; i < n; i++) types[i] = elems[i]->type;
  Expr *e = new_expr(ir, EXPR_TUPLE, type_tuple(ir, types, n), span);
  e->u.tuple.elems = own(ir, elems, n);
  e->u.tuple.len = n;
  return e;
}

Expr *expr_tuple_get(Ir *ir, Expr *tuple, int index, Span span) {
  const Type *t = tuple->type;
  bool known = t->kind == TYPE_TUPLE && index >= 0 && index < t->nelems;
  Expr *e = new_expr(ir, EXPR_TUPLE_GET, known ? t->elems[index] : type_unknown(ir), span);
  e->u.get.tuple = tuple;
  e->u.get.index = index;
  return e;
}

static Expr *new_call(Ir *ir, ExprKind kind, Expr *const *args, int nargs, AttrList kwargs,
                      const Type *type, Span span) {
  Expr *e = new_expr(ir, kind, type, span);
  e->u.call.args = own(ir, args, nargs);
  e->u.call.nargs = nargs;
  e->u.call.kwargs = kwargs;
  return e;
}

Expr *expr_call_op(Ir *ir, const Op *op, Expr *const *args, int nargs, AttrList kwargs,
                   const Type *type, Span span) {
  Expr *e = new_call(ir, EXPR_CALL, args, nargs, kwargs, type, span);
  e->u.call.op = op;
  return e;
}

Expr *expr_call_func(Ir *ir, Name callee, Expr *const *args, int nargs, AttrList kwargs,
                     AttrList attrs, const Type *type, Span span) {
  Expr *e = new_call(ir, EXPR_CALL, args, nargs, kwargs, type, span);
  e->u.call.callee = callee;
  e->u.call.attrs = attrs;
  return e;
}

Expr *expr_submit(Ir *ir, Name callee, Expr *const *args, int nargs, AttrList kwargs,
                  AttrList attrs, const Launch *launch, const Type *type, Span span) {
  Expr *e = new_call(ir, EXPR_SUBMIT, args, nargs, kwargs, type, span);
  e->u.call.callee = callee;
  e->u.call.attrs = attrs;
  e->u.call.launch = launch ? COPY_ARRAY(ir->arena, Launch, launch, 1) : NULL;
  return e;
}

Expr *expr_copy(Ir *ir, const Expr *e) {
  Expr *copy = e->kind == EXPR_VAR ? new_var(ir) : arena_alloc(ir->arena, expr_size(e->kind));
  return memcpy(copy, e, expr_size(e->kind));
}

/* ---------------------------------------------------------------- structure */

static bool same_list(Expr *const *a, int na, Expr *const *b, int nb) {
  if (na != nb) return false;
  for (int i = 0; i < na; i++)
    if (!expr_same(a[i], b[i])) return false;
  return true;
}

static bool same_attrs(AttrList a, AttrList b) {
  if (a.len != b.len) return false;
  for (int i = 0; i < a.len; i++)
    if (a.items[i].key != b.items[i].key || !attr_equal(&a.items[i].value, &b.items[i].value))
      return false;
  return true;
}

static bool same_optional(const Expr *a, const Expr *b) {
  return a == b || (a && b && expr_same(a, b));
}

static bool same_launch(const Launch *a, const Launch *b) {
  if (a == b) return true;
  return a && b && same_list(a->deps, a->ndeps, b->deps, b->ndeps) &&
         same_optional(a->core_num, b->core_num) && same_optional(a->predicate, b->predicate) &&
         a->sync_start == b->sync_start && a->allow_early_resolve == b->allow_early_resolve;
}

bool expr_same(const Expr *a, const Expr *b) {
  if (a == b) return true;
  if (a->kind != b->kind || a->type != b->type) return false;
  switch (a->kind) {
    case EXPR_VAR: return false;
    case EXPR_INT: return a->u.i == b->u.i;
    case EXPR_FLOAT: return memcmp(&a->u.f, &b->u.f, sizeof a->u.f) == 0;
    case EXPR_BOOL: return a->u.b == b->u.b;
    case EXPR_CALL:
    case EXPR_SUBMIT:
      return a->u.call.op == b->u.call.op && a->u.call.callee == b->u.call.callee &&
             same_list(a->u.call.args, a->u.call.nargs, b->u.call.args, b->u.call.nargs) &&
             same_attrs(a->u.call.kwargs, b->u.call.kwargs) &&
             same_attrs(a->u.call.attrs, b->u.call.attrs) &&
             same_launch(a->u.call.launch, b->u.call.launch);
    case EXPR_TUPLE:
      return same_list(a->u.tuple.elems, a->u.tuple.len, b->u.tuple.elems, b->u.tuple.len);
    case EXPR_TUPLE_GET:
      return a->u.get.index == b->u.get.index && expr_same(a->u.get.tuple, b->u.get.tuple);
    default:
      if (expr_is_unary(a)) return expr_same(a->u.operand, b->u.operand);
      return expr_same(a->u.bin.lhs, b->u.bin.lhs) && expr_same(a->u.bin.rhs, b->u.bin.rhs);
  }
}

uint64_t expr_hash(const Expr *e) {
  uint64_t h = hash_mix((uint64_t)e->kind, (uint64_t)(e->type->dtype));
  switch (e->kind) {
    case EXPR_VAR: return hash_mix(h, e->u.var.id);
    case EXPR_INT: return hash_mix(h, (uint64_t)e->u.i);
    case EXPR_FLOAT: return hash_mix(h, hash_bytes(&e->u.f, sizeof e->u.f));
    case EXPR_BOOL: return hash_mix(h, e->u.b);
    case EXPR_CALL:
    case EXPR_SUBMIT:
      h = hash_mix(h, (uint64_t)(uintptr_t)e->u.call.op ^ (uint64_t)(uintptr_t)e->u.call.callee);
      for (int i = 0; i < e->u.call.nargs; i++) h = hash_mix(h, expr_hash(e->u.call.args[i]));
      return h;
    case EXPR_TUPLE:
      for (int i = 0; i < e->u.tuple.len; i++) h = hash_mix(h, expr_hash(e->u.tuple.elems[i]));
      return h;
    case EXPR_TUPLE_GET: return hash_mix(expr_hash(e->u.get.tuple), (uint64_t)e->u.get.index);
    default:
      if (expr_is_unary(e)) return hash_mix(h, expr_hash(e->u.operand));
      return hash_mix(hash_mix(h, expr_hash(e->u.bin.lhs)), expr_hash(e->u.bin.rhs));
  }
}

/* ---------------------------------------------------------------- scalar operators */

static const struct {
  const char *symbol;
  int precedence;
} scalar_ops[] = {
#define BINARY(id, symbol, precedence) [EXPR_##id] = {symbol, precedence},
#define UNARY(id, symbol, precedence) [EXPR_##id] = {symbol, precedence},
#include "ir/scalar_ops.def"
#undef BINARY
#undef UNARY
};

const char *scalar_op_symbol(ExprKind kind) { return scalar_ops[kind].symbol; }
int scalar_op_precedence(ExprKind kind) { return scalar_ops[kind].precedence; }
