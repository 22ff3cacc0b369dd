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
    if (!allowed || !expr_is_var(arg) || !type_is_tile(arg->type) || arg->type->space == MEM_NONE)
      continue;
    if (allowed >> arg->type->space & 1) continue;
    diag_error(c->ir->diag, call->span, "%s cannot read operand %d, '%s', from %s", op->name, i,
               arg->u.var.name, mem_name(arg->type->space));
    c->ok = false;
  }
}

/* Rows that name one space for the result. */
static void check_result(Check *c, const Expr *var, const Expr *call) {
  const Op *op = expr_op(call);
  if (!op || !type_is_tile(var->type) || var->type->space == MEM_NONE) return;
  MemSpace is = var->type->space;
  bool load = op->id == OP_TILE_LOAD;
  if (load ? space_takes_loads(is) : op->place.kind != PLACE_SPACE || op->place.space == is) return;
  diag_error(c->ir->diag, call->span, "%s leaves its result in %s, but '%s' lies in %s", op->name,
             load ? "Vec or Mat" : mem_name(op->place.space), var->u.var.name, mem_name(is));
  c->ok = false;
}

/* "Vec (row_major, none_box)" */
static const char *place_str(Check *c, const Type *t) {
  TileView v = tile_view_of(c->ir, t);
  return arena_printf(c->ir->arena, "%s (%s, %s)", mem_name(t->space),
                      enum_name(ENUM_TILE_LAYOUT, v.blayout),
                      enum_name(ENUM_TILE_LAYOUT, v.slayout));
}

/* Can both be the same value in the same place? */
static bool same_place(Check *c, const Type *t, const Type *u) {
  if (!type_is_tile(t) || !type_is_tile(u) || t->space == MEM_NONE || u->space == MEM_NONE)
    return true;
  TileView a = tile_view_of(c->ir, t), b = tile_view_of(c->ir, u);
  return t->space == u->space && a.blayout == b.blayout && a.slayout == b.slayout;
}

static void check_carried(Check *c, const Expr *arg, const Expr *value) {
  if (same_place(c, arg->type, value->type)) return;
  diag_error(c->ir->diag, value->span.line ? value->span : arg->span,
             "'%s' is carried round the loop in %s, but here it lies in %s", arg->u.var.name,
             place_str(c, arg->type), place_str(c, value->type));
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

static void check_choice(Check *c, const Stmt *s) {
  const Stmt *yes = block_yield(s->u.if_.then_body),
             *no = s->u.if_.has_else ? block_yield(s->u.if_.else_body) : NULL;
  for (int i = 0; yes && no && i < s->u.if_.nresults && i < yes->u.ret.len && i < no->u.ret.len;
       i++) {
    const Expr *a = yes->u.ret.values[i], *b = no->u.ret.values[i];
    if (same_place(c, a->type, b->type)) continue;
    diag_error(c->ir->diag, s->span,
               "'%s' comes out of one branch in %s and out of the other in %s",
               s->u.if_.results[i]->u.var.name, place_str(c, a->type), place_str(c, b->type));
    if (a->type->space != b->type->space)
      diag_note(c->ir->diag, NO_SPAN, "pl.tile.move(..., target_memory=pl.Mem.%s) makes them agree",
                mem_name(a->type->space == MEM_ACC ? b->type->space : a->type->space));
    c->ok = false;
  }
}

static bool check_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (stmt_is_loop(s)) check_loop(c, s);
  if (s->kind == STMT_IF) check_choice(c, s);
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
