/* outline_incore_scopes.c -- see docs/passes/outline-incore-scopes.md. */
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/outline/outline.h"
#include "passes/pass.h"

/* ---- reads of dimensions that the signature names ---- */

typedef struct DimFold {
  Map symbols; /* variables that stand alone as dimensions of tensor parameters */
} DimFold;

/* The dimension that `pl.tensor.dim(t, AXIS)` reads, if it is one of the symbols. */
static Expr *named_dimension(const DimFold *d, const Expr *e) {
  int64_t axis;
  if (!expr_is_op(e, OP_TENSOR_DIM) || e->u.call.nargs != 2 ||
      !expr_const_int(e->u.call.args[1], &axis))
    return NULL;
  const Type *t = e->u.call.args[0]->type;
  if (t->kind != TYPE_TENSOR) return NULL;
  if (axis < 0) axis += t->rank;
  if (axis < 0 || axis >= t->rank) return NULL;
  return map_has(&d->symbols, t->shape[axis]) ? t->shape[axis] : NULL;
}

static void fold_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Stmt *n = rewrite_stmt_children(r, s);
  Expr *dim = n->kind == STMT_ASSIGN ? named_dimension(r->ctx, n->u.assign.value) : NULL;
  if (dim)
    map_set(&r->subst, s->u.assign.var, dim);
  else
    vec_push(out, n);
}

static Block fold_dim_reads(Ir *ir, const Function *f) {
  DimFold d = {0};
  for (int i = 0; i < f->nparams; i++) {
    const Type *t = f->params[i]->type;
    for (int k = 0; t->kind == TYPE_TENSOR && k < t->rank; k++)
      if (t->shape[k]->kind == EXPR_VAR) map_set(&d.symbols, t->shape[k], map_int(1));
  }
  Block body = f->body;
  if (d.symbols.count > 0) {
    Rewriter r;
    rewriter_init(&r, ir, &d);
    r.stmt = fold_stmt;
    body = rewrite_block(&r, body);
    rewriter_free(&r);
  }
  map_free(&d.symbols);
  return body;
}

/* ---- the pass ---- */

static bool note_incore(Visitor *v, Stmt *s) {
  bool *found = v->ctx;
  if (s->kind == STMT_SCOPE && s->u.scope.kind == SCOPE_INCORE) *found = true;
  return !*found;
}

static bool has_incore(const Function *f) {
  bool found = false;
  Visitor v = {.ctx = &found, .stmt = note_incore};
  visit_block(&v, f->body);
  return found;
}

/* The function without its InCore scopes; NULL after an error. */
static Function *outline(Ir *ir, const OutlineSpec *spec, Function *f, FuncList *made) {
  Block body = f->type == FUNC_OPAQUE ? fold_dim_reads(ir, f) : f->body;
  if (!outline_scopes(ir, spec, f, &body, made)) return NULL;
  Function *out = func_copy(ir, f);
  out->body = body;
  out->type = f->type == FUNC_OPAQUE ? FUNC_ORCHESTRATION : f->type;
  out->level = func_type_level(out->type);
  out->role = ROLE_ORCHESTRATOR;
  return out;
}

Program *outline_incore_scopes(PassCtx *ctx, Program *p) {
  Map reserved = {0};
  FuncList funcs = {0};
  bool ok = true;
  reserve_function_names(p, &reserved);
  OutlineSpec spec = {
      .kind = SCOPE_INCORE, .type = FUNC_INCORE, .suffix = "_incore_", .reserved = &reserved};
  for (int i = 0; i < p->nfuncs && ok; i++) {
    Function *f = p->funcs[i];
    bool parent = (f->type == FUNC_OPAQUE || func_is_orchestration(f->type)) && has_incore(f);
    if (parent) f = outline(ctx->ir, &spec, f, &funcs);
    ok = f != NULL;
    if (ok) vec_push(&funcs, f);
  }
  Program *out = ok ? program_new(ctx->ir, p->name, funcs.data, (int)funcs.len, p->span) : NULL;
  map_free(&reserved);
  vec_free(&funcs);
  return out;
}
