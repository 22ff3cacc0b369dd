/* core_frees.c -- popped tiles are given back after their last use;
 * docs/passes/expand-mixed-kernel.md. */
#include "ir/calls.h"
#include "ir/visit.h"
#include "passes/cross_core/core_body.h"
#include "passes/memory/memref.h"

enum { NEVER = -1 };

/* A tile popped in the block at hand. */
typedef struct Popped {
  Expr *tile;
  const Stmt *pop;
  int last_use, freed; /* numbers of statements */
  const AttrValue *id; /* of the pipe; NULL: none */
} Popped;

typedef struct Frees {
  Ir *ir;
  Core core;
  const Map *stands_for;
  Map alias;  /* variable -> popped tile that it shows */
  Map popped; /* tile -> Popped */
  VEC(Popped *) order;
  int at; /* the statement at hand */
} Frees;

static Expr *canonical(const Frees *f, Expr *var) {
  Expr *tile = map_get(&f->alias, var);
  if (!tile) tile = map_get(f->stands_for, var);
  return tile ? tile : var;
}

/* ---------------------------------------------------------------- what shows a popped tile */

/* The tile that `e` shows, through views of views; NULL if it is none popped in this block. */
static Expr *shown(const Frees *f, Expr *e) {
  while (!expr_is_var(e)) {
    const Op *op = expr_op(e);
    if (!op || !op_is_view(op) || e->u.call.nargs == 0) return NULL;
    e = e->u.call.args[0];
  }
  e = canonical(f, e);
  return map_has(&f->popped, e) ? e : NULL;
}

static void note_alias(Frees *f, Expr *var, Expr *value) {
  Expr *tile = shown(f, value);
  if (tile) map_set(&f->alias, var, tile);
}

static void note_aliases(Frees *f, Block b);

static Expr *yielded(const Frees *f, Block b, int i) {
  const Stmt *y = block_yield(b);
  return y && i < y->u.ret.len ? shown(f, y->u.ret.values[i]) : NULL;
}

static void note_stmt_aliases(Frees *f, const Stmt *s) {
  switch (s->kind) {
    case STMT_ASSIGN: note_alias(f, s->u.assign.var, s->u.assign.value); break;
    case STMT_IF:
      note_aliases(f, s->u.if_.then_body);
      note_aliases(f, s->u.if_.else_body);
      for (int i = 0; i < s->u.if_.nresults; i++) {
        Expr *tile = yielded(f, s->u.if_.then_body, i);
        if (tile && yielded(f, s->u.if_.else_body, i) == tile)
          map_set(&f->alias, s->u.if_.results[i], tile);
      }
      break;
    case STMT_FOR:
    case STMT_WHILE:
      for (int i = 0; i < s->u.loop.ncarried; i++)
        note_alias(f, s->u.loop.iter_args[i], s->u.loop.iter_args[i]->u.var.init);
      note_aliases(f, s->u.loop.body);
      for (int i = 0; i < s->u.loop.nresults; i++) {
        Expr *tile = yielded(f, s->u.loop.body, i);
        if (tile) map_set(&f->alias, s->u.loop.results[i], tile);
      }
      break;
    default: break;
  }
}

static void note_aliases(Frees *f, Block b) {
  for (int i = 0; i < b.len; i++) note_stmt_aliases(f, b.items[i]);
}

/* ---------------------------------------------------------------- lifetimes in one block */

static bool note_use(Visitor *v, Expr *e) {
  Frees *f = v->ctx;
  Popped *p = expr_is_var(e) ? map_get(&f->popped, canonical(f, e)) : NULL;
  if (p) p->last_use = f->at;
  return true;
}

static void note_uses(Frees *f, Stmt *s) {
  Visitor v = {.ctx = f, .expr = note_use};
  visit_stmt(&v, s);
}

static void note_pop(Frees *f, const Stmt *s) {
  Expr *tile = map_get(f->stands_for, s->u.assign.var);
  if (!tile) tile = s->u.assign.var;
  Popped *p = NEW(f->ir->arena, Popped);
  *p = (Popped){tile, s, f->at, NEVER, key_get(s->u.assign.value->u.call.kwargs, KEY_ID)};
  if (map_set(&f->popped, tile, p)) vec_push(&f->order, p);
}

