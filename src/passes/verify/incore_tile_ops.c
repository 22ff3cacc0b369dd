/* No operator on tensors is left in InCore functions that has a form on tiles.  Reading and writing single
 * elements of a tensor in global memory stays what it is. */
#include "ir/visit.h"
#include "passes/pass.h"
#include "passes/tensor_to_tile/convert.h"

typedef struct Check {
  Ir *ir;
  bool ok;
} Check;

static bool stays(const Expr *call) {
  const Op *op = call->u.call.op;
  bool element = op->id == OP_TENSOR_READ || op->id == OP_TENSOR_WRITE;
  return op->family != FAMILY_TENSOR || !conversion_of(op) ||
         (element && type_is_tensor(call->u.call.args[0]->type));
}

static bool check_expr(Visitor *v, Expr *e) {
  Check *c = v->ctx;
  if (!expr_op(e) || stays(e)) return true;
  diag_error(c->ir->diag, e->span,
             "%s is left in an InCore function: it needs operands computed there",
             e->u.call.op->name);
  c->ok = false;
  return true;
}

bool verify_incore_tile_ops(PassCtx *ctx, const Program *p) {
  Check c = {ctx->ir, true};
  Visitor v = {.ctx = &c, .expr = check_expr};
  for (int i = 0; i < p->nfuncs; i++)
    if (p->funcs[i]->type == FUNC_INCORE) visit_block(&v, p->funcs[i]->body);
  return c.ok;
}
