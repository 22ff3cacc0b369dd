#include "passes/verify/loops.h"

#include "ir/visit.h"

typedef struct Check {
  Ir *ir;
  ForKind kind;
  const char *message;
  bool ok;
} Check;

static bool check_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind != STMT_FOR || s->u.loop.kind != c->kind) return true;
  diag_error(c->ir->diag, s->span, "%s", c->message);
  c->ok = false;
  return true;
}

bool verify_no_loops(PassCtx *ctx, const Program *p, ForKind kind, const char *message) {
  Check c = {ctx->ir, kind, message, true};
  Visitor v = {.ctx = &c, .stmt = check_stmt};
  visit_program(&v, p);
  return c.ok;
}
