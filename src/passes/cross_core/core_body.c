#include "passes/cross_core/core_body.h"

#include "ir/view.h"
#include "ir/visit.h"
#include "passes/cross_core/affinity.h"

typedef struct Build {
  const Crossings *x;
  Ir *ir;
  const Target *target;
  Core core;
  Map *stands_for;
  Map joined; /* variable that shows a tile which is carried or yielded -> itself */
} Build;

/* ---------------------------------------------------------------- what is carried */

typedef struct Joins {
  Map *joined;
  VEC(const Stmt *) shows; /* assignments of views and copies, in order */
} Joins;

/* `e` and what it is a view of. */
static void note_joined(Map *joined, Expr *e) {
  while (!expr_is_var(e)) {
    const Op *op = expr_op(e);
    if (!op || !op_is_view(op) || e->u.call.nargs == 0) return;
    e = e->u.call.args[0];
  }
  map_set(joined, e, e);
}

static bool note_join(Visitor *v, Stmt *s) {
  Joins *j = v->ctx;
  if (s->kind == STMT_ASSIGN) vec_push(&j->shows, s);
  for (int i = 0; s->kind == STMT_YIELD && i < s->u.ret.len; i++)
    note_joined(j->joined, s->u.ret.values[i]);
  for (int i = 0; stmt_is_loop(s) && i < s->u.loop.ncarried; i++)
    note_joined(j->joined, s->u.loop.iter_args[i]->u.var.init);
  return true;
}

static void find_joined(Map *joined, Block b) {
  Joins j = {.joined = joined};
  Visitor v = {.ctx = &j, .stmt = note_join, .expr = visit_no_expr};
  visit_block(&v, b);
  for (size_t i = j.shows.len; i-- > 0;)
    if (map_has(joined, j.shows.data[i]->u.assign.var))
      note_joined(joined, j.shows.data[i]->u.assign.value);
  vec_free(&j.shows);
}

/* ---------------------------------------------------------------- pushes and pops */

TileView transfer_view(MemSpace to, TileView v) {
  if (!is_cube_space(to)) return v;
  v.blayout = TILE_LAYOUT_COL_MAJOR;
  v.slayout = TILE_LAYOUT_ROW_MAJOR;
  return v;
}

static const Type *tile_as(Ir *ir, const Type *t, MemSpace space, const TileView *view) {
  Type n = {.kind = TYPE_TILE,
            .dtype = t->dtype,
            .space = space,
            .rank = t->rank,
            .shape = t->shape,
            .tile_view = view};
  return type_intern(ir, &n);
}

static Stmt *move_to(Ir *ir, Expr *dest, Expr *source, Span span) {
  TileView v = tile_view_of(ir, dest->type);
  Attr kwargs[] = {
      {key_name(KEY_TARGET_MEMORY), attr_of_enum(ENUM_MEM, dest->type->space), span},
      {key_name(KEY_BLAYOUT), attr_of_enum(ENUM_TILE_LAYOUT, v.blayout), span},
      {key_name(KEY_SLAYOUT), attr_of_enum(ENUM_TILE_LAYOUT, v.slayout), span},
  };
  AttrList list = {COPY_ARRAY(ir->arena, Attr, kwargs, 3), 3};
  Expr *call = expr_call_op(ir, op_get(ir, OP_TILE_MOVE), &source, 1, list, dest->type, span);
  return stmt_assign(ir, dest, call, span);
}

Expr *moved_to_push(Ir *ir, Expr *tile, MemSpace space, TileView view, Span span, StmtList *out) {
  view = transfer_view(space, view);
  const char *name = expr_is_var(tile) ? tile->u.var.name : "tile";
  Expr *moved = expr_var(ir, name_printf(&ir->names, "%s_nz", name),
                         tile_as(ir, tile->type, MEM_VEC, &view), span);
  vec_push(out, move_to(ir, moved, tile, span));
  return moved;
}

/* split= of a push or pop, and lane_stride= if there is one. */
static AttrList transport_kwargs(Ir *ir, int split, int lane_stride, Span span) {
  Attr kwargs[] = {{key_name(KEY_SPLIT), attr_of_int(split), span},
                   {key_name(KEY_LANE_STRIDE), attr_of_int(lane_stride), span}};
  return (AttrList){COPY_ARRAY(ir->arena, Attr, kwargs, 2), lane_stride > 0 ? 2 : 1};
}

static void push(Build *b, Expr *tile, const Crossing *c, Span span, StmtList *out) {
  OpId id = b->core == CORE_AIC ? OP_TILE_TPUSH_TO_AIV : OP_TILE_TPUSH_TO_AIC;
  AttrList kwargs = transport_kwargs(b->ir, c ? c->split : 0, c ? c->lane_stride : 0, span);
  vec_push(out, stmt_eval(b->ir, op_call_id(b->ir, id, &tile, 1, kwargs, span), span));
}

