/* build_returns.c -- the type of a call of a function: its return types, with the dynamic dimensions of
 * its parameters replaced by what the arguments have there. */
#include "ir/rewrite.h"
#include "ir/view.h"
#include "parser/build.h"

/* A variable that a second argument gives a value too. */
typedef struct Again {
  Expr *var, *first, *second;
} Again;

typedef struct Bindings {
  Builder *b;
  Map *subst; /* the callee's variable -> the caller's expression */
  VEC(Again) again;
} Bindings;

static bool surely_equal(Builder *b, Expr *x, Expr *y) {
  const IrArith *arith = b->ir->arith;
  if (expr_same(x, y)) return true;
  if (!arith || !arith->simplify || !is_scalar_of(x, x->type->dtype) ||
      !is_scalar_of(y, y->type->dtype))
    return false;
  return expr_same(arith->simplify(b->ir, x), arith->simplify(b->ir, y));
}

/* Would every variable of `pattern` find its counterpart in `value`? */
static bool fits(Builder *b, Expr *pattern, Expr *value) {
  if (expr_is_var(pattern) || surely_equal(b, pattern, value)) return true;
  if (pattern->kind != value->kind) return false;
  if (expr_is_binary(pattern))
    return fits(b, pattern->u.bin.lhs, value->u.bin.lhs) &&
           fits(b, pattern->u.bin.rhs, value->u.bin.rhs);
  return expr_is_unary(pattern) && fits(b, pattern->u.operand, value->u.operand);
}

static void bind_var(Bindings *bs, Expr *var, Expr *value) {
  if (var == value) return; /* says nothing: the caller's annotation names the same dimension */
  Expr *old = map_get(bs->subst, var);
  Again again = {var, old, value};
  if (!old)
    map_set(bs->subst, var, value);
  else if (!expr_same(old, value))
    vec_push(&bs->again, again);
}

/* Do all arguments agree?  Asked when all are bound: a value may name a variable that a later argument binds. */
static bool agree(Bindings *bs, Rewriter *r, const Function *f, Span at) {
  for (size_t i = 0; i < bs->again.len; i++) {
    const Again *a = &bs->again.data[i];
    if (surely_equal(bs->b, rewrite_expr(r, a->first), rewrite_expr(r, a->second))) continue;
    build_error(
        bs->b, at,
        "the arguments of '%s' give its dynamic dimension '%s' two values that are not known "
        "to be equal",
        f->name, a->var->u.var.name);
    return false;
  }
  return true;
}

static void bind_expr(Bindings *bs, Expr *pattern, Expr *value) {
  if (!pattern || !value) return;
  if (expr_is_var(pattern)) {
    bind_var(bs, pattern, value);
  } else if (fits(bs->b, pattern, value) && pattern->kind == value->kind) {
    if (expr_is_binary(pattern)) {
      bind_expr(bs, pattern->u.bin.lhs, value->u.bin.lhs);
      bind_expr(bs, pattern->u.bin.rhs, value->u.bin.rhs);
    } else if (expr_is_unary(pattern)) {
      bind_expr(bs, pattern->u.operand, value->u.operand);
    }
  }
}

static void bind_exprs(Bindings *bs, Expr *const *p, int np, Expr *const *v, int nv) {
  for (int i = 0; i < np && i < nv; i++) bind_expr(bs, p[i], v[i]);
}

static void bind_types(Bindings *bs, const Type *p, const Type *v) {
  if (p->kind == TYPE_TUPLE && v->kind == TYPE_TUPLE)
    for (int i = 0; i < p->nelems && i < v->nelems; i++) bind_types(bs, p->elems[i], v->elems[i]);
  bool tensors = type_is_tensor(p) && type_is_tensor(v), tiles = type_is_tile(p) && type_is_tile(v);
  if (!tensors && !tiles) return;
  int np, nv;
  bind_exprs(bs, p->shape, p->rank, v->shape, v->rank);
  Expr *const *pv = type_valid_shape(p, &np), *const *vv = type_valid_shape(v, &nv);
  bind_exprs(bs, pv, np, vv, nv);
  if (tensors && p->tensor_view && v->tensor_view)
    bind_exprs(bs, p->tensor_view->stride, p->tensor_view->nstride, v->tensor_view->stride,
               v->tensor_view->nstride);
  if (tiles && p->tile_view && v->tile_view) {
    bind_exprs(bs, p->tile_view->stride, p->tile_view->nstride, v->tile_view->stride,
               v->tile_view->nstride);
    bind_expr(bs, p->tile_view->start_offset, v->tile_view->start_offset);
  }
}

bool build_return_types(Builder *b, const Function *f, Expr *const *params, Expr *const *args,
                        int n, const Type **types, int ntypes, Span at) {
  Rewriter r;
  rewriter_init(&r, b->ir, b);
  Bindings bs = {.b = b, .subst = &r.subst};
  for (int i = 0; i < n; i++) bind_types(&bs, params[i]->type, args[i]->type);
  bool ok = agree(&bs, &r, f, at);
  for (int i = 0; ok && r.subst.count && i < ntypes; i++) types[i] = rewrite_type(&r, types[i]);
  rewriter_free(&r);
  vec_free(&bs.again);
  return ok;
}

/* ---------------------------------------------------------------- functions without an annotation */

/* The first return with values, in the order of the text. */
static const Stmt *first_return(Block block) {
  for (int i = 0; i < block.len; i++) {
    const Stmt *s = block.items[i], *found = NULL;
    switch (s->kind) {
      case STMT_RETURN: found = s->u.ret.len ? s : NULL; break;
      case STMT_IF:
        found = first_return(s->u.if_.then_body);
        if (!found) found = first_return(s->u.if_.else_body);
        break;
      case STMT_FOR:
      case STMT_WHILE: found = first_return(s->u.loop.body); break;
      case STMT_SCOPE: found = first_return(s->u.scope.body); break;
      default: break;
    }
    if (found) return found;
  }
  return NULL;
}

const Type **effective_returns(Builder *b, const Function *f, int *n) {
  *n = f->nreturns;
  if (*n) return COPY_ARRAY(b->ir->arena, const Type *, f->returns, *n);
  const Stmt *s = map_get(&b->returns, f);
  if (!s && !map_has(&b->returns, f)) {
    s = first_return(f->body);
    map_set(&b->returns, f, (void *)s);
  }
  if (!s) return NULL;
  const Type **types = NEW_ARRAY(b->ir->arena, const Type *, s->u.ret.len);
  for (int i = 0; i < s->u.ret.len; i++) {
    types[i] = s->u.ret.values[i]->type;
    if (types[i]->kind == TYPE_UNKNOWN) return NULL;
  }
  *n = s->u.ret.len;
  return types;
}
