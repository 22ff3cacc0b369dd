/* break and continue stand in loops that run one pass after the other. */
#include "base/vec.h"
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  VEC(const Stmt *) loops; /* around the statement, the innermost last */
  bool ok;
} Check;

static void check_jump(Check *c, const Stmt *s) {
  const char *word = s->kind == STMT_BREAK ? "break" : "continue";
  const Stmt *loop = c->loops.len ? vec_last(&c->loops) : NULL;
  if (loop && loop->kind == STMT_WHILE) return;
  if (loop && loop->u.loop.kind != FOR_PARALLEL && loop->u.loop.kind != FOR_UNROLL) return;
  c->ok = false;
  if (!loop)
    diag_error(c->ir->diag, s->span, "'%s' outside of a loop", word);
  else
    diag_error(c->ir->diag, s->span, "'%s' cannot leave %s loop", word,
               loop->u.loop.kind == FOR_PARALLEL ? "a parallel" : "an unrolled");
}

static bool enter(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (stmt_is_loop(s)) vec_push(&c->loops, s);
  if (s->kind == STMT_BREAK || s->kind == STMT_CONTINUE) check_jump(c, s);
  return true;
}

static void leave(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (stmt_is_loop(s)) c->loops.len--;
}

bool verify_break_continue(PassCtx *ctx, const Program *p) {
  Check c = {.ir = ctx->ir, .ok = true};
  Visitor v = {.ctx = &c, .stmt = enter, .stmt_end = leave};
  visit_program(&v, p);
  vec_free(&c.loops);
  return c.ok;
}
