/* resolve_backend_op_layouts.c -- row-major tiles for operators that need them; see
 * docs/passes/resolve-backend-op-layouts.md. */
#include "ir/op.h"
#include "ir/ops/deduce_common.h"
#include "ir/rewrite.h"
#include "passes/pass.h"
#include "passes/util/auto_name.h"

typedef struct Repair {
  Rewriter *r;
  int temps; /* variables named so far in this function */
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

static Expr *reshape(Ir *ir, Expr *tile, Expr *const *dims, int n, Span at) {
  Expr *args[] = {tile, expr_tuple(ir, dims, n, at)};
  return op_call(ir, op_get(ir, OP_TILE_RESHAPE), args, 2, (AttrList){0}, at);
}

static Expr *move_to(Ir *ir, Expr *tile, MemSpace space, TileLayout block, TileLayout scatter,
                     Span at) {
  AttrList kw = {0};
  kw = attr_with(ir, kw, ir_name(ir, "target_memory"), attr_of_enum(ENUM_MEM, space));
  kw = attr_with(ir, kw, ir_name(ir, "blayout"), attr_of_enum(ENUM_TILE_LAYOUT, block));
  kw = attr_with(ir, kw, ir_name(ir, "slayout"), attr_of_enum(ENUM_TILE_LAYOUT, scatter));
  return op_call(ir, op_get(ir, OP_TILE_MOVE), &tile, 1, kw, at);
}

static Expr *bind(Repair *rp, Name base, const char *qualifier, Expr *value, Span at,
                  StmtList *out) {
  if (!value) return NULL;
  Ir *ir = rp->r->ir;
  Name name = auto_name_build(ir, base, ir_name(ir, qualifier), "tmp", rp->temps++);
  Expr *var = expr_var(ir, name, value->type, value->span);
  vec_push(out, stmt_assign(ir, var, value, at));
  return var;
}

/* The operand row by row. */
static Expr *repair_operand(Repair *rp, Expr *arg, int i, Name base, bool has_result, Span at,
                            Span call_at, StmtList *out) {
  Ir *ir = rp->r->ir;
  const Type *t = arg->type;
  Expr *flat[] = {expr_index(ir, 1), t->shape[0]};
  bool vector = is_column(t) && tile_view_of(ir, t).blayout == TILE_LAYOUT_COL_MAJOR;
  Expr *value =
      vector ? reshape(ir, arg, flat, 2, call_at)
             : move_to(ir, arg, t->space, TILE_LAYOUT_ROW_MAJOR, TILE_LAYOUT_NONE_BOX, call_at);
  const char *form = has_result ? "rm_a%d" : "row_major_arg%d";
  return bind(rp, base, arena_printf(ir->arena, form, i), value, at, out);
}

static bool needs_repair(Ir *ir, const Expr *call, const Type *result) {
  if (result_is_wrong(ir, call, result)) return true;
  for (int i = 0; i < call->u.call.nargs; i++)
    if (operand_is_wrong(ir, call, i)) return true;
  return false;
}

/* The value that the old variable gets: the call itself, or the call's result in the old layout. */
static Expr *restore_result(Repair *rp, Expr *call, const Type *result, Name base, Span at,
                            StmtList *out) {
  Ir *ir = rp->r->ir;
  if (!call || !result_is_wrong(ir, call, result)) return call;
  Expr *plain = bind(rp, base, "row_major", call, at, out);
  if (!plain) return NULL;
  if (is_column(result)) return reshape(ir, plain, result->shape, result->rank, call->span);
  TileView v = tile_view_of(ir, result);
  return move_to(ir, plain, result->space, v.blayout, v.slayout, call->span);
}

static void repair(Repair *rp, Stmt *s, const Expr *call, StmtList *out) {
  Ir *ir = rp->r->ir;
  bool assigns = s->kind == STMT_ASSIGN;
  const Type *result =
      assigns && type_is_tile(s->u.assign.var->type) ? s->u.assign.var->type : NULL;
  Name base =
      assigns ? auto_name_parse(ir, s->u.assign.var->u.var.name).base : ir_name(ir, "layout_fix");
  Expr **args = COPY_ARRAY(ir->arena, Expr *, call->u.call.args, call->u.call.nargs);
  for (int i = 0; i < call->u.call.nargs; i++) {
    if (!operand_is_wrong(ir, call, i)) continue;
    args[i] = repair_operand(rp, args[i], i, base, assigns, s->span, call->span, out);
    if (!args[i]) return;
  }
  Expr *value =
      op_call(ir, call->u.call.op, args, call->u.call.nargs, call->u.call.kwargs, call->span);
  value = restore_result(rp, value, result, base, s->span, out);
  if (!value) return;
  Stmt *n = stmt_copy(ir, s);
  if (assigns)
    n->u.assign.value = value;
  else
    n->u.eval = value;
  vec_push(out, n);
}

static void on_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Repair *rp = r->ctx;
  const Expr *call = s->kind == STMT_ASSIGN ? s->u.assign.value
                     : s->kind == STMT_EVAL ? s->u.eval
                                            : NULL;
  const Op *op = call ? expr_op(call) : NULL;
  const Type *result = s->kind == STMT_ASSIGN ? s->u.assign.var->type : NULL;
  if (op && op->row_major && needs_repair(r->ir, call, result))
    repair(rp, s, call, out);
  else
    vec_push(out, rewrite_stmt_children(r, s));
}

static Function *on_func(void *ctx, Function *f) {
  PassCtx *pass = ctx;
  if (!func_is_incore(f->type)) return f;
  Rewriter r;
  Repair rp = {.r = &r};
  rewriter_init(&r, pass->ir, &rp);
  r.stmt = on_stmt;
  Function *g = rewrite_func(&r, f);
  rewriter_free(&r);
  return g;
}

Program *resolve_backend_op_layouts(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, on_func, ctx);
}
