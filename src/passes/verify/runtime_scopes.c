/* Orchestrations have their scopes placed, and no automatic scope lies inside a manual one. */
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  PassCtx *ctx;
  int manual;
  bool ok;
} Check;

static bool enter(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind != STMT_SCOPE || s->u.scope.kind != SCOPE_RUNTIME) return true;
  if (s->u.scope.manual) {
    c->manual++;
  } else if (c->manual > 0) {
    diag_error(c->ctx->ir->diag, s->span, "an automatic scope cannot lie inside a manual one");
    c->ok = false;
  }
  return true;
}

static void leave(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind == STMT_SCOPE && s->u.scope.kind == SCOPE_RUNTIME && s->u.scope.manual) c->manual--;
}

bool verify_runtime_scopes(PassCtx *ctx, const Program *p) {
  Check c = {.ctx = ctx, .ok = true};
  Name key = key_name(KEY_AUTO_SCOPE);
  for (int i = 0; i < p->nfuncs; i++) {
    Function *f = p->funcs[i];
    if (f->type != FUNC_ORCHESTRATION) continue;
    if (attr_bool(f->attrs, key, true)) {
      diag_error(ctx->ir->diag, f->span, "the scopes of orchestration '%s' are not placed",
                 f->name);
      c.ok = false;
    }
    Visitor v = {.ctx = &c, .stmt = enter, .stmt_end = leave};
    visit_block(&v, f->body);
  }
  return c.ok;
}
