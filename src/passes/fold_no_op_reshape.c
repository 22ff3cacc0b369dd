/* FoldNoOpReshape: a reshape to the very same tile is a copy of the name;
 * docs/passes/fold-no-op-reshape.md. */
#include "ir/rewrite.h"
#include "ir/view.h"
#include "passes/pass.h"
#include "passes/util/memref.h"

/* Same constant, or both unknown until run time. */
static bool same_extent(const Expr *a, const Expr *b) {
  int64_t x, y;
  bool ca = expr_const_int(a, &x), cb = expr_const_int(b, &y);
  return ca && cb ? x == y : ca == cb;
}

/* Would .pto declare the two tiles alike? */
static bool declared_alike(Ir *ir, const Type *a, const Type *b) {
  if (a->space != b->space || a->dtype != b->dtype || a->rank != b->rank) return false;
  for (int i = 0; i < a->rank; i++)
    if (!same_extent(a->shape[i], b->shape[i])) return false;
  TileView v = tile_view_of(ir, a), w = tile_view_of(ir, b);
  if (v.blayout != w.blayout || v.slayout != w.slayout || v.fractal != w.fractal || v.pad != w.pad ||
      v.compact != w.compact || v.nvalid != w.nvalid)
    return false;
  for (int i = 0; i < v.nvalid; i++)
    if (!same_extent(v.valid_shape[i], w.valid_shape[i])) return false;
  return true;
}

static bool is_no_op(Ir *ir, const Stmt *s) {
  if (s->kind != STMT_ASSIGN || !expr_is_op(s->u.assign.value, OP_TILE_RESHAPE)) return false;
  const Expr *call = s->u.assign.value, *var = s->u.assign.var;
  if (call->u.call.nargs != 2 || !expr_is_var(call->u.call.args[0])) return false;
  const Expr *from = call->u.call.args[0];
  return var_base(var) && var_base(var) == var_base(from) && declared_alike(ir, var->type, from->type);
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
  Rewriter r;
  rewriter_init(&r, ctx->ir, ctx);
  r.stmt = fold_stmt;
  f = rewrite_func(&r, f);
  rewriter_free(&r);
  return f;
}

Program *fold_no_op_reshape(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, fold_func, ctx);
}
