#include "passes/memory/overfull.h"

#include <stdlib.h>

#include "ir/print.h"
#include "passes/memory/lives.h"
#include "passes/memory/memref.h"
#include "passes/util/auto_name.h"

enum { MAX_SHOWN = 8 };

/* An allocation begins or ceases to be needed. */
typedef struct Event {
  int64_t at;
  bool ends;
  int tile; /* a member that is alive from here, or was */
} Event;

/* A tile alive at the fullest point. */
typedef struct Alive {
  int tile;
  uint64_t size; /* of its allocation */
} Alive;

typedef struct Fullest {
  uint64_t bytes; /* of all that is alive, without what is reserved */
  int64_t at;
  int tile; /* the last one that makes it so full */
} Fullest;

typedef struct Overfull {
  Ir *ir;
  const CompileOptions *opts;
  const Function *f;
  const Reserved *reserved;
  MemSpace space;
  Lives lives;
  uint64_t *sizes; /* of intervals */
  Fullest fullest;
} Overfull;

/* ---------------------------------------------------------------- the fullest point */

static void find_sizes(Overfull *o) {
  const Lives *l = &o->lives;
  o->sizes = xmalloc((l->intervals.len + 1) * sizeof *o->sizes);
  for (size_t i = 0; i < l->intervals.len; i++) o->sizes[i] = lives_bytes(l, &l->intervals.data[i]);
  for (int i = 0; i < o->f->body.len; i++) {
    uint64_t bytes;
    if (!pinned_bytes(o->ir, o->f->body.items[i], &bytes)) continue;
    int k = lives_interval(l, o->f->body.items[i]->u.assign.var);
    if (k >= 0 && bytes > o->sizes[k]) o->sizes[k] = bytes;
  }
  for (size_t i = 0; i < l->intervals.len; i++)
    o->sizes[i] = align_address(o->opts->target, l->intervals.data[i].space, o->sizes[i]);
}

/* Reads happen before writes, so what is last used where another one is defined makes room for it. */
static int64_t begin_of(const Tile *t) { return 2 * (int64_t)t->def + 1; }
static int64_t end_of(const Tile *t) {
  return t->last > t->def ? 2 * (int64_t)t->last + 1 : begin_of(t) + 1;
}

static int by_time(const void *x, const void *y) {
  const Event *a = x, *b = y;
  if (a->at != b->at) return a->at < b->at ? -1 : 1;
  if (a->ends != b->ends) return a->ends ? -1 : 1;
  return a->tile - b->tile;
}

static void find_fullest(Overfull *o) {
  const Lives *l = &o->lives;
  VEC(Event) events = {0};
  for (size_t i = 0; i < l->intervals.len; i++) {
    const Interval *iv = &l->intervals.data[i];
    int64_t until = INT64_MIN;
    for (int k = 0; iv->space == o->space && k < iv->nmembers; k++) { /* in order of definition */
      int tile = l->members.data[iv->first_member + k];
      const Tile *t = &l->tiles.data[tile];
      if (begin_of(t) >= until) {
        if (until != INT64_MIN) vec_push(&events, (Event){until, true, tile});
        vec_push(&events, (Event){begin_of(t), false, tile});
        until = end_of(t);
      } else if (end_of(t) > until) {
        until = end_of(t);
      }
    }
    if (until != INT64_MIN)
      vec_push(&events, (Event){until, true, l->members.data[iv->first_member]});
  }
  sort_array(events.data, events.len, sizeof(Event), by_time);
  uint64_t now = 0;
  o->fullest = (Fullest){0, 0, -1};
  for (size_t i = 0; i < events.len; i++) {
    const Event *e = &events.data[i];
    uint64_t size = o->sizes[l->tiles.data[e->tile].interval];
    now += e->ends ? 0 - size : size;
    if (now > o->fullest.bytes) o->fullest = (Fullest){now, e->at, e->tile};
  }
  vec_free(&events);
}

static int by_size(const void *x, const void *y) {
  const Alive *a = x, *b = y;
  if (a->size != b->size) return a->size > b->size ? -1 : 1;
  return a->tile - b->tile;
}

/* One tile for each allocation needed at the fullest point, the one last defined. */
static Alive *find_alive(const Overfull *o, size_t *n) {
  const Lives *l = &o->lives;
  VEC(Alive) list = {0};
  for (size_t i = 0; i < l->intervals.len; i++) {
    const Interval *iv = &l->intervals.data[i];
    int found = -1;
    for (int k = 0; iv->space == o->space && k < iv->nmembers; k++) {
      int tile = l->members.data[iv->first_member + k];
      const Tile *t = &l->tiles.data[tile];
      if (begin_of(t) <= o->fullest.at && end_of(t) > o->fullest.at) found = tile;
    }
    if (found >= 0) vec_push(&list, (Alive){found, o->sizes[i]});
  }
  sort_array(list.data, list.len, sizeof(Alive), by_size);
  *n = list.len;
  return vec_to_arena(&list, o->ir->arena);
}

/* ---------------------------------------------------------------- words */

static const char *shown_name(const Overfull *o, const Expr *var) {
  return auto_name_shown(o->ir, var->u.var.name);
}

static const char *shape_str(const Overfull *o, const Type *t) {
  Buf b = {0};
  for (int i = 0; i < t->rank; i++)
    buf_printf(&b, "%s%s", i ? ", " : "", expr_str(o->ir, t->shape[i]));
  const char *s = arena_strndup(o->ir->arena, buf_str(&b), b.len);
  buf_free(&b);
  return s;
}

