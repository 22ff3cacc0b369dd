/* Accumulators are stored only to tensors of element types that the matrix unit writes on its way out. */
#include "ir/op.h"
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  const Target *target;
  bool ok;
} Check;

static bool check_expr(Visitor *v, Expr *e) {
  Check *c = v->ctx;
  if (!expr_is_op(e, OP_TILE_STORE) || e->u.call.nargs < 3) return true;
  const Type *tile = e->u.call.args[0]->type, *tensor = e->u.call.args[2]->type;
  if (!type_is_tile(tile) || tile->space != MEM_ACC || !type_is_tensor(tensor)) return true;
  if (c->target->acc_store_types >> tensor->dtype & 1) return true;
  diag_error(c->ir->diag, e->span, "%s does not store an accumulator to a tensor of %s",
             c->target->name, dtype_name(tensor->dtype));
  diag_note(c->ir->diag, e->span,
            "cast the result to %s and store that, or store it to a tensor of %s",
            dtype_name(tensor->dtype), dtype_name(tile->dtype));
  c->ok = false;
  return true;
}

bool verify_acc_to_gm_store(PassCtx *ctx, const Program *p) {
  Check c = {ctx->ir, ctx->opts->target, true};
  Visitor v = {.ctx = &c, .expr = check_expr};
  visit_program(&v, p);
  return c.ok;
}
