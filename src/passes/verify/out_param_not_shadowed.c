/* An output parameter is written, not given up for a new tensor. */
#include "base/map.h"
#include "ir/op.h"
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  Map outputs; /* the function's parameters that the caller reads afterwards */
  bool ok;
} Check;

static bool check_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind != STMT_ASSIGN || !map_has(&c->outputs, s->u.assign.var)) return true;
  const Expr *value = s->u.assign.value;
  if (!expr_is_op(value, OP_TENSOR_CREATE) && !expr_is_op(value, OP_TENSOR_FULL)) return true;
  diag_error(c->ir->diag, s->span,
             "the output parameter '%s' cannot become a new tensor; write into it instead",
             s->u.assign.var->u.var.name);
  c->ok = false;
  return true;
}

bool verify_out_param_not_shadowed(PassCtx *ctx, const Program *p) {
  Check c = {.ir = ctx->ir, .ok = true};
  Visitor v = {.ctx = &c, .stmt = check_stmt};
  for (int i = 0; i < p->nfuncs; i++) {
    Function *f = p->funcs[i];
    map_clear(&c.outputs);
    for (int k = 0; k < f->nparams; k++)
      if (f->dirs[k] != PARAM_IN) map_set(&c.outputs, f->params[k], map_int(1));
    if (c.outputs.count) visit_block(&v, f->body);
  }
  map_free(&c.outputs);
  return c.ok;
}
