/* resolve_backend_op_layouts.c -- row-major tiles for operators that need them; see
 * docs/passes/resolve-backend-op-layouts.md. */
#include "ir/op.h"
#include "ir/ops/deduce_common.h"
#include "ir/rewrite.h"
#include "passes/pass.h"
#include "passes/util/auto_name.h"

/* A call that is repaired, and the statement it stands in. */
typedef struct Repair {
  Ir *ir;
  const Expr *call;
  const Type *result; /* NULL: none, or not a tile */
  Name base;          /* what the new variables are named after */
  Span at;            /* of the statement */
  StmtList *out;
  int *temps; /* variables named so far in this function */
} Repair;

static bool is_row_major(Ir *ir, const Type *t) {
  return !type_is_tile(t) || tile_view_of(ir, t).blayout == TILE_LAYOUT_ROW_MAJOR;
}

static bool operand_is_wrong(Ir *ir, const Expr *call, int i) {
  return op_wants_row_major(call->u.call.op, i) && !is_row_major(ir, call->u.call.args[i]->type);
}

static bool result_is_wrong(Ir *ir, const Expr *call, const Type *result) {
  return result && (call->u.call.op->row_major & ROW_MAJOR_RESULT) && !is_row_major(ir, result);
}

static bool is_column(const Type *t) { return t->rank == 2 && extent_is_const(t->shape[1], 1); }

static Expr *reshape(Repair *rp, Expr *tile, Expr *const *dims, int n) {
  Span at = rp->call->span;
  Expr *args[] = {tile, expr_tuple(rp->ir, dims, n, at)};
  return op_call(rp->ir, op_get(rp->ir, OP_TILE_RESHAPE), args, 2, (AttrList){0}, at);
}

static Expr *move_to(Repair *rp, Expr *tile, MemSpace space, TileLayout block, TileLayout scatter) {
  Ir *ir = rp->ir;
  AttrList kw = {0};
  kw = key_with(ir, kw, KEY_TARGET_MEMORY, attr_of_enum(ENUM_MEM, space));
  kw = key_with(ir, kw, KEY_BLAYOUT, attr_of_enum(ENUM_TILE_LAYOUT, block));
  kw = key_with(ir, kw, KEY_SLAYOUT, attr_of_enum(ENUM_TILE_LAYOUT, scatter));
  return op_call(ir, op_get(ir, OP_TILE_MOVE), &tile, 1, kw, rp->call->span);
}

static Expr *bind(Repair *rp, const char *qualifier, Expr *value) {
  if (!value) return NULL;
  Ir *ir = rp->ir;
  Name name = auto_name_build(ir, rp->base, ir_name(ir, qualifier), "tmp", (*rp->temps)++);
  Expr *var = expr_var(ir, name, value->type, value->span);
  vec_push(rp->out, stmt_assign(ir, var, value, rp->at));
  return var;
}

/* Operand i row by row; in a statement that assigns its variable is named shorter. */
static Expr *repair_operand(Repair *rp, int i, bool assigns) {
  Ir *ir = rp->ir;
  Expr *arg = rp->call->u.call.args[i];
  const Type *t = arg->type;
  Expr *flat[] = {expr_index(ir, 1), t->shape[0]};
  bool vector = is_column(t) && tile_view_of(ir, t).blayout == TILE_LAYOUT_COL_MAJOR;
  Expr *value = vector ? reshape(rp, arg, flat, 2)
                       : move_to(rp, arg, t->space, TILE_LAYOUT_ROW_MAJOR, TILE_LAYOUT_NONE_BOX);
  const char *form = assigns ? "rm_a%d" : "row_major_arg%d";
  return bind(rp, arena_printf(ir->arena, form, i), value);
}

static bool needs_repair(Ir *ir, const Expr *call, const Type *result) {
  if (result_is_wrong(ir, call, result)) return true;
  for (int i = 0; i < call->u.call.nargs; i++)
    if (operand_is_wrong(ir, call, i)) return true;
  return false;
}

/* The value that the old variable gets: the call itself, or the call's result in the old layout. */
static Expr *restore_result(Repair *rp, Expr *call) {
  const Type *result = rp->result;
  if (!call || !result_is_wrong(rp->ir, call, result)) return call;
  Expr *plain = bind(rp, "row_major", call);
  if (!plain) return NULL;
  if (is_column(result)) return reshape(rp, plain, result->shape, result->rank);
  TileView v = tile_view_of(rp->ir, result);
  return move_to(rp, plain, result->space, v.blayout, v.slayout);
}

static void repair(Repair *rp, Stmt *s) {
  Ir *ir = rp->ir;
  const Expr *call = rp->call;
  bool assigns = s->kind == STMT_ASSIGN;
  Expr **args = COPY_ARRAY(ir->arena, Expr *, call->u.call.args, call->u.call.nargs);
  for (int i = 0; i < call->u.call.nargs; i++) {
    if (!operand_is_wrong(ir, call, i)) continue;
    args[i] = repair_operand(rp, i, assigns);
    if (!args[i]) return;
  }
  Expr *value =
      op_call(ir, call->u.call.op, args, call->u.call.nargs, call->u.call.kwargs, call->span);
  value = restore_result(rp, value);
  if (!value) return;
  Stmt *n = stmt_copy(ir, s);
  if (assigns)
    n->u.assign.value = value;
  else
    n->u.eval = value;
  vec_push(rp->out, n);
}

static void on_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  const Expr *var = s->kind == STMT_ASSIGN ? s->u.assign.var : NULL;
  const Expr *call = var ? s->u.assign.value : s->kind == STMT_EVAL ? s->u.eval : NULL;
  const Op *op = call ? expr_op(call) : NULL;
  if (!op || !op->row_major || !needs_repair(r->ir, call, var ? var->type : NULL)) {
    vec_push(out, rewrite_stmt_children(r, s));
    return;
  }
  Repair rp = {.ir = r->ir, .call = call, .at = s->span, .out = out, .temps = r->ctx};
  rp.result = var && type_is_tile(var->type) ? var->type : NULL;
  rp.base = var ? auto_name_parse(r->ir, var->u.var.name).base : ir_name(r->ir, "layout_fix");
  repair(&rp, s);
}

static Function *on_func(void *ctx, Function *f) {
  PassCtx *pass = ctx;
  if (!func_is_incore(f->type)) return f;
  Rewriter r;
  int temps = 0;
  rewriter_init(&r, pass->ir, &temps);
  r.stmt = on_stmt;
  Function *g = rewrite_func(&r, f);
  rewriter_free(&r);
  return g;
}

Program *resolve_backend_op_layouts(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, on_func, ctx);
}
