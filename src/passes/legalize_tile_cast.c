/* legalize_tile_cast.c -- casts that the chip has no instruction for become chains of those it has; see
 * docs/passes/legalize-tile-cast.md. */
#include <ctype.h>

#include "ir/op.h"
#include "ir/rewrite.h"
#include "passes/pass.h"
#include "passes/util/auto_name.h"
#include "passes/util/cast_chain.h"

typedef struct Legalize {
  PassCtx *pass;
  Name target_type, saturation_mode;
  int temps; /* inner hops named so far in this function */
} Legalize;

/* "cast_fp32": how a hop to the type stands in a name. */
static Name hop_name(Ir *ir, DType t) {
  if (t == DT_BF16) return ir_name(ir, "cast_bfloat16");
  char *s = arena_printf(ir->arena, "cast_%s", dtype_name(t));
  for (char *p = s; *p; p++) *p = (char)tolower((unsigned char)*p);
  return ir_name(ir, s);
}

/* The cast with another operand and target; its other keywords stay, saturation only on the last hop. */
static Expr *hop(Legalize *l, Ir *ir, const Expr *cast, Expr *operand, DType to, bool last,
                 Span at) {
  AttrList kwargs = attr_with(ir, cast->u.call.kwargs, l->target_type, attr_of_dtype(to));
  if (!last) kwargs = attr_without(ir, kwargs, l->saturation_mode);
  return op_call(ir, cast->u.call.op, &operand, 1, kwargs, at);
}

static void expand(Legalize *l, Rewriter *r, Stmt *s, const DType *chain, int n, StmtList *out) {
  Ir *ir = r->ir;
  Expr *cast = s->u.assign.value, *value = rewrite_expr(r, cast->u.call.args[0]);
  Name base = auto_name_parse(ir, s->u.assign.var->u.var.name).base;
  for (int i = 0; i < n; i++) {
    value = hop(l, ir, cast, value, chain[i], i == n - 1, s->span);
    if (!value) return;
    if (i == n - 1) break;
    Expr *temp = expr_var(ir, auto_name_build(ir, base, hop_name(ir, chain[i]), "tmp", l->temps++),
                          value->type, s->span);
    vec_push(out, stmt_assign(ir, temp, value, s->span));
    value = temp;
  }
  Stmt *last = stmt_copy(ir, s);
  last->u.assign.value = value;
  last->u.assign.var = rewrite_def(r, s->u.assign.var);
  vec_push(out, last);
}

static void on_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Legalize *l = r->ctx;
  DType chain[DT_COUNT];
  if (s->kind == STMT_ASSIGN && expr_is_op(s->u.assign.value, OP_TILE_CAST)) {
    const Expr *cast = s->u.assign.value;
    const AttrValue *to = attr_get(cast->u.call.kwargs, l->target_type);
    DType from = cast->u.call.args[0]->type->dtype;
    const Target *target = l->pass->opts->target;
    int n = to && to->kind == ATTR_DTYPE ? cast_chain(target, from, to->u.dtype, chain) : 1;
    if (n == 0)
      diag_error(r->ir->diag, s->span, "%s has no conversion from %s to %s, directly or by steps",
                 target->name, dtype_name(from), dtype_name(to->u.dtype));
    if (n > 1) {
      expand(l, r, s, chain, n, out);
      return;
    }
  }
  vec_push(out, rewrite_stmt_children(r, s));
}

static Function *on_func(void *ctx, Function *f) {
  PassCtx *pass = ctx;
  if (f->level == LEVEL_HOST) return f;
  Legalize l = {.pass = pass,
                .target_type = key_name(KEY_TARGET_TYPE),
                .saturation_mode = key_name(KEY_SATURATION_MODE)};
  return rewrite_func_stmts(pass->ir, f, on_stmt, &l);
}

Program *legalize_tile_cast(PassCtx *ctx, Program *p) {
  int errors = ctx->ir->diag->errors;
  p = rewrite_program(ctx->ir, p, on_func, ctx);
  return ctx->ir->diag->errors == errors ? p : NULL;
}
