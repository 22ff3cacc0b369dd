/* Every loop of an orchestration that carries values says how. */
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  PassCtx *ctx;
  Name key;
  bool ok;
} Check;

static bool check_loop(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind != STMT_FOR || s->u.loop.ncarried == 0 || attr_get(s->u.loop.attrs, c->key))
    return true;
  diag_error(c->ctx->ir->diag, s->span, "the loop's carried values are not classified");
  c->ok = false;
  return true;
}

bool verify_iter_arg_carry(PassCtx *ctx, const Program *p) {
  Check c = {ctx, key_name(KEY_ITER_ARG_REBIND_0), true};
  for (int i = 0; i < p->nfuncs; i++) {
    if (p->funcs[i]->type != FUNC_ORCHESTRATION) continue;
    Visitor v = {.ctx = &c, .stmt = check_loop};
    visit_block(&v, p->funcs[i]->body);
  }
  return c.ok;
}
