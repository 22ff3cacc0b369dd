/* stamp_tfree_split.c -- slots of pipes are freed the way they were taken; see
 * docs/passes/stamp-tfree-split.md. */
#include "ir/op.h"
#include "ir/rewrite.h"
#include "passes/pass.h"

typedef struct Stamp {
  Map pops; /* variable -> the call of tpop that gave it */
  Name split, id;
  bool failed;
} Stamp;

/* The tpop that gave the freed tile; NULL after an error. */
static const Expr *matching_pop(Rewriter *r, const Expr *free_call) {
  Stamp *st = r->ctx;
  const char *name = free_call->u.call.op->name;
  bool to_aic = expr_is_op(free_call, OP_SYSTEM_TFREE_TO_AIC);
  const char *wanted = to_aic ? "tile.tpop_from_aic" : "tile.tpop_from_aiv";
  const Expr *pop = map_get(&st->pops, free_call->u.call.args[0]);
  st->failed = true;
  if (!pop) {
    diag_error(r->ir->diag, free_call->span, "%s: its tile was not taken by %s", name, wanted);
    return NULL;
  }
  if (!expr_is_op(pop, to_aic ? OP_TILE_TPOP_FROM_AIC : OP_TILE_TPOP_FROM_AIV)) {
    diag_error(r->ir->diag, free_call->span, "%s: its tile was taken by %s, not by %s", name,
               pop->u.call.op->name, wanted);
    return NULL;
  }
  const AttrValue *id = attr_get(free_call->u.call.kwargs, st->id);
  if (id && id->u.i != attr_int(pop->u.call.kwargs, st->id, 0)) {
    diag_error(r->ir->diag, free_call->span, "%s: pipe %lld, but its tile was taken from pipe %lld",
               name, (long long)id->u.i, (long long)attr_int(pop->u.call.kwargs, st->id, 0));
    return NULL;
  }
  st->failed = false;
  return pop;
}

static Stmt *stamp(Rewriter *r, Stmt *s) {
  Stamp *st = r->ctx;
  Expr *call = s->u.eval;
  const Expr *pop = matching_pop(r, call);
  if (!pop) return s;
  const AttrValue *id = attr_get(call->u.call.kwargs, st->id);
  if (!id) id = attr_get(pop->u.call.kwargs, st->id);
  AttrList kw = attr_with(r->ir, (AttrList){0}, st->split,
                          attr_of_int(attr_int(pop->u.call.kwargs, st->split, 0)));
  if (id) kw = attr_with(r->ir, kw, st->id, attr_of_int(id->u.i));
  Expr *stamped = expr_copy(r->ir, call);
  stamped->u.call.kwargs = kw;
  return stmt_eval(r->ir, stamped, s->span);
}

static void on_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Stamp *st = r->ctx;
  s = rewrite_stmt_children(r, s);
  if (s->kind == STMT_ASSIGN && expr_op(s->u.assign.value) &&
      s->u.assign.value->u.call.op->cross_role == CROSS_POP)
    map_set(&st->pops, s->u.assign.var, s->u.assign.value);
  bool frees = s->kind == STMT_EVAL && expr_op(s->u.eval) &&
               s->u.eval->u.call.op->cross_role == CROSS_FREE && s->u.eval->u.call.nargs > 0 &&
               expr_is_var(s->u.eval->u.call.args[0]);
  vec_push(out, frees ? stamp(r, s) : s);
}

static Function *on_func(void *ctx, Function *f) {
  Ir *ir = ctx;
  Stamp st = {.split = key_name(KEY_SPLIT), .id = key_name(KEY_ID)};
  Rewriter r;
  rewriter_init(&r, ir, &st);
  r.stmt = on_stmt;
  Function *g = rewrite_func(&r, f);
  rewriter_free(&r);
  map_free(&st.pops);
  return st.failed ? NULL : g;
}

Program *stamp_tfree_split(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, on_func, ctx->ir);
}
