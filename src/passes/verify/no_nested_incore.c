/* An InCore scope contains no other one. */
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  int depth; /* InCore scopes around the statement */
  bool ok;
} Check;

static bool is_incore(const Stmt *s) {
  return s->kind == STMT_SCOPE && s->u.scope.kind == SCOPE_INCORE;
}

static bool enter(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (!is_incore(s) || c->depth++ == 0) return true;
  diag_error(c->ir->diag, s->span, "an InCore scope stands inside of another one");
  c->ok = false;
  return true;
}

static void leave(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (is_incore(s)) c->depth--;
}

bool verify_no_nested_incore(PassCtx *ctx, const Program *p) {
  Check c = {.ir = ctx->ir, .ok = true};
  Visitor v = {.ctx = &c, .stmt = enter, .stmt_end = leave};
  visit_program(&v, p);
  return c.ok;
}
