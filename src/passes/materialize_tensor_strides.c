/* MaterializeTensorStrides: writes down the strides that a tensor's layout implies;
 * docs/passes/materialize-tensor-strides.md. */
#include "ir/rewrite.h"
#include "ir/view.h"
#include "passes/pass.h"

typedef struct Fill {
  Ir *ir;
  Span at; /* of the value whose type is being looked at */
  bool failed;
} Fill;

static const Type *fill_tensor(Fill *f, const Type *t) {
  const TensorView *v = t->tensor_view;
  if (!v) return t;
  if (v->layout == LAYOUT_NZ && !tensor_is_blocked_nz(t)) {
    diag_error(f->ir->diag, f->at, "a tensor in NZ order has no strides over rows and columns");
    diag_note(f->ir->diag, NO_SPAN,
              "BlockNzTensorViews gives it the shape of its boxes, which has");
    f->failed = true;
    return t;
  }
  if (v->nstride || t->rank == 0) return t;
  Expr **stride = packed_strides(f->ir, t->shape, t->rank, v->layout);
  if (!stride) {
    diag_error(f->ir->diag, f->at, "a tensor of %d dimensions cannot have the layout %s", t->rank,
               enum_name(ENUM_LAYOUT, v->layout));
    f->failed = true;
    return t;
  }
  TensorView n = *v;
  n.stride = stride;
  n.nstride = t->rank;
  return type_with_tensor_view(f->ir, t, &n);
}

static const Type *fill_type(Rewriter *r, const Type *t) {
  t = rewrite_type_children(r, t);
  return type_is_tensor(t) ? fill_tensor(r->ctx, t) : t;
}

static Expr *fill_expr(Rewriter *r, Expr *e) {
  Fill *f = r->ctx;
  if (expr_is_call(e)) f->at = e->span;
  return rewrite_expr_children(r, e);
}

static Expr *fill_def(Rewriter *r, Expr *var) {
  Fill *f = r->ctx;
  f->at = var->span;
  return rewrite_def_default(r, var);
}

/* The left side takes the strides that the right side's call has been given.  A new assignment has no comments. */
static void fill_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Stmt *t = rewrite_stmt_children(r, s);
  if (s->kind == STMT_ASSIGN && t != s) {
    const Expr *value = t->u.assign.value;
    Expr *var = t->u.assign.var;
    t = stmt_copy(r->ir, t);
    t->ncomments = 0;
    if (value->kind == EXPR_CALL && type_is_tensor(value->type) && type_is_tensor(var->type) &&
        value->type != var->type) {
      t->u.assign.var = expr_var(r->ir, var->u.var.name, value->type, var->span);
      map_set(&r->subst, s->u.assign.var, t->u.assign.var);
    }
  }
  vec_push(out, t);
}

static Function *fill_func(void *context, Function *f) {
  PassCtx *ctx = context;
  Fill fill = {.ir = ctx->ir, .at = f->span};
  Rewriter r;
  rewriter_init(&r, ctx->ir, &fill);
  r.type = fill_type;
  r.expr = fill_expr;
  r.def = fill_def;
  r.stmt = fill_stmt;
  Function *g = rewrite_func(&r, f);
  rewriter_free(&r);
  return fill.failed ? NULL : g;
}

Program *materialize_tensor_strides(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, fill_func, ctx);
}
