/* Every assigned tile lies in an allocation, except what came through a pipe and views of that. */
#include "ir/op.h"
#include "ir/visit.h"
#include "passes/memory/memref.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  Map without; /* tiles that need no allocation */
  bool ok;
} Check;

static bool needs_none(const Check *c, const Expr *value) {
  const Op *op = expr_op(value);
  if (expr_is_var(value)) return map_has(&c->without, value);
  if (!op) return false;
  if (op->cross_role == CROSS_POP) return true;
  return op_is_view(op) && value->u.call.nargs > 0 && map_has(&c->without, value->u.call.args[0]);
}

static bool check_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind != STMT_ASSIGN || !type_is_tile(s->u.assign.var->type)) return true;
  Expr *var = s->u.assign.var;
  if (var->type->memref) return true;
  if (needs_none(c, s->u.assign.value)) {
    map_set(&c->without, var, var);
    return true;
  }
  diag_error(c->ir->diag, var->span, "tile '%s' lies in no allocation", var->u.var.name);
  c->ok = false;
  return true;
}

bool verify_has_memrefs(PassCtx *ctx, const Program *p) {
  Check c = {.ir = ctx->ir, .ok = true};
  Visitor v = {.ctx = &c, .stmt = check_stmt};
  visit_program(&v, p);
  map_free(&c.without);
  return c.ok;
}
