/* FoldNoOpReshape: a reshape to the very same tile is a copy of the name;
 * docs/passes/fold-no-op-reshape.md. */
#include "ir/rewrite.h"
#include "ir/view.h"
#include "passes/memory/memref.h"
#include "passes/pass.h"

/* Same constant, or both unknown until run time. */
static bool same_extent(const Expr *a, const Expr *b) {
  int64_t x, y;
  bool ca = expr_const_int(a, &x), cb = expr_const_int(b, &y);
  return ca && cb ? x == y : ca == cb;
}

static bool same_extents(Expr *const *a, Expr *const *b, int n) {
  for (int i = 0; i < n; i++)
    if (!same_extent(a[i], b[i])) return false;
  return true;
}

/* A vector is declared as one row, but a part of it that is valid is not the same part of a row. */
static bool same_shape(const Type *a, const TileView *v, const Type *b, const TileView *w) {
  int64_t one;
  if (a->rank > b->rank) return same_shape(b, w, a, v);
  if (a->rank == b->rank)
    return v->nvalid == w->nvalid && same_extents(a->shape, b->shape, a->rank) &&
           same_extents(v->valid_shape, w->valid_shape, v->nvalid);
  return a->rank == 1 && b->rank == 2 && expr_const_int(b->shape[0], &one) && one == 1 &&
         same_extent(a->shape[0], b->shape[1]) &&
         same_extents(v->valid_shape, a->shape, v->nvalid) &&
         same_extents(w->valid_shape, b->shape, w->nvalid);
}

/* Would .pto declare the two tiles alike? */
static bool declared_alike(Ir *ir, const Type *a, const Type *b) {
  if (a->space != b->space || a->dtype != b->dtype) return false;
  TileView v = tile_view_of(ir, a), w = tile_view_of(ir, b);
  return v.blayout == w.blayout && v.slayout == w.slayout && v.fractal == w.fractal &&
         v.pad == w.pad && v.compact == w.compact && same_shape(a, &v, b, &w);
}

static bool is_no_op(Ir *ir, const Stmt *s) {
  if (s->kind != STMT_ASSIGN || !expr_is_op(s->u.assign.value, OP_TILE_RESHAPE)) return false;
  const Expr *call = s->u.assign.value, *var = s->u.assign.var;
  if (call->u.call.nargs != 2 || !expr_is_var(call->u.call.args[0])) return false;
  const Expr *from = call->u.call.args[0];
  return var_base(var) && var_base(var) == var_base(from) &&
         declared_alike(ir, var->type, from->type);
}

static void fold_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Stmt *t = rewrite_stmt_children(r, s);
  if (is_no_op(r->ir, t))
    t = stmt_assign(r->ir, t->u.assign.var, t->u.assign.value->u.call.args[0], t->span);
  vec_push(out, t);
}

static Function *fold_func(void *context, Function *f) {
  PassCtx *ctx = context;
  if (!func_is_incore(f->type)) return f;
  return rewrite_func_stmts(ctx->ir, f, fold_stmt, ctx);
}

Program *fold_no_op_reshape(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, fold_func, ctx);
}