static Expr *pop(Build *b, Name name, const Type *type, const Crossing *c, Span span,
                 StmtList *out) {
  OpId id = b->core == CORE_AIC ? OP_TILE_TPOP_FROM_AIV : OP_TILE_TPOP_FROM_AIC;
  AttrList kwargs = transport_kwargs(b->ir, c ? c->split : 0, c ? c->lane_stride : 0, span);
  Expr *var = expr_var(b->ir, name, type, span);
  vec_push(out,
           stmt_assign(b->ir, var,
                       expr_call_op(b->ir, op_get(b->ir, id), NULL, 0, kwargs, type, span), span));
  return var;
}

static void send(Build *b, const Crossing *c, Span span, StmtList *out) {
  Expr *tile = c->source;
  if (b->core == CORE_AIV && b->target->vector_push_fractal) {
    const Type *like = c->by_move ? c->dest->type : tile->type;
    MemSpace to = c->by_move ? c->dest->type->space : MEM_MAT;
    tile = moved_to_push(b->ir, tile, to, tile_view_of(b->ir, like), span, out);
  }
  push(b, tile, c, span, out);
}

static bool lies_so(Ir *ir, const Type *t, MemSpace space, const TileView *v) {
  TileView own = tile_view_of(ir, t);
  return t->space == space && own.blayout == v->blayout && own.slayout == v->slayout;
}

static void receive(Build *b, const Crossing *c, Span span, StmtList *out) {
  MemSpace memory = transfer_memory(b->core), space = c->by_move ? c->dest->type->space : memory;
  const Type *dest = c->dest->type;
  TileView view = tile_view_of(b->ir, dest);
  if (!c->by_move) {
    /* it arrives in a new tile: nothing of how it lay on the other side matters */
    TileView implied = tile_view_implied(b->ir, dest->shape, dest->rank, dest->dtype, memory);
    implied.valid_shape = view.valid_shape;
    implied.nvalid = view.nvalid;
    view = implied;
  }
  view = transfer_view(space, view);
  Name name = c->dest->u.var.name;
  /* a slot of the pipe is no place for what is carried: it goes back after a while, and nobody else writes there */
  bool copy = target_copies(b->target, memory) && map_has(&b->joined, c->dest) &&
              lies_so(b->ir, dest, memory, &view);
  bool move_on = space != memory || copy;
  if (move_on)
    name = name_printf(&b->ir->names, "%s_%s", name, b->core == CORE_AIC ? "mat" : "vec");
  Expr *popped = pop(b, name, tile_as(b->ir, dest, memory, &view), c, span, out);
  map_set(b->stands_for, popped, popped);
  if (c->by_move && expr_is_var(c->source)) map_set(b->stands_for, c->source, popped);
  if (move_on)
    vec_push(out, move_to(b->ir, c->dest, popped, span));
  else
    map_set(b->stands_for, c->dest, popped);
}

static void wait_for_stores(Build *b, const Fence *f, Span span, StmtList *out) {
  for (; f; f = f->next) {
    Name name = name_printf(&b->ir->names, "%s_gm_sync", f->origin);
    pop(b, name, tile_as(b->ir, f->tile->type, MEM_VEC, NULL), NULL, span, out);
  }
}

static Block build(Build *b, Block block);

static Stmt *pruned(Build *b, const Stmt *s) {
  Stmt *n = stmt_copy(b->ir, s);
  if (s->kind == STMT_IF) {
    n->u.if_.then_body = build(b, s->u.if_.then_body);
    if (s->u.if_.has_else) n->u.if_.else_body = build(b, s->u.if_.else_body);
  } else if (stmt_is_loop(s)) {
    n->u.loop.body = build(b, s->u.loop.body);
  }
  return n;
}

static void build_stmt(Build *b, Stmt *s, StmtList *out) {
  const Crossing *c = map_get(&b->x->at, s);
  if (c) {
    (c->to == b->core ? receive : send)(b, c, s->span, out);
    return;
  }
  OpAffinity affinity = (OpAffinity)map_get_int(&b->x->affinity, s);
  if (affinity == core_affinity(b->core == CORE_AIC ? CORE_AIV : CORE_AIC)) return;
  if (b->core == CORE_AIV) wait_for_stores(b, map_get(&b->x->popped, s), s->span, out);
  if (affinity == AFFINITY_MIXED) {
    vec_push(out, pruned(b, s));
    return;
  }
  vec_push(out, s);
  const Fence *f = b->core == CORE_AIC ? map_get(&b->x->pushed, s) : NULL;
  if (f) push(b, f->tile, NULL, s->span, out);
}

static Block build(Build *b, Block block) {
  StmtList out = {0};
  for (int i = 0; i < block.len; i++) build_stmt(b, block.items[i], &out);
  return block_take(b->ir, &out);
}

Block core_body(const Crossings *x, const Target *target, Core core, Block block, Map *stands_for) {
  Build b = {.x = x, .ir = x->ir, .target = target, .core = core, .stands_for = stands_for};
  find_joined(&b.joined, block);
  block = build(&b, block);
  map_free(&b.joined);
  return block;
}
