#include "passes/memory/plan_watch.h"

#include <stdlib.h>
#include <string.h>

#include "ir/op.h"
#include "ir/visit.h"
#include "passes/memory/apart.h"
#include "passes/memory/keep.h"
#include "passes/memory/loop_spans.h"
#include "passes/memory/memref.h"

enum { MAX_TRACES = 64 }; /* at once */

typedef struct TileList {
  int len, room;
  int tile[];
} TileList;

/* The tiles whole in a stretch: the first `n` of a list, by number, ascending.  Never changed once made: with one tile
 * more it is another set, but of the same list if that tile comes behind all, as new names of a value do. */
typedef struct Whole {
  int n;
  TileList *list;
} Whole;

typedef struct Cut {
  MemSpace space;
  uint64_t at;
} Cut;

/* `tile` is the same value as `source`. */
typedef struct Join {
  int tile, source;
} Join;

/* A stretch where a tile is found broken, and what broke it. */
typedef struct Trace {
  int tile, stretch;
  int by;    /* tile; 0: not known yet */
  bool seen; /* the place where it is read has been reached again */
} Trace;

typedef struct Check {
  PassCtx *ctx;
  PlanWatch *watch;
  Arena arena;
  const Function *f;
  VEC(Cut) cuts;   /* where stretches begin and end, per space in order */
  Map number;      /* variable -> number of its tile */
  VEC(Join) joins; /* in the order of the walk */
  LoopSpans loops;
  const Whole **state;
  const Whole *nobody;
  const Stmt *assign; /* the assignment being looked at */
  Map carried;        /* result of a loop -> the name it is carried by */
  Map chosen;         /* results of branches */
  Map apart;          /* without addresses: allocation -> its number */
  bool placed;        /* there are addresses */
  bool unjoined;      /* loops don't copy yet what they yield */
  bool report, ok;
  VEC(Trace) traces; /* of an unjoined function */
  bool tracing;      /* they are known, and what breaks the tiles is looked for */
} Check;

static WatchedTile *tile_at(const Check *c, int tile) { return &c->watch->tiles.data[tile]; }

/* ---------------------------------------------------------------- stretches */

/* ptoas places allocations, and none over another: here they lie far apart. */
static uint64_t start_of(Check *c, const Expr *base) {
  if (c->placed) return 0;
  if (!map_has(&c->apart, base)) map_set(&c->apart, base, map_int((intptr_t)c->apart.count));
  return (uint64_t)map_get_int(&c->apart, base) << 40;
}

/* The bytes of a tile.  References may name all of an allocation that the tile fills only in part; what a
 * view sees may be spread over more than its elements. */
static bool range_of(Check *c, const Expr *var, bool view, uint64_t *begin, uint64_t *end) {
  const Type *t = var->type;
  int64_t at;
  uint64_t size, own;
  if (!tile_base(t) || t->space == MEM_DDR || !expr_const_int(t->memref->offset, &at) || at < 0)
    return false;
  size = t->memref->size;
  if (!view && alloc_bytes(c->ctx->opts->target, t, t->space, &own) && own < size) size = own;
  *begin = (uint64_t)at + start_of(c, tile_base(t));
  return !__builtin_add_overflow(*begin, size, end) && *end > *begin;
}

/* A view leaves memory as it is. */
static bool is_view_call(const Expr *value) {
  const Op *op = expr_op(value);
  if (op && op->id == OP_TILE_TGET_SCALE_ADDR)
    return true; /* names the place of a scale, writes nothing */
  return op && op_is_view(op) && op->access == ACCESS_NONE && value->u.call.nargs > 0;
}

static bool note_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind == STMT_ASSIGN) c->assign = s;
  if (stmt_is_loop(s))
    for (int i = 0; i < s->u.loop.nresults && i < s->u.loop.ncarried; i++)
      map_set(&c->carried, s->u.loop.results[i], s->u.loop.iter_args[i]);
  for (int i = 0; s->kind == STMT_IF && i < s->u.if_.nresults; i++)
    map_set(&c->chosen, s->u.if_.results[i], s);
  return true;
}