static void note_alive(const Overfull *o, const Alive *alive, size_t n) {
  Diag *d = o->ir->diag;
  const Tile *last = &o->lives.tiles.data[o->fullest.tile];
  diag_note(d, last->var->span,
            "most is needed where '%s' is defined: %zu tile%s, %llu bytes of %s",
            shown_name(o, last->var), n, n == 1 ? "" : "s", (unsigned long long)o->fullest.bytes,
            mem_name(o->space));
  uint64_t rest = 0;
  for (size_t i = 0; i < n; i++) {
    if (i >= MAX_SHOWN) {
      rest += alive[i].size;
      continue;
    }
    const Expr *var = o->lives.tiles.data[alive[i].tile].var;
    uint64_t own = align_address(o->opts->target, o->space, var->type->memref->size);
    const char *larger = own < alive[i].size ? ", in the place of a larger one" : "";
    diag_note(d, var->span, "'%s', [%s] of %s, takes %llu bytes%s", shown_name(o, var),
              shape_str(o, var->type), dtype_name(var->type->dtype),
              (unsigned long long)alive[i].size, larger);
  }
  if (n > MAX_SHOWN)
    diag_note(d, NO_SPAN, "and %zu smaller ones take %llu bytes", n - MAX_SHOWN,
              (unsigned long long)rest);
}

/* Is one of the tiles a buffer of one stage of a software pipeline? */
static bool has_stages(const Overfull *o, const Alive *alive, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (o->lives.intervals.data[o->lives.tiles.data[alive[i].tile].interval].nstages) return true;
  return false;
}

static void note_help(const Overfull *o, const Alive *alive, size_t n) {
  Diag *d = o->ir->diag;
  uint64_t capacity = (uint64_t)o->opts->target->spaces[o->space].capacity;
  uint64_t below = o->reserved ? reserved_end(o->reserved, o->space) : 0,
           all = below + o->fullest.bytes;
  if (below)
    diag_note(
        d, NO_SPAN,
        "the first %llu bytes are reserved by system.reserve_buffer, as for a pipe between cores; "
        "fewer slots, pl.cross_core_slot(slot_num=N), or smaller tiles in them leave more",
        (unsigned long long)below);
  if (n && alive[0].size > capacity)
    diag_note(d, NO_SPAN, "help: '%s' alone is larger than %s: cut it into smaller tiles",
              shown_name(o, o->lives.tiles.data[alive[0].tile].var), mem_name(o->space));
  else if (has_stages(o, alive, n))
    diag_note(
        d, NO_SPAN,
        "help: every stage of a software pipeline has buffers of its own: lower stage=, or use "
        "smaller tiles");
  else if (all > capacity)
    diag_note(
        d, NO_SPAN,
        "help: %llu bytes less would fit: use smaller tiles, or load each of them only shortly "
        "before it is used",
        (unsigned long long)(all - capacity));
  else
    diag_note(d, NO_SPAN,
              "help: they would fit at every single point, but not with the places found: try "
              "--memory-planner=%s, or smaller tiles",
              o->opts->planner == PLANNER_PYPTO ? "dsa-rp" : "pypto");
}

/* ---------------------------------------------------------------- reports */

static void overfull_init(Overfull *o) {
  lives_init(&o->lives, o->ir, o->f, true, false);
  find_sizes(o);
}

static void overfull_free(Overfull *o) {
  free(o->sizes);
  lives_free(&o->lives);
}

/* Do some hold one value on exclusive paths, so that only one of them is really there? */
static bool has_paths(const Overfull *o) {
  size_t n = 0;
  const Alive *alive = find_alive(o, &n);
  for (size_t i = 0; i < n; i++)
    if (o->lives.tiles.data[alive[i].tile].nfamilies) return true;
  return false;
}

static void explain(const Overfull *o) {
  size_t n = 0;
  const Alive *alive = find_alive(o, &n);
  if (n) note_alive(o, alive, n);
  note_help(o, alive, n);
}

void report_overfull(Ir *ir, const CompileOptions *opts, const Function *f,
                     const Reserved *reserved, MemSpace space, uint64_t needed) {
  Overfull o = {.ir = ir, .opts = opts, .f = f, .reserved = reserved, .space = space};
  uint64_t capacity = (uint64_t)opts->target->spaces[space].capacity;
  overfull_init(&o);
  find_fullest(&o);
  uint64_t alive = o.fullest.bytes + reserved_end(reserved, space);
  if (!needed && alive > capacity) needed = alive;
  if (needed)
    diag_error(ir->diag, f->span, "function '%s' needs %llu bytes of %s, but %s has %llu", f->name,
               (unsigned long long)needed, mem_name(space), opts->target->name,
               (unsigned long long)capacity);
  else
    diag_error(ir->diag, f->span,
               "no placement of the tiles of function '%s' was found in the %llu bytes of %s that "
               "%s has",
               f->name, (unsigned long long)capacity, mem_name(space), opts->target->name);
  explain(&o);
  overfull_free(&o);
}

void warn_overfull(Ir *ir, const CompileOptions *opts, const Function *f) {
  Overfull o = {.ir = ir, .opts = opts, .f = f};
  overfull_init(&o);
  for (int m = 0; m < MEM_COUNT; m++) {
    uint64_t capacity = (uint64_t)opts->target->spaces[m].capacity;
    if (!capacity || m == MEM_DDR) continue;
    o.space = (MemSpace)m;
    find_fullest(&o);
    if (o.fullest.bytes <= capacity || has_paths(&o)) continue;
    diag_warning(
        ir->diag, f->span,
        "function '%s' needs %llu bytes of %s at once, but %s has %llu: ptoas will find no "
        "room for them",
        f->name, (unsigned long long)o.fullest.bytes, mem_name(o.space), opts->target->name,
        (unsigned long long)capacity);
    explain(&o);
  }
  overfull_free(&o);
}