static OpId free_op(Core core) {
  return core == CORE_AIC ? OP_SYSTEM_TFREE_TO_AIV : OP_SYSTEM_TFREE_TO_AIC;
}

/* What the statement is to be. */
static Stmt *note_free(Frees *f, Stmt *s) {
  const Expr *call = s->u.eval;
  Expr *arg = call->u.call.nargs > 0 ? call->u.call.args[0] : NULL;
  Popped *p = arg && expr_is_var(arg) ? map_get(&f->popped, canonical(f, arg)) : NULL;
  if (!p || expr_op(call)->id != free_op(f->core)) return s;
  p->freed = f->at;
  if (arg == p->tile) return s;
  s = stmt_copy(f->ir, s);
  s->u.eval = expr_copy(f->ir, call);
  s->u.eval->u.call.args = COPY_ARRAY(f->ir->arena, Expr *, call->u.call.args, call->u.call.nargs);
  s->u.eval->u.call.args[0] = p->tile;
  return s;
}

static Stmt *note_stmt(Frees *f, Stmt *s) {
  const Expr *call = stmt_call(s);
  OpCrossRole role = call && expr_op(call) ? expr_op(call)->cross_role : CROSS_NONE;
  if (s->kind == STMT_ASSIGN && role == CROSS_POP) {
    note_pop(f, s);
  } else if (s->kind == STMT_EVAL && role == CROSS_FREE) {
    return note_free(f, s);
  } else {
    note_uses(f, s);
    note_stmt_aliases(f, s);
  }
  return s;
}

/* ---------------------------------------------------------------- the frees */

static Stmt *free_stmt(Frees *f, const Popped *p) {
  Attr id = {key_name(KEY_ID), p->id ? *p->id : (AttrValue){0}, p->pop->span};
  AttrList kwargs = {COPY_ARRAY(f->ir->arena, Attr, &id, 1), p->id ? 1 : 0};
  Expr *tile = p->tile;
  return stmt_eval(f->ir, op_call_id(f->ir, free_op(f->core), &tile, 1, kwargs, p->pop->span),
                   p->pop->span);
}

static Block with_frees(Frees *f, Block b) {
  StmtList *after = NEW_ARRAY(f->ir->arena, StmtList, b.len);
  bool *drop = NEW_ARRAY(f->ir->arena, bool, b.len);
  for (size_t i = 0; i < f->order.len; i++) {
    const Popped *p = f->order.data[i];
    if (p->freed >= p->last_use) continue;
    if (p->freed != NEVER) drop[p->freed] = true;
    vec_push(&after[p->last_use], free_stmt(f, p));
  }
  StmtList out = {0};
  for (int i = 0; i < b.len; i++) {
    bool last = b.items[i]->kind == STMT_YIELD; /* nothing follows a yield */
    if (!last && !drop[i]) vec_push(&out, b.items[i]);
    for (size_t k = 0; k < after[i].len; k++) vec_push(&out, after[i].data[k]);
    if (last) vec_push(&out, b.items[i]);
    vec_free(&after[i]);
  }
  return block_take(f->ir, &out);
}

static Stmt *with_frees_inside(Ir *ir, Core core, Stmt *s, const Map *stands_for) {
  if (s->kind != STMT_IF && !stmt_is_loop(s)) return s;
  s = stmt_copy(ir, s);
  if (s->kind == STMT_IF) {
    s->u.if_.then_body = core_body_with_frees(ir, core, s->u.if_.then_body, stands_for);
    s->u.if_.else_body = core_body_with_frees(ir, core, s->u.if_.else_body, stands_for);
  } else {
    s->u.loop.body = core_body_with_frees(ir, core, s->u.loop.body, stands_for);
  }
  return s;
}

Block core_body_with_frees(Ir *ir, Core core, Block b, const Map *stands_for) {
  Frees f = {.ir = ir, .core = core, .stands_for = stands_for};
  Block out = block_of(ir, b.items, b.len);
  for (f.at = 0; f.at < b.len; f.at++)
    out.items[f.at] = note_stmt(&f, with_frees_inside(ir, core, b.items[f.at], stands_for));
  if (f.order.len > 0) out = with_frees(&f, out);
  map_free(&f.alias);
  map_free(&f.popped);
  vec_free(&f.order);
  return out;
}
