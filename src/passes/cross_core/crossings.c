#include "passes/cross_core/crossings.h"

#include "passes/cross_core/affinity.h"
#include "passes/cross_core/lanes.h"

/* ---------------------------------------------------------------- moves, shards, gathers */

static bool note_crossing(Crossings *x, Stmt *s) {
  Expr *call = s->u.assign.value;
  if (!expr_op(call) || map_get_int(&x->affinity, s) != AFFINITY_MIXED || call->u.call.nargs == 0)
    return true;
  Crossing c = {.dest = s->u.assign.var, .source = call->u.call.args[0], .by_move = true};
  AttrList kwargs = call->u.call.kwargs;
  switch (expr_op(call)->id) {
    case OP_TILE_MOVE:
      c.to = is_cube_space((MemSpace)key_int(kwargs, KEY_TARGET_MEMORY, MEM_VEC)) ? CORE_AIC
                                                                                  : CORE_AIV;
      break;
    case OP_TILE_AIV_SHARD:
    case OP_TILE_AIC_GATHER:
      c.by_move = false;
      c.to = expr_op(call)->id == OP_TILE_AIV_SHARD ? CORE_AIV : CORE_AIC;
      if (c.to == CORE_AIV) c.lane_stride = (int)key_int(kwargs, KEY_LANE_STRIDE, 0);
      c.split = transfer_code(x->ir,
                              &(Transfer){.to_vector = c.to == CORE_AIV,
                                          .whole = c.to == CORE_AIV ? c.source->type : c.dest->type,
                                          .mode = (SplitMode)key_int(kwargs, KEY_SPLIT, 0),
                                          .lane_stride = c.lane_stride,
                                          .at = s->span});
      break;
    default: return true;
  }
  Crossing *kept = NEW(x->ir->arena, Crossing);
  *kept = c;
  map_set(&x->at, s, kept);
  return c.split >= 0;
}

static bool note_crossings(Crossings *x, Block b) {
  bool ok = true;
  for (int i = 0; i < b.len; i++) {
    Stmt *s = b.items[i];
    if (s->kind == STMT_ASSIGN) ok &= note_crossing(x, s);
    if (stmt_is_loop(s)) ok &= note_crossings(x, s->u.loop.body);
    if (s->kind == STMT_IF) {
      ok &= note_crossings(x, s->u.if_.then_body);
      ok &= note_crossings(x, s->u.if_.else_body);
    }
  }
  return ok;
}

/* ---------------------------------------------------------------- fences */

typedef struct Nest Nest;
struct Nest {
  Stmt *inside; /* NULL: the function's body */
  Nest *outer;
};

/* What is known of one tensor. */
typedef struct Origin {
  Stmt *store;
  const Nest *nest;
  int nstores;
  bool cube;
  Stmt *before; /* where the first load is to wait; NULL: no load */
} Origin;

typedef struct Walk {
  Crossings *x;
  Map stored;  /* result of tile.store -> the tensor stored to */
  Map origins; /* tensor -> Origin */
} Walk;

static const Expr *origin_of(Walk *w, const Expr *tensor) {
  for (const Expr *to; (to = map_get(&w->stored, tensor));) tensor = to;
  return tensor;
}

static void note_store(Walk *w, const Nest *nest, Stmt *s, bool cube) {
  Expr *dest = s->u.assign.value->u.call.args[2];
  void **at = map_at(&w->origins, origin_of(w, dest));
  if (!*at) {
    Origin *o = NEW(w->x->ir->arena, Origin);
    *o = (Origin){.store = s, .nest = nest, .cube = cube};
    *at = o;
  }
  ((Origin *)*at)->nstores++;
}

static void note_load(Walk *w, const Nest *nest, Stmt *s) {
  Origin *o = map_get(&w->origins, origin_of(w, s->u.assign.value->u.call.args[0]));
  if (!o || !o->cube || o->before) return;
  for (; nest && nest != o->nest; nest = nest->outer) s = nest->inside;
  if (nest) o->before = s;
}

static void note_access(Walk *w, const Nest *nest, Stmt *s) {
  const Expr *call = s->u.assign.value;
  intptr_t affinity = map_get_int(&w->x->affinity, s);
  bool store = expr_is_op(call, OP_TILE_STORE), load = expr_is_op(call, OP_TILE_LOAD);
  if (store && call->u.call.nargs >= 3 && expr_is_var(call->u.call.args[2])) {
    if (affinity == AFFINITY_CUBE || affinity == AFFINITY_VECTOR)
      note_store(w, nest, s, affinity == AFFINITY_CUBE);
    map_set(&w->stored, s->u.assign.var, call->u.call.args[2]);
  } else if (load && affinity == AFFINITY_VECTOR && expr_is_var(call->u.call.args[0])) {
    note_load(w, nest, s);
  }
}

static void note_accesses(Walk *w, Nest *outer, Stmt *inside, Block b) {
  Nest *nest = NEW(w->x->ir->arena, Nest);
  *nest = (Nest){inside, outer};
  for (int i = 0; i < b.len; i++) {
    Stmt *s = b.items[i];
    if (s->kind == STMT_ASSIGN) note_access(w, nest, s);
    if (stmt_is_loop(s)) note_accesses(w, nest, s, s->u.loop.body);
    if (s->kind == STMT_IF) note_accesses(w, nest, s, s->u.if_.then_body);
    if (s->kind == STMT_IF && s->u.if_.has_else) note_accesses(w, nest, s, s->u.if_.else_body);
  }
}

static void note_fences(Crossings *x, Block body) {
  Walk w = {.x = x};
  note_accesses(&w, NULL, NULL, body);
  for (MapEntry *e = NULL; (e = map_next(&w.origins, e));) {
    const Origin *o = e->value;
    if (o->nstores != 1 || !o->before) continue;
    Fence *f = NEW(x->ir->arena, Fence);
    *f = (Fence){.tile = o->store->u.assign.value->u.call.args[0],
                 .origin = ((const Expr *)e->key)->u.var.name};
    map_set(&x->pushed, o->store, f);
    Fence **last = (Fence **)map_at(&x->popped, o->before);
    while (*last) last = &(*last)->next;
    *last = f;
  }
  map_free(&w.stored);
  map_free(&w.origins);
}

bool crossings_init(Crossings *x, Ir *ir, Block body) {
  *x = (Crossings){.ir = ir};
  note_affinities(ir, body, &x->affinity);
  if (!note_crossings(x, body)) return false;
  note_fences(x, body);
  return true;
}

void crossings_free(Crossings *x) {
  map_free(&x->affinity);
  map_free(&x->at);
  map_free(&x->pushed);
  map_free(&x->popped);
}
