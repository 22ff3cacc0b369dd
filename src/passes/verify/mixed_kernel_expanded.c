/* Every core function is for one kind of core; its pipes are open before they are used, and every
 * popped tile is given back once. */
#include "ir/calls.h"
#include "ir/visit.h"
#include "passes/cross_core/crossings.h"
#include "passes/pass.h"

enum { TO_VECTOR = 1, TO_CUBE = 2 }; /* dir_mask= */

typedef struct Check {
  Ir *ir;
  const Function *f;
  Core core;
  bool ok;
  int reserved, imported;                 /* buffers */
  int must_be_reserved, must_be_imported; /* by directions of opened pipes */
  int used;                               /* directions with a push or pop */
} Check;

static void fail(Check *c, Span at, const char *what) {
  diag_error(c->ir->diag, at, "function '%s' runs on %s cores: %s", c->f->name,
             enum_name(ENUM_FUNC, c->f->type), what);
  c->ok = false;
}

static int direction(const Op *op) {
  switch (op->id) {
    case OP_TILE_TPUSH_TO_AIV:
    case OP_TILE_TPOP_FROM_AIC: return TO_VECTOR;
    case OP_TILE_TPUSH_TO_AIC:
    case OP_TILE_TPOP_FROM_AIV: return TO_CUBE;
    default: return 0;
  }
}

/* ---------------------------------------------------------------- opening pipes */

static int64_t int_kwarg(Check *c, const Expr *call, const char *key, int64_t otherwise) {
  return attr_int(call->u.call.kwargs, ir_name(c->ir, key), otherwise);
}

static void check_buffer(Check *c, const Expr *call, int arg, bool active) {
  int64_t value;
  bool none = expr_const_int(call->u.call.args[arg], &value) && value == 0;
  if (none == active)
    fail(c, call->span,
         active ? "a direction of this pipe has no buffer"
                : "this pipe has a buffer for a direction that it doesn't have");
}

static void check_open(Check *c, const Expr *call) {
  int64_t mask = int_kwarg(c, call, "dir_mask", -1), slot = int_kwarg(c, call, "slot_size", -1);
  int64_t slots = int_kwarg(c, call, "slot_num", mask == (TO_VECTOR | TO_CUBE) ? 4 : 8);
  int64_t local = int_kwarg(c, call, "local_slot_num", slots);
  if (mask < TO_VECTOR || mask > (TO_VECTOR | TO_CUBE)) {
    fail(c, call->span, "dir_mask must be 1 (cube to vector), 2 (vector to cube) or 3");
    return;
  }
  if (slot <= 0) fail(c, call->span, "slot_size must be positive");
  if (slots <= 0) fail(c, call->span, "slot_num must be positive");
  if (local <= 0 || local > slots)
    fail(c, call->span, "local_slot_num must be positive, and not above slot_num");
  check_buffer(c, call, 0, mask & TO_VECTOR);
  check_buffer(c, call, 1, mask & TO_CUBE);
  int own = c->core == CORE_AIV ? TO_VECTOR : TO_CUBE;
  c->must_be_reserved += (mask & own) != 0;
  c->must_be_imported += (mask & ~own) != 0;
}

/* ---------------------------------------------------------------- what the function does */

static void check_transport(Check *c, const Stmt *s, const Expr *call) {
  const Op *op = expr_op(call);
  c->used |= direction(op);
  bool pop = op->cross_role == CROSS_POP;
  if (pop && s->kind != STMT_ASSIGN) return;
  const Type *tile = pop ? s->u.assign.var->type : call->u.call.args[0]->type;
  if (!type_is_tile(tile) || type_num_bytes(tile) < 0)
    fail(c, s->span, "a tile that crosses needs a constant shape");
  OpId own = c->core == CORE_AIC ? OP_TILE_TPOP_FROM_AIV : OP_TILE_TPOP_FROM_AIC;
  if (op->id == own && tile->space != transfer_memory(c->core))
    fail(c, s->span, c->core == CORE_AIC ? "a tile arrives in Mat" : "a tile arrives in Vec");
}

static bool check_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  const Expr *call = stmt_call(s);
  if (!call || !expr_op(call)) return true;
  switch (expr_op(call)->id) {
    case OP_SYSTEM_RESERVE_BUFFER: c->reserved++; break;
    case OP_SYSTEM_IMPORT_PEER_BUFFER: c->imported++; break;
    case OP_SYSTEM_AIC_INITIALIZE_PIPE:
    case OP_SYSTEM_AIV_INITIALIZE_PIPE: check_open(c, call); break;
    default:
      if (direction(expr_op(call))) check_transport(c, s, call);
  }
  return true;
}

