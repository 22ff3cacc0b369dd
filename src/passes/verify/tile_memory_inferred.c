/* Every tile of an InCore function lies in a memory space, operators find their operands where they may be and
 * leave their results where they must, and a tile that is carried round a loop stays in one space and layout: it
 * stays in one place, so what was written in another form would be read wrongly. */
#include "ir/op.h"
#include "ir/view.h"
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

/* Rows that name one space for the result. */
static void check_result(Check *c, const Expr *var, const Expr *call) {
  const Op *op = expr_op(call);
  if (!op || !op->out_mem || !type_is_tile(var->type) || var->type->space == MEM_NONE) return;
  MemSpace is = var->type->space;
  int space = enum_value(ENUM_MEM, op->out_mem); /* negative where the row names none, but a keyword, say */
  bool load = op->id == OP_TILE_LOAD;
  if (load ? space_takes_loads(is) : space < 0 || (MemSpace)space == is) return;
  diag_error(c->ir->diag, call->span, "%s leaves its result in %s, but '%s' lies in %s", op->name,
             load ? "Vec or Mat" : op->out_mem, var->u.var.name, mem_name(is));
  c->ok = false;
}

static void check_carried(Check *c, const Expr *arg, const Expr *value) {
  const Type *t = arg->type, *u = value->type;
  if (!type_is_tile(t) || !type_is_tile(u) || t->space == MEM_NONE || u->space == MEM_NONE) return;
  TileView a = tile_view_of(c->ir, t), b = tile_view_of(c->ir, u);
  if (t->space == u->space && a.blayout == b.blayout && a.slayout == b.slayout) return;
  diag_error(c->ir->diag, value->span.line ? value->span : arg->span,
             "'%s' is carried round the loop in %s (%s, %s), but here it lies in %s (%s, %s)", arg->u.var.name,
             mem_name(t->space), enum_name(ENUM_TILE_LAYOUT, a.blayout), enum_name(ENUM_TILE_LAYOUT, a.slayout),
             mem_name(u->space), enum_name(ENUM_TILE_LAYOUT, b.blayout), enum_name(ENUM_TILE_LAYOUT, b.slayout));
  c->ok = false;
}

static void check_loop(Check *c, const Stmt *s) {
  const Stmt *yield = block_yield(s->u.loop.body);
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    const Expr *arg = s->u.loop.iter_args[i];
    check_carried(c, arg, arg->u.var.init);
    if (yield && i < yield->u.ret.len) check_carried(c, arg, yield->u.ret.values[i]);
    if (i < s->u.loop.nresults) check_carried(c, arg, s->u.loop.results[i]);
  }
}

static bool check_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind == STMT_FOR || s->kind == STMT_WHILE) check_loop(c, s);
  if (s->kind == STMT_EVAL) check_call(c, s->u.eval);
  if (s->kind != STMT_ASSIGN) return true;
  const Expr *var = s->u.assign.var;
  check_call(c, s->u.assign.value);
  check_result(c, var, s->u.assign.value);
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
