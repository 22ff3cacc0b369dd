/* Scopes that become functions of their own are gone where they would have been outlined. */
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  uint32_t kinds; /* 1 << ScopeKind: those that must be gone */
  bool ok;
} Check;

static bool check_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind != STMT_SCOPE || !(c->kinds >> s->u.scope.kind & 1)) return true;
  diag_error(c->ir->diag, s->span, "the scope has not become a function");
  c->ok = false;
  return true;
}

static bool opaque(const Function *f) { return f->type == FUNC_OPAQUE; }
/* What calls kernels: neither a kernel nor a wrapper of one. */
static bool caller(const Function *f) {
  return !func_is_incore(f->type) && !func_is_wrapper(f->type);
}

static bool check(PassCtx *ctx, const Program *p, uint32_t kinds,
                  bool (*concerned)(const Function *)) {
  Check c = {ctx->ir, kinds, true};
  Visitor v = {.ctx = &c, .stmt = check_stmt};
  for (int i = 0; i < p->nfuncs; i++)
    if (concerned(p->funcs[i])) visit_block(&v, p->funcs[i]->body);
  return c.ok;
}

bool verify_hierarchy_outlined(PassCtx *ctx, const Program *p) {
  return check(ctx, p, 1u << SCOPE_HIERARCHY, opaque);
}

bool verify_split_incore_orch(PassCtx *ctx, const Program *p) {
  return check(ctx, p, 1u << SCOPE_INCORE, opaque);
}

bool verify_cluster_outlined(PassCtx *ctx, const Program *p) {
  return check(ctx, p, 1u << SCOPE_CLUSTER | 1u << SCOPE_SPMD, caller);
}
