/* Every tile of an InCore function lies in a memory space, and operators find their operands where they
 * may be. */
#include "ir/op.h"
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  bool ok;
} Check;

static void check_call(Check *c, const Expr *call) {
  const Op *op = expr_op(call);
  for (int i = 0; op && i < call->u.call.nargs; i++) {
    const Expr *arg = call->u.call.args[i];
    uint32_t allowed = op_arg_spaces(op, i);
    if (!allowed || !expr_is_var(arg) || !type_is_tile(arg->type) || arg->type->space == MEM_NONE) continue;
    if (allowed >> arg->type->space & 1) continue;
    diag_error(c->ir->diag, call->span, "%s cannot read operand %d, '%s', from %s", op->name, i,
               arg->u.var.name, mem_name(arg->type->space));
    c->ok = false;
  }
}

static bool check_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind == STMT_EVAL) check_call(c, s->u.eval);
  if (s->kind != STMT_ASSIGN) return true;
  const Expr *var = s->u.assign.var;
  check_call(c, s->u.assign.value);
  if (type_is_tile(var->type) && var->type->space == MEM_NONE) {
    diag_error(c->ir->diag, var->span, "tile '%s' has no memory space", var->u.var.name);
    c->ok = false;
  }
  return true;
}

bool verify_tile_memory_inferred(PassCtx *ctx, const Program *p) {
  Check c = {ctx->ir, true};
  Visitor v = {.ctx = &c, .stmt = check_stmt};
  for (int i = 0; i < p->nfuncs; i++)
    if (p->funcs[i]->type == FUNC_INCORE) visit_block(&v, p->funcs[i]->body);
  return c.ok;
}
