/* LowerCompositeOps: operators that are programs in themselves.  docs/passes/lower-composite-ops.md */
#include "ir/rewrite.h"
#include "passes/composite/rules.h"
#include "passes/pass.h"
#include "passes/util/auto_name.h"

static const struct {
  OpId op;
  CompositeRule *rule;
} rules[] = {
    {OP_TILE_SIN, composite_sin},
    {OP_TILE_COS, composite_cos},
    {OP_PLD_TENSOR_BARRIER, composite_barrier},
    {OP_PLD_TENSOR_BROADCAST, composite_broadcast},
    {OP_PLD_TENSOR_ALLGATHER, composite_allgather},
    {OP_PLD_TENSOR_REDUCE_SCATTER, composite_reduce_scatter},
    {OP_PLD_TENSOR_ALL_TO_ALL, composite_all_to_all},
    {OP_PLD_TENSOR_ALL_TO_ALL_V, composite_all_to_all_v},
    {OP_PLD_TENSOR_ALLREDUCE, composite_allreduce},
};

typedef struct Lower {
  int temps;
  bool host; /* collectives stay */
} Lower;

static CompositeRule *rule_of(const Lower *l, const Expr *e) {
  const Op *op = expr_op(e);
  for (size_t i = 0; op && i < sizeof rules / sizeof *rules; i++)
    if (rules[i].op == op->id) return l->host && op->family == FAMILY_PLD ? NULL : rules[i].rule;
  return NULL;
}

/* Emits the call's statements; its result, or NULL after an error. */
static Expr *lower(Rewriter *r, Emit *e, CompositeRule *rule, Expr *call) {
  int errors = r->ir->diag->errors;
  call = rewrite_expr_children(r, call);
  e->at = call->span;
  Expr *result = rule(e, call);
  if (!e->failed) return result;
  /* Never drop a call in silence. */
  if (r->ir->diag->errors == errors)
    diag_error(r->ir->diag, call->span, "%s cannot be lowered for these operands",
               expr_op(call)->name);
  return NULL;
}

static void on_return(Rewriter *r, Stmt *s, StmtList *out) {
  Lower *l = r->ctx;
  Ir *ir = r->ir;
  Stmt *copy = stmt_copy(ir, s);
  copy->u.ret.values = NEW_ARRAY(ir->arena, Expr *, s->u.ret.len);
  for (int i = 0; i < s->u.ret.len; i++) {
    Expr *value = s->u.ret.values[i];
    CompositeRule *rule = rule_of(l, value);
    if (rule) {
      Name base = ir_name(ir, arena_printf(ir->arena, "ret%d", i));
      Emit e = {.ir = ir, .base = base, .temps = &l->temps, .out = out};
      Expr *result = lower(r, &e, rule, value);
      if (result) value = comp_bind(&e, "result", result);
    } else {
      value = rewrite_expr(r, value);
    }
    copy->u.ret.values[i] = value;
  }
  vec_push(out, copy);
}

static bool returns_composite(const Lower *l, const Stmt *s) {
  for (int i = 0; s->kind == STMT_RETURN && i < s->u.ret.len; i++)
    if (rule_of(l, s->u.ret.values[i])) return true;
  return false;
}

static void on_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Lower *l = r->ctx;
  Expr *value = s->kind == STMT_ASSIGN ? s->u.assign.value
                : s->kind == STMT_EVAL ? s->u.eval
                                       : NULL;
  CompositeRule *rule = value ? rule_of(l, value) : NULL;
  if (returns_composite(l, s)) {
    on_return(r, s, out);
  } else if (rule) {
    bool assigns = s->kind == STMT_ASSIGN;
    Name base =
        assigns ? auto_name_parse(r->ir, s->u.assign.var->u.var.name).base : ir_name(r->ir, "eval");
    Emit e = {.ir = r->ir, .base = base, .temps = &l->temps, .out = out};
    Expr *result = lower(r, &e, rule, value);
    if (!assigns || !result) return;
    Stmt *last = stmt_copy(r->ir, s);
    last->u.assign.value = result;
    last->u.assign.var = rewrite_def(r, s->u.assign.var);
    vec_push(out, last);
  } else {
    vec_push(out, rewrite_stmt_children(r, s));
  }
}

static Function *on_func(void *ctx, Function *f) {
  PassCtx *pass = ctx;
  bool orchestrates = f->type == FUNC_ORCHESTRATION || f->role == ROLE_ORCHESTRATOR;
  Lower l = {.host = f->level == LEVEL_HOST && orchestrates};
  return rewrite_func_stmts(pass->ir, f, on_stmt, &l);
}

Program *lower_composite_ops(PassCtx *ctx, Program *p) {
  int errors = ctx->ir->diag->errors;
  p = rewrite_program(ctx->ir, p, on_func, ctx);
  return ctx->ir->diag->errors == errors ? p : NULL;
}