static bool find_transport(Visitor *v, Stmt *s) {
  const Expr *call = stmt_call(s);
  if (call && expr_op(call) && direction(expr_op(call))) *(bool *)v->ctx = true;
  return true;
}

static bool transports(Stmt *s) {
  bool found = false;
  Visitor v = {.ctx = &found, .stmt = find_transport, .expr = visit_no_expr};
  visit_stmt(&v, s);
  return found;
}

/* Before the first push or pop, what it needs must be there. */
static void check_setup(Check *c) {
  bool open = false, reserved = false, imported = false;
  OpId own = c->core == CORE_AIC ? OP_SYSTEM_AIC_INITIALIZE_PIPE : OP_SYSTEM_AIV_INITIALIZE_PIPE;
  for (int i = 0; i < c->f->body.len && !transports(c->f->body.items[i]); i++) {
    const Expr *call = stmt_call(c->f->body.items[i]);
    if (!call) continue;
    open |= expr_is_op(call, own);
    reserved |= expr_is_op(call, OP_SYSTEM_RESERVE_BUFFER);
    imported |= expr_is_op(call, OP_SYSTEM_IMPORT_PEER_BUFFER);
  }
  int receives = c->core == CORE_AIV ? TO_VECTOR : TO_CUBE;
  if (!open) fail(c, c->f->span, "it pushes or pops without having opened a pipe");
  if ((c->used & receives) && !reserved)
    fail(c, c->f->span, "it receives tiles without having reserved a buffer");
  if ((c->used & ~receives) && !imported)
    fail(c, c->f->span, "it sends tiles without having imported the other core's buffer");
}

/* ---------------------------------------------------------------- popped tiles are given back */

static void check_frees(Check *c, Block b) {
  OpId pop = c->core == CORE_AIC ? OP_TILE_TPOP_FROM_AIV : OP_TILE_TPOP_FROM_AIC;
  OpId free = c->core == CORE_AIC ? OP_SYSTEM_TFREE_TO_AIV : OP_SYSTEM_TFREE_TO_AIC;
  Map held = {0}; /* popped tile -> its statement */
  for (int i = 0; i < b.len; i++) {
    Stmt *s = b.items[i];
    if (s->kind == STMT_IF) check_frees(c, s->u.if_.then_body);
    if (s->kind == STMT_IF) check_frees(c, s->u.if_.else_body);
    if (stmt_is_loop(s)) check_frees(c, s->u.loop.body);
    const Expr *call = stmt_call(s);
    if (!call || !expr_op(call)) continue;
    if (s->kind == STMT_ASSIGN && expr_op(call)->id == pop) map_set(&held, s->u.assign.var, s);
    if (s->kind != STMT_EVAL || expr_op(call)->cross_role != CROSS_FREE) continue;
    if (!map_has(&held, call->u.call.args[0]))
      fail(c, s->span, "this tile was not popped here, or was given back already");
    else if (expr_op(call)->id != free)
      fail(c, s->span, "this tile came from the other core");
    else
      map_remove(&held, call->u.call.args[0]);
  }
  for (MapEntry *e = NULL; (e = map_next(&held, e));)
    fail(c, ((Stmt *)e->value)->span, "this tile is never given back");
  map_free(&held);
}

static void check_core_function(Check *c) {
  Visitor v = {.ctx = c, .stmt = check_stmt, .expr = visit_no_expr};
  visit_block(&v, c->f->body);
  if (c->reserved != c->must_be_reserved)
    fail(c, c->f->span,
         "it must reserve one buffer for each direction that it receives, and no others");
  if (c->imported != c->must_be_imported)
    fail(c, c->f->span,
         "it must import one buffer for each direction that it sends, and no others");
  if (c->used) check_setup(c);
  check_frees(c, c->f->body);
}

bool verify_mixed_kernel_expanded(PassCtx *ctx, const Program *p) {
  bool ok = true;
  for (int i = 0; i < p->nfuncs; i++) {
    const Function *f = p->funcs[i];
    if (f->type == FUNC_INCORE) {
      diag_error(ctx->ir->diag, f->span, "function '%s' has not been given a kind of core",
                 f->name);
      ok = false;
    }
    if (f->type != FUNC_AIC && f->type != FUNC_AIV) continue;
    Check c = {
        .ir = ctx->ir, .f = f, .core = f->type == FUNC_AIC ? CORE_AIC : CORE_AIV, .ok = true};
    check_core_function(&c);
    ok &= c.ok;
  }
  return ok;
}