static int tile_of(const Check *c, const Expr *e) { return (int)map_get_int(&c->number, e); }

/* The tile whose memory the operator writes and gives back, or 0. */
static int written_tile(const Check *c, const Expr *value) {
  const Op *op = expr_op(value);
  int i = op ? op_written_arg(op) : -1;
  return i >= 0 && i < value->u.call.nargs ? tile_of(c, value->u.call.args[i]) : 0;
}

/* The tile that `var` is a view of, directly or by way of names for the same view. */
static int window_of(const Check *c, const Expr *var) {
  const Expr *same = map_get(&c->carried, var);
  if (var->u.var.is_iter_arg) same = var->u.var.init;
  if (!same && c->assign && var == c->assign->u.assign.var) {
    const Expr *value = c->assign->u.assign.value;
    if (is_view_call(value)) return tile_of(c, value->u.call.args[0]);
    if (!expr_is_var(value)) return tile_at(c, written_tile(c, value))->window;
    same = value;
  }
  return same ? tile_at(c, tile_of(c, same))->window : 0;
}

/* A slice whose offset is known at run time only: its reference says nothing about its place. */
static bool is_anywhere(const Expr *value) {
  if (!expr_is_op(value, OP_TILE_SLICE) || value->u.call.nargs < 3) return false;
  const Expr *offset = value->u.call.args[2];
  int64_t at;
  for (int i = 0; offset->kind == EXPR_TUPLE && i < offset->u.tuple.len; i++)
    if (!expr_const_int(offset->u.tuple.elems[i], &at)) return true;
  return false;
}

/* A view sees nothing outside what it is a view of. */
static void keep_within_source(const Check *c, WatchedTile *p) {
  const Expr *value = c->assign->u.assign.value;
  const Expr *source = expr_is_var(value) ? value : value->u.call.args[0];
  int at = (int)map_get_int(&c->number, source);
  if (!at || tile_base(source->type) != tile_base(p->var->type)) return;
  const WatchedTile *from = tile_at(c, at);
  bool apart = from->end <= p->begin || from->begin >= p->end, anywhere = is_anywhere(value);
  if (anywhere || (!apart && from->begin > p->begin)) p->begin = from->begin;
  if (anywhere || (!apart && from->end < p->end)) p->end = from->end;
}

/* Another name lies where its source lies, whatever allocation it has been given, and so does what is made in it. */
static void follow_source(Check *c, WatchedTile *p) {
  const Expr *value = c->assign->u.assign.value;
  const Op *op = expr_op(value);
  int arg = op ? op_written_arg(op) : -1;
  if (op && arg < 0 && op_is_view(op)) arg = 0;
  if (arg >= 0 && arg < value->u.call.nargs) value = value->u.call.args[arg];
  const WatchedTile *from = tile_at(c, tile_of(c, value));
  if (!expr_is_var(value) || !from->var) return;
  if (tile_base(p->var->type) == tile_base(from->var->type))
    p->shift = from->shift;
  else if (arg < 0)
    p->shift = from->begin - p->begin;
  p->begin += p->shift;
  p->end += p->shift;
}

