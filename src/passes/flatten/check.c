#include "ir/visit.h"
#include "passes/flatten/flatten.h"

typedef struct Check {
  Ir *ir;
  bool ok;
} Check;

static void refuse(Check *c, const Expr *call, const char *why) {
  diag_error(c->ir->diag, call->span, "%s: %s", call->u.call.op->name, why);
  c->ok = false;
}

static bool is_static(const Type *t) {
  for (int i = 0; is_nd(t) && i < t->rank; i++)
    if (t->shape[i]->kind != EXPR_INT) return false;
  return true;
}

static void check_assemble(Check *c, const Expr *call) {
  const Type *target = call->u.call.args[0]->type, *source = call->u.call.args[1]->type;
  const Expr *offset = call->u.call.args[2];
  if (!is_nd(target)) return;
  if (!type_is_tile(source) || source->rank != target->rank || offset->kind != EXPR_TUPLE ||
      offset->u.tuple.len != target->rank)
    refuse(c, call,
           "source and offset must have the dimensions of the target; reshape the source first");
  else if (!is_row_band(dims_of(source), dims_of(target)))
    refuse(c, call, "the written part is not one band of rows; write one page at a time in a loop");
}

static void check_call(Check *c, const Expr *call) {
  const Op *op = expr_op(call);
  if (!op || op->family != FAMILY_TILE) return;
  bool fixed = is_static(call->type);
  for (int i = 0; i < call->u.call.nargs; i++) fixed &= is_static(call->u.call.args[i]->type);
  if (!fixed)
    refuse(c, call,
           "every dimension of a tile must be a constant; iterate over the dynamic dimension with "
           "pl.range, or reshape to two dimensions outside the core");
  bool element = op->id == OP_TILE_READ || op->id == OP_TILE_WRITE || op->id == OP_TILE_SLICE;
  if (element && is_nd(call->u.call.args[0]->type))
    refuse(c, call, "not possible on a tile of more than two dimensions");
  if (op->id == OP_TILE_ASSEMBLE && call->u.call.nargs == 3) check_assemble(c, call);
}

static bool on_stmt(Visitor *v, Stmt *s) {
  if (s->kind == STMT_ASSIGN) check_call(v->ctx, s->u.assign.value);
  if (s->kind == STMT_EVAL) check_call(v->ctx, s->u.eval);
  return true;
}

bool flatten_check(Ir *ir, Function *f) {
  Check c = {ir, true};
  Visitor v = {.ctx = &c, .stmt = on_stmt};
  visit_block(&v, f->body);
  return c.ok;
}
