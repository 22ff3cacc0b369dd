/* insert_mx_scale_addr.c -- scales of MX products follow their data; see docs/passes/insert-mx-scale-addr.md. */
#include "ir/op.h"
#include "ir/rewrite.h"
#include "passes/pass.h"
#include "target/target.h"

typedef struct Insert {
  const CompileOptions *opts;
  bool failed;
} Insert;

/* The first data operand of an MX product, or -1; its scale, the other data operand and that one's scale follow. */
static int first_data(const Op *op) {
  switch (op ? op->id : OP_NONE) {
    case OP_TILE_MATMUL_MX:
    case OP_TILE_MATMUL_MX_BIAS: return 0;
    case OP_TILE_MATMUL_MX_ACC: return 1;
    default: return -1;
  }
}

static bool is_pair(const Expr *data, const Expr *scale) {
  if (!expr_is_var(data) || !expr_is_var(scale)) return false;
  MemSpace d = data->type->space, s = scale->type->space;
  return (d == MEM_LEFT && s == MEM_LEFT_SCALE) || (d == MEM_RIGHT && s == MEM_RIGHT_SCALE);
}

/* The scale bound to its data, assigned in front; NULL after an error. */
static Expr *bind_scale(Rewriter *r, Expr *data, Expr *scale, Span at, StmtList *out) {
  Expr *args[] = {scale, data};
  if (!is_pair(data, scale)) {
    diag_error(
        r->ir->diag, at,
        "an operand and its scale must lie in Left and LeftScale, or in Right and RightScale");
    return NULL;
  }
  Expr *value = op_call_id(r->ir, OP_TILE_TGET_SCALE_ADDR, args, 2, (AttrList){0}, at);
  if (!value) return NULL;
  Name name = ir_name(r->ir, arena_printf(r->ir->arena, "%s_bound", scale->u.var.name));
  Expr *var = expr_var(r->ir, name, value->type, at);
  vec_push(out, stmt_assign(r->ir, var, value, at));
  return var;
}

/* The product with its scales bound; NULL after an error. */
static Expr *bind_scales(Rewriter *r, const Expr *call, StmtList *out) {
  const Insert *x = r->ctx;
  const Op *op = call->u.call.op;
  if (x->opts->target_chosen && !x->opts->target->mx_matmul) {
    diag_error(r->ir->diag, call->span, "%s: %s has no such product", op->name,
               x->opts->target->name);
    return NULL;
  }
  Expr **args = COPY_ARRAY(r->ir->arena, Expr *, call->u.call.args, call->u.call.nargs);
  for (int i = first_data(op), last = i + 2; i <= last; i += 2)
    if (!(args[i + 1] = bind_scale(r, args[i], args[i + 1], call->span, out))) return NULL;
  Expr *bound = op_call(r->ir, op, args, call->u.call.nargs, call->u.call.kwargs, call->span);
  if (bound) bound->u.call.attrs = call->u.call.attrs;
  return bound;
}

static void on_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Insert *x = r->ctx;
  if (s->kind != STMT_ASSIGN || first_data(expr_op(s->u.assign.value)) < 0) {
    vec_push(out, rewrite_stmt_children(r, s));
    return;
  }
  Expr *bound = bind_scales(r, s->u.assign.value, out);
  if (bound)
    vec_push(out, stmt_assign(r->ir, s->u.assign.var, bound, s->span));
  else
    x->failed = true;
}

static Function *on_func(void *ctx, Function *f) {
  PassCtx *pass = ctx;
  if (f->type != FUNC_INCORE) return f;
  Insert x = {.opts = pass->opts};
  Rewriter r;
  rewriter_init(&r, pass->ir, &x);
  r.stmt = on_stmt;
  f = rewrite_func(&r, f);
  rewriter_free(&r);
  return x.failed ? NULL : f;
}

Program *insert_mx_scale_addr(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, on_func, ctx);
}