static void add_tile(Visitor *v, Expr *var) {
  Check *c = v->ctx;
  WatchedTile p = {.var = var};
  bool assigned = c->assign && var == c->assign->u.assign.var;
  bool view = assigned &&
              (expr_is_var(c->assign->u.assign.value) || is_view_call(c->assign->u.assign.value));
  if (!type_is_tile(var->type) || !range_of(c, var, view, &p.begin, &p.end)) return;
  if (assigned && !c->placed) follow_source(c, &p);
  if (view) keep_within_source(c, &p);
  MemSpace space = var->type->space;
  int64_t capacity = c->ctx->opts->target->spaces[space].capacity;
  if (c->placed && capacity && p.end > (uint64_t)capacity) {
    if (c->report)
      diag_error(c->ctx->ir->diag, var->span, "tile '%s' ends at byte %llu of %s, which has %lld",
                 var->u.var.name, (unsigned long long)p.end, mem_name(space), (long long)capacity);
    c->ok = false;
  }
  if (c->placed && p.begin < reserved_end(&c->watch->reserved, space)) {
    if (c->report)
      diag_error(c->ctx->ir->diag, var->span, "tile '%s' lies in bytes that are reserved",
                 var->u.var.name);
    c->ok = false;
  }
  p.window = window_of(c, var);
  vec_push(&c->cuts, (Cut){space, p.begin});
  vec_push(&c->cuts, (Cut){space, p.end});
  map_set(&c->number, var, map_int((intptr_t)c->watch->tiles.len));
  vec_push(&c->watch->tiles, p);
}

static int by_place(const void *x, const void *y) {
  const Cut *a = x, *b = y;
  if (a->space != b->space) return a->space < b->space ? -1 : 1;
  return a->at < b->at ? -1 : a->at > b->at;
}

static int cut_at(const Check *c, MemSpace space, uint64_t at) {
  Cut key = {space, at};
  const Cut *found = search_array(&key, c->cuts.data, c->cuts.len, sizeof key, by_place);
  return (int)(found - c->cuts.data);
}

static void find_stretches(Check *c) {
  Visitor v = {.ctx = c, .def = add_tile, .stmt = note_stmt};
  visit_func(&v, (Function *)c->f);
  if (c->cuts.len) sort_array(c->cuts.data, c->cuts.len, sizeof(Cut), by_place);
  size_t n = 0;
  for (size_t i = 0; i < c->cuts.len; i++)
    if (n == 0 || by_place(&c->cuts.data[n - 1], &c->cuts.data[i]) != 0)
      c->cuts.data[n++] = c->cuts.data[i];
  c->cuts.len = n;
  for (size_t i = 1; i < c->watch->tiles.len; i++) {
    WatchedTile *p = tile_at(c, i);
    p->first = cut_at(c, p->var->type->space, p->begin);
    p->behind = cut_at(c, p->var->type->space, p->end);
  }
  c->state = xmalloc((n + 1) * sizeof *c->state);
  for (size_t i = 0; i <= n; i++) c->state[i] = c->nobody;
}

/* ---------------------------------------------------------------- sets of tiles */

