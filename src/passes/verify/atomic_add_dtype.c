/* Every atomic addition into global memory is of an element type that the target's stores can add. */
#include "ir/op.h"
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  PassCtx *ctx;
  Name atomic;
  bool ok;
} Check;

/* Which argument is the tensor that is added to; -1: the operator never adds. */
static int target_arg(const Op *op) {
  switch (op->id) {
    case OP_TILE_STORE: return 2;
    case OP_TENSOR_ASSEMBLE:
    case OP_PLD_TENSOR_PUT:
    case OP_PLD_TILE_PUT: return 0;
    case OP_PLD_TENSOR_REMOTE_STORE:
    case OP_PLD_TILE_REMOTE_STORE: return 1;
    default: return -1;
  }
}

static bool check_expr(Visitor *v, Expr *e) {
  Check *c = v->ctx;
  const Op *op = expr_op(e);
  int i = op ? target_arg(op) : -1;
  if (i < 0 || i >= e->u.call.nargs) return true;
  if (attr_int(e->u.call.kwargs, c->atomic, ATOMIC_NONE) != ATOMIC_ADD) return true;
  const Type *t = e->u.call.args[i]->type;
  const Target *target = c->ctx->opts->target;
  if (!type_is_tensor(t) || !(target->atomic_add_refused >> t->dtype & 1)) return true;
  diag_error(c->ctx->ir->diag, e->span, "%s cannot add atomically into a tensor of %s",
             target->name, dtype_name(t->dtype));
  diag_note(c->ctx->ir->diag, NO_SPAN, "add into an FP32 tensor and convert the sum");
  c->ok = false;
  return true;
}

bool verify_atomic_add_dtype(PassCtx *ctx, const Program *p) {
  Check c = {ctx, key_name(KEY_ATOMIC), true};
  Visitor v = {.ctx = &c, .expr = check_expr};
  visit_program(&v, p);
  return c.ok;
}
