#include "passes/needs.h"

#include "ir/op.h"
#include "ir/visit.h"

/* ---------------------------------------------------------------- the first place of a kind */

typedef struct Find {
  PassCtx *ctx;
  const Program *program;
  const Function *func;
  bool (*expr)(struct Find *f, Expr *e);
  bool (*stmt)(struct Find *f, Stmt *s);
  bool found;
  Span at;
} Find;

static bool on_expr(Visitor *v, Expr *e) {
  Find *f = v->ctx;
  if (!f->found && f->expr && f->expr(f, e)) {
    f->found = true;
    f->at = e->span;
  }
  return !f->found;
}

static bool on_stmt(Visitor *v, Stmt *s) {
  Find *f = v->ctx;
  if (!f->found && f->stmt && f->stmt(f, s)) {
    f->found = true;
    f->at = s->span;
  }
  return !f->found;
}

static bool find(Find *f, PassCtx *ctx, const Program *p, Span *at) {
  f->ctx = ctx;
  f->program = p;
  Visitor v = {.ctx = f, .expr = on_expr, .stmt = on_stmt};
  for (int i = 0; i < p->nfuncs && !f->found; i++) {
    f->func = p->funcs[i];
    visit_func(&v, p->funcs[i]);
  }
  *at = f->at;
  return f->found;
}

static bool is_one_of(const Expr *e, const OpId *ids) {
  for (; *ids != OP_NONE; ids++)
    if (expr_is_op(e, *ids)) return true;
  return false;
}

/* ---------------------------------------------------------------- two kinds of cores */

static bool is_split_region(Find *f, Stmt *s) {
  (void)f;
  return s->kind == STMT_SCOPE && s->u.scope.kind == SCOPE_SPLIT_AIV;
}

static bool is_split_op(Find *f, Expr *e) {
  static const OpId ids[] = {OP_TILE_AIV_SHARD, OP_TILE_AIC_GATHER, OP_NONE};
  Name split = ir_name(f->ctx->ir, "split");
  return is_one_of(e, ids) || (f->func->type == FUNC_INCORE && attr_get(f->func->attrs, split));
}

bool needs_lower_auto_vector_split(PassCtx *ctx, const Program *p, Span *at) {
  Find f = {.stmt = is_split_region, .expr = is_split_op};
  return find(&f, ctx, p, at);
}