/* How many tiles in `w` have a smaller number. */
static int rank_in(const Whole *w, int tile) {
  int lo = 0, hi = w->n;
  while (lo < hi) {
    int mid = lo + (hi - lo) / 2;
    if (w->list->tile[mid] < tile)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static bool holds(const Whole *w, int tile) {
  int at = rank_in(w, tile);
  return at < w->n && w->list->tile[at] == tile;
}

static TileList *new_list(Check *c, int room) {
  TileList *l = arena_alloc(&c->arena, sizeof(TileList) + sizeof(int) * (size_t)room);
  l->len = 0;
  l->room = room;
  return l;
}

static const Whole *whole_of(Check *c, TileList *l, int n) {
  Whole *w = arena_alloc(&c->arena, sizeof *w);
  *w = (Whole){n, l};
  return w;
}

static const Whole *with(Check *c, const Whole *w, int tile) {
  TileList *l = w->list;
  int at = rank_in(w, tile);
  if (at < w->n && l->tile[at] == tile) return w;
  if (at < w->n || at == l->room ||
      (at < l->len && l->tile[at] != tile)) { /* no place in this list */
    l = new_list(c, w->n * 2 + 1);
    memcpy(l->tile, w->list->tile, sizeof(int) * (size_t)at);
    memcpy(l->tile + at + 1, w->list->tile + at, sizeof(int) * (size_t)(w->n - at));
    l->len = w->n;
  }
  l->tile[at] = tile;
  if (l->len == w->n) l->len++;
  return whole_of(c, l, w->n + 1);
}

static const Whole *both(Check *c, const Whole *a, const Whole *b) {
  if (a->list == b->list) return a->n < b->n ? a : b;
  TileList *l = new_list(c, a->n < b->n ? a->n : b->n);
  for (int i = 0, k = 0; i < a->n && k < b->n;) {
    int x = a->list->tile[i], y = b->list->tile[k];
    if (x == y) l->tile[l->len++] = x;
    i += x <= y;
    k += y <= x;
  }
  return whole_of(c, l, l->len);
}

/* ---------------------------------------------------------------- when tiles are needed */

static int now(const Check *c) { return (int)c->watch->points.len; }

/* A yield stands where a loop or branch begins in the source, but comes at its end. */
static void next_point(Check *c, const Stmt *s) {
  bool odd = s->kind == STMT_YIELD && c->watch->points.len;
  vec_push(&c->watch->points, odd ? vec_last(&c->watch->points) : s->span);
}

static void define(Check *c, int tile) { tile_at(c, tile)->def = tile_at(c, tile)->last = now(c); }

static void need(Check *c, int tile) {
  tile_at(c, tile)->read = true;
  if (now(c) > tile_at(c, tile)->last) tile_at(c, tile)->last = now(c);
}

/* What is needed of a tile is needed of the one it has its value from. */
static void finish_lives(Check *c) {
  for (size_t i = c->joins.len; i-- > 0;) {
    Join j = c->joins.data[i];
    const WatchedTile *from = tile_at(c, j.tile);
    WatchedTile *to = tile_at(c, j.source);
    if (from->last > to->last) to->last = from->last;
    to->read |= from->read;
  }
  loop_spans_seal(&c->loops);
  for (size_t i = 1; i < c->watch->tiles.len; i++) {
    WatchedTile *t = tile_at(c, (int)i);
    t->last = loop_spans_reach(&c->loops, t->def, t->last);
    int from = t->window   ? t->window
               : t->source ? t->source
                           : t->value; /* so far the name it is carried by */
    t->value = from && from < (int)i ? tile_at(c, from)->value : (int)i;
  }
}

/* ---------------------------------------------------------------- reading and writing */

/* Of the tiles in `w` those that `tile` is a window of: what is written in a window is written in them, too. */
static const Whole *windowed(Check *c, const Whole *w, int tile) {
  const Whole *kept = c->nobody;
  VEC(int) held = {0}; /* the innermost first, that is the greatest number */
  for (int up = tile_at(c, tile)->window; up && w->n; up = tile_at(c, up)->window)
    if (holds(w, up)) vec_push(&held, up);
  while (held.len) kept = with(c, kept, vec_pop(&held));
  vec_free(&held);
  return kept;
}

/* The tile or one that it has its value from. */
static bool holds_value(const Check *c, const Whole *w, int tile) {
  for (; tile; tile = tile_at(c, tile)->source)
    if (holds(w, tile)) return true;
  return false;
}

/* In the memory of tile `by` a stretch changes. */
static void note_loss(Check *c, int stretch, const Whole *now, int by) {
  for (size_t i = 0; c->tracing && i < c->traces.len; i++) {
    Trace *t = &c->traces.data[i];
    if (t->seen || t->stretch != stretch || holds_value(c, now, t->tile)) continue;
    if (holds_value(c, c->state[stretch], t->tile)) t->by = by;
  }
}

/* What is written over a tile; `stays`: and the tile is whole then. */
static void overwrite(Check *c, int tile, bool stays) {
  const Whole *old = NULL, *now = NULL;
  for (int i = tile_at(c, tile)->first; i < tile_at(c, tile)->behind; i++) {
    if (c->state[i] != old) {
      old = c->state[i];
      now = windowed(c, old, tile);
      if (stays) now = with(c, now, tile);
    }
    note_loss(c, i, now, tile);
    c->state[i] = now;
  }
}

static void write_tile(Check *c, int tile) {
  if (!tile) return;
  define(c, tile);
  overwrite(c, tile, true);
}

/* Makes `tile` the same value as `source` (0: as what is there), wherever that is whole. */
static void join_tile(Check *c, int tile, int source) {
  if (!tile) return;
  const Whole *old = NULL, *joined = NULL;
  for (int i = tile_at(c, tile)->first; i < tile_at(c, tile)->behind; i++) {
    if (source && !holds(c->state[i], source)) continue;
    if (c->state[i] != old) {
      old = c->state[i];
      joined = with(c, old, tile);
    }
    c->state[i] = joined;
  }
}

/* `tile` begins as another name for `source`, or a view of it. */
static void alias_tile(Check *c, int tile, int source) {
  if (!tile) return;
  define(c, tile);
  tile_at(c, tile)->source = source;
  if (source) vec_push(&c->joins, (Join){tile, source});
  join_tile(c, tile, source);
}

/* A stretch of `tile` where it isn't whole, or -1. */
static int broken_at(const Check *c, int tile) {
  for (int i = tile_at(c, tile)->first; i < tile_at(c, tile)->behind; i++)
    if (!holds(c->state[i], tile)) return i;
  return -1;
}

/* The first walk finds where tiles are broken, the second what broke them. */
static void trace(Check *c, int tile, int at) {
  for (size_t i = 0; c->tracing && i < c->traces.len; i++)
    if (c->traces.data[i].tile == tile && c->traces.data[i].stretch == at)
      c->traces.data[i].seen = true;
  if (!c->tracing && c->traces.len < MAX_TRACES)
    vec_push(&c->traces, (Trace){.tile = tile, .stretch = at});
}

static void report(Check *c, int tile, int at, Span where) {
  const Expr *var = tile_at(c, tile)->var;
  c->ok = false;
  if (c->unjoined) trace(c, tile, at);
  if (!c->report) return;
  diag_error(c->ctx->ir->diag, where, "tile '%s' is read in %s after its memory was written again",
             var->u.var.name, mem_name(var->type->space));
  if (!target_copies(c->ctx->opts->target, var->type->space))
    diag_note(c->ctx->ir->diag, NO_SPAN,
              "what lies in %s cannot be copied: compute it a second time, or store it, before "
              "another value takes its memory",
              mem_name(var->type->space));
  if (c->state[at]->n == 0) return;
  const Expr *by = tile_at(c, c->state[at]->list->tile[0])->var;
  diag_note(c->ctx->ir->diag, by->span, "byte %llu belongs to '%s' now",
            (unsigned long long)c->cuts.data[at].at, by->u.var.name);
}

typedef struct Reads {
  Check *c;
  Span at;
} Reads;

static bool read_expr(Visitor *v, Expr *e) {
  Reads *r = v->ctx;
  int tile = expr_is_var(e) ? tile_of(r->c, e) : 0;
  if (tile) need(r->c, tile);
  int at = tile ? broken_at(r->c, tile) : -1;
  if (at >= 0) {
    report(r->c, tile, at, r->at);
    join_tile(r->c, tile, 0); /* once is enough */
  }
  return true;
}

static void reads(Check *c, Expr *e, Span at) {
  Reads r = {c, at};
  Visitor v = {.ctx = &r, .expr = read_expr};
  visit_expr(&v, e);
}

static void check_alias(Check *c, const Expr *call, int result) {
  const WatchedTile *r = tile_at(c, result);
  for (int i = 0; i < call->u.call.nargs; i++) {
    int tile = tile_of(c, call->u.call.args[i]);
    if (!tile || may_alias_arg(c->ctx->opts->target, call, r->var->type, i)) continue;
    const WatchedTile *a = tile_at(c, tile);
    if (a->first >= r->behind || r->first >= a->behind) continue;
    c->ok = false;
    if (!c->report) continue;
    diag_error(c->ctx->ir->diag, r->var->span, "%s must not write '%s' over its operand '%s'",
               call->u.call.op->name, r->var->u.var.name, a->var->u.var.name);
  }
}

/* ---------------------------------------------------------------- statements */

/* Where the operand that an operator changes lies elsewhere than the result, it is copied there before the others are
 * read. */
static void check_copied_operand(Check *c, const Stmt *s, int result) {
  const Expr *call = s->u.assign.value;
  int changed = call_changed_arg(call);
  int operand = changed >= 0 ? tile_of(c, call->u.call.args[changed]) : 0;
  if (!operand || tile_at(c, operand)->first == tile_at(c, result)->first) return;
  for (int i = 0; i < call->u.call.nargs; i++)
    if (i != changed) reads(c, call->u.call.args[i], s->span);
}

static void check_assign(Check *c, Stmt *s) {
  Expr *value = s->u.assign.value;
  int tile = tile_of(c, s->u.assign.var);
  if (expr_is_var(value)) {
    alias_tile(c, tile, tile_of(c, value));
    return;
  }
  if (is_view_call(value)) {
    alias_tile(c, tile, tile_of(c, value->u.call.args[0]));
    return;
  }
  reads(c, value, s->span);
  if (tile && expr_op(value)) check_alias(c, value, tile);
  write_tile(c, tile);
  if (tile && expr_op(value)) check_copied_operand(c, s, tile);
}

static void check_block(Check *c, Block b);

static const Whole **copy_state(Check *c) {
  size_t bytes = (c->cuts.len + 1) * sizeof *c->state;
  return memcpy(xmalloc(bytes), c->state, bytes);
}

static bool lie_apart(const Check *c, const Expr *a, const Expr *b) {
  int x = tile_of(c, a), y = tile_of(c, b);
  return x && y && tile_at(c, x)->first != tile_at(c, y)->first;
}

/* The order of the copies at the end of a branch is not known yet: what is copied must be whole behind all of them. */
static void read_copied(Check *c, Expr *const *to, int n, const Stmt *yield) {
  for (int i = 0; c->unjoined && yield && i < n && i < yield->u.ret.len; i++)
    if (lie_apart(c, to[i], yield->u.ret.values[i])) reads(c, yield->u.ret.values[i], yield->span);
}

/* What lies elsewhere is copied there at the end of the branch. */
static void join_yielded(Check *c, Expr *const *to, int n, Block b) {
  Stmt *yield = block_yield(b);
  for (int i = 0; yield && i < n && i < yield->u.ret.len; i++) {
    int result = tile_of(c, to[i]), value = tile_of(c, yield->u.ret.values[i]);
    if (!result) continue;
    /* no chip can copy from one accumulator to another; but without addresses, it is made where it is to be */
    bool moves = target_copies(c->ctx->opts->target, to[i]->type->space) || !c->placed;
    if (moves && value && tile_at(c, value)->first != tile_at(c, result)->first) {
      reads(c, yield->u.ret.values[i], yield->span);
      write_tile(c, result);
    } else {
      join_tile(c, result, value);
    }
  }
  read_copied(c, to, n, yield);
}

/* A yield needs its values, but only the one of its two readers that runs on finds out whether they are whole. */
static void need_yielded(Check *c, const Stmt *yield) {
  for (int i = 0; i < yield->u.ret.len; i++)
    if (tile_of(c, yield->u.ret.values[i])) need(c, tile_of(c, yield->u.ret.values[i]));
}

static void check_if(Check *c, Stmt *s) {
  reads(c, s->u.if_.cond, s->span);
  const Whole **before = copy_state(c);
  check_block(c, s->u.if_.then_body);
  join_yielded(c, s->u.if_.results, s->u.if_.nresults, s->u.if_.then_body);
  const Whole **then_state = c->state;
  c->state = before;
  if (s->u.if_.has_else) check_block(c, s->u.if_.else_body);
  if (s->u.if_.has_else) join_yielded(c, s->u.if_.results, s->u.if_.nresults, s->u.if_.else_body);
  for (size_t i = 0; i < c->cuts.len; i++) c->state[i] = both(c, c->state[i], then_state[i]);
  free(then_state);
  for (int i = 0; i < s->u.if_.nresults; i++)
    if (tile_of(c, s->u.if_.results[i])) define(c, tile_of(c, s->u.if_.results[i]));
}

static bool yields_elsewhere(const Check *c, Block b, int i, const Expr *to) {
  const Stmt *yield = block_yield(b);
  return yield && i < yield->u.ret.len && lie_apart(c, to, yield->u.ret.values[i]);
}

/* Does what the loop yields lie elsewhere than it is carried? */
static bool is_copied_back(const Check *c, const Stmt *loop, int i) {
  return c->unjoined && i < loop->u.loop.ncarried &&
         yields_elsewhere(c, loop->u.loop.body, i, loop->u.loop.iter_args[i]);
}

/* Memory that copies at yields write loses what it holds. */
static void forget_copied(Check *c, const Stmt *s) {
  for (int i = 0; s->kind == STMT_IF && i < s->u.if_.nresults; i++) {
    const Expr *result = s->u.if_.results[i];
    if (yields_elsewhere(c, s->u.if_.then_body, i, result) ||
        (s->u.if_.has_else && yields_elsewhere(c, s->u.if_.else_body, i, result)))
      overwrite(c, tile_of(c, result), false);
  }
  bool loop = s->kind == STMT_FOR || s->kind == STMT_WHILE;
  for (int i = 0; loop && i < s->u.loop.ncarried; i++)
    if (is_copied_back(c, s, i)) overwrite(c, tile_of(c, s->u.loop.iter_args[i]), false);
}

/* Memory that a statement writes loses what it holds. */
static bool forget_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  forget_copied(c, s);
  if (s->kind != STMT_ASSIGN) return true;
  int tile = tile_of(c, s->u.assign.var);
  if (!tile || expr_is_var(s->u.assign.value) || is_view_call(s->u.assign.value)) return true;
  overwrite(c, tile, false);
  return true;
}

static void check_loop(Check *c, Stmt *s) {
  VEC(int) carried = {0}; /* tiles that are whole on entry */
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    Expr *arg = s->u.loop.iter_args[i];
    int tile = tile_of(c, arg);
    alias_tile(c, tile, tile_of(c, arg->u.var.init));
    vec_push(&carried, tile && broken_at(c, tile) < 0 ? tile : 0);
  }
  Visitor v = {.ctx = c, .stmt = forget_stmt};
  forget_copied(c, s);
  visit_block(&v, s->u.loop.body);
  for (size_t i = 0; i < carried.len; i++) join_tile(c, carried.data[i], 0);
  const Whole **head = copy_state(c);
  if (s->kind == STMT_WHILE) reads(c, s->u.loop.cond, s->span);
  size_t index = c->loops.list.len;
  vec_push(&c->loops.list, (LoopSpan){now(c), 0});
  check_block(c, s->u.loop.body);
  c->loops.list.data[index].end = now(c) - 1;
  Stmt *yield = block_yield(s->u.loop.body);
  for (int i = 0; yield && i < s->u.loop.ncarried && i < yield->u.ret.len; i++) {
    int tile = carried.data[i], value = tile_of(c, yield->u.ret.values[i]);
    if (value) tile_at(c, value)->value = tile;
    if (is_copied_back(c, s, i)) {
      reads(c, yield->u.ret.values[i], yield->span);
      continue;
    }
    for (int k = tile_at(c, tile)->first; tile && k < tile_at(c, tile)->behind; k++) {
      if (value && holds(c->state[k], value)) continue;
      report(c, value ? value : tile, k, yield->span);
      break;
    }
  }
  free(c->state);
  c->state = head;
  for (int i = 0; i < s->u.loop.nresults && i < s->u.loop.ncarried; i++) {
    alias_tile(c, tile_of(c, s->u.loop.results[i]), tile_of(c, s->u.loop.iter_args[i]));
  }
  vec_free(&carried);
}

