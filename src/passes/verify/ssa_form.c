/* Static single assignment: every variable is bound once and used only in the blocks that its binding
 * dominates; loops and branches hand values over by a yield that ends their bodies. */
#include "ir/visit.h"
#include "passes/pass.h"
#include "passes/verify/scoping.h"

typedef struct Check {
  Ir *ir;
  bool ok;
} Check;

static void fault(Check *c, Span at, const char *what, const char *text) {
  diag_error(c->ir->diag, at, "%s %s", what, text);
  c->ok = false;
}

/* Does a yield stand before the end of the block? */
static bool yields_early(Block b) {
  for (int i = 0; i + 1 < b.len; i++)
    if (b.items[i]->kind == STMT_YIELD) return true;
  return false;
}

static void check_values(Check *c, const Stmt *s, Block b, int n, const char *what) {
  const Stmt *yield = block_last_yield(b);
  if (!yield)
    fault(c, s->span, what, "does not end with a yield");
  else if (yield->u.ret.len != n)
    fault(c, yield->span, what, "yields another number of values than are expected");
  else if (yields_early(b))
    fault(c, s->span, what, "yields before its end");
}

static void check_loop(Check *c, const Stmt *s) {
  if (s->u.loop.ncarried == 0) return;
  if (s->u.loop.nresults != s->u.loop.ncarried)
    fault(c, s->span, "the loop", "has another number of results than of carried values");
  check_values(c, s, s->u.loop.body, s->u.loop.ncarried, "the body of a loop with carried values");
}

static void check_if(Check *c, const Stmt *s) {
  if (s->u.if_.nresults == 0) return;
  check_values(c, s, s->u.if_.then_body, s->u.if_.nresults, "a branch with results");
  if (s->u.if_.has_else)
    check_values(c, s, s->u.if_.else_body, s->u.if_.nresults, "the other branch with results");
  else
    fault(c, s->span, "a branch with results", "has no other branch");
}

static bool check_stmt(Visitor *v, Stmt *s) {
  if (s->kind == STMT_IF) check_if(v->ctx, s);
  if (stmt_is_loop(s)) check_loop(v->ctx, s);
  return true;
}

bool verify_ssa_form(PassCtx *ctx, const Program *p) {
  Check c = {ctx->ir, true};
  Visitor v = {.ctx = &c, .stmt = check_stmt};
  visit_program(&v, p);
  return check_scoping(ctx->ir, p, (ScopingRules){.leaks = false, .once = true}) && c.ok;
}