static void check_block(Check *c, Block b) {
  for (int i = 0; i < b.len; i++) {
    Stmt *s = b.items[i];
    switch (s->kind) {
      case STMT_ASSIGN:
        check_assign(c, s);
        if (!alloc_call(s)) next_point(c, s);
        break;
      case STMT_EVAL:
        reads(c, s->u.eval, s->span);
        next_point(c, s);
        break;
      case STMT_YIELD:
        need_yielded(c, s);
        next_point(c, s);
        break;
      case STMT_RETURN:
        for (int k = 0; k < s->u.ret.len; k++) reads(c, s->u.ret.values[k], s->span);
        next_point(c, s);
        break;
      case STMT_IF: check_if(c, s); break;
      case STMT_FOR:
      case STMT_WHILE: check_loop(c, s); break;
      case STMT_SCOPE: check_block(c, s->u.scope.body); break;
      default: break;
    }
  }
}

static void check_init(Check *c, PlanWatch *w) {
  *w = (PlanWatch){0};
  c->watch = w;
  arena_init(&c->arena);
  c->nobody = whole_of(c, new_list(c, 0), 0);
  vec_push(&w->tiles, (WatchedTile){0});
  c->ok = c->unjoined || reserved_init(&w->reserved, c->ctx->ir, c->ctx->opts->target, c->f);
  find_stretches(c);
}

static void check_free(Check *c) {
  free(c->state);
  vec_free(&c->cuts);
  vec_free(&c->joins);
  loop_spans_free(&c->loops);
  map_free(&c->number);
  map_free(&c->carried);
  map_free(&c->chosen);
  map_free(&c->apart);
  vec_free(&c->traces);
  arena_free(&c->arena);
}

bool plan_watch_init(PlanWatch *w, PassCtx *ctx, const Function *f, bool report) {
  Check c = {.ctx = ctx, .f = f, .report = report, .placed = ctx->opts->planner != PLANNER_PTOAS};
  check_init(&c, w);
  if (c.ok || !report) check_block(&c, f->body);
  finish_lives(&c);
  check_free(&c);
  return c.ok;
}

/* A result of `if` that is another's place, too, is whole in neither: `tile` or what it has its value from; else 0. */
static int never_whole(const Check *c, int tile) {
  while (tile_at(c, tile)->source) tile = tile_at(c, tile)->source;
  return map_has(&c->chosen, tile_at(c, tile)->var) ? tile : 0;
}

void plan_find_lost(PassCtx *ctx, const Function *f, LostTiles *lost) {
  PlanWatch w;
  Check c = {.ctx = ctx, .f = f, .unjoined = true};
  check_init(&c, &w);
  check_block(&c, f->body);
  if (c.traces.len) {
    c.tracing = true;
    for (size_t i = 0; i < c.cuts.len; i++) c.state[i] = c.nobody;
    check_block(&c, f->body);
  }
  for (size_t i = 0; i < c.traces.len; i++) {
    Trace t = c.traces.data[i];
    if (!t.by) t.by = never_whole(&c, t.tile);
    if (t.by) vec_push(lost, (LostTile){tile_at(&c, t.tile)->var, tile_at(&c, t.by)->var});
  }
  check_free(&c);
  plan_watch_free(&w);
}

void plan_watch_free(PlanWatch *w) {
  vec_free(&w->tiles);
  vec_free(&w->points);
  reserved_free(&w->reserved);
}

bool plan_is_safe(PassCtx *ctx, const Function *f, bool report) {
  PlanWatch w;
  bool ok = plan_watch_init(&w, ctx, f, report);
  plan_watch_free(&w);
  return ok;
}
