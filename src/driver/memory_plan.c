#include "driver/memory_plan.h"

#include "ir/print.h"
#include "passes/memory/plan_watch.h"
#include "passes/util/auto_name.h"

static const char *tile_type(Ir *ir, const Type *t) {
  Buf b = {0};
  buf_putc(&b, '[');
  for (int i = 0; i < t->rank; i++)
    buf_printf(&b, "%s%s", i ? ", " : "", expr_str(ir, t->shape[i]));
  buf_printf(&b, "] %s", dtype_name(t->dtype));
  const char *s = arena_strndup(ir->arena, buf_str(&b), b.len);
  buf_free(&b);
  return s;
}

static PlannedSpace *space_of(PlannedFunc *f, const PlanWatch *w, const Target *target,
                              MemSpace space) {
  for (size_t i = 0; i < f->spaces.len; i++)
    if (f->spaces.data[i].space == space) return &f->spaces.data[i];
  uint64_t reserved = reserved_end(&w->reserved, space);
  PlannedSpace s = {
      .space = space, .capacity = (uint64_t)target->spaces[space].capacity, .reserved = reserved};
  s.high = reserved;
  vec_push(&f->spaces, s);
  return &vec_last(&f->spaces);
}

static void add_tile(PlannedFunc *f, const PlanWatch *w, Ir *ir, const Target *target, int number) {
  const WatchedTile *t = &w->tiles.data[number];
  PlannedSpace *s = space_of(f, w, target, t->var->type->space);
  PlannedTile p = {.var = t->var,
                   .begin = t->begin,
                   .end = t->end,
                   .from = t->def,
                   .to = t->last,
                   .value = t->value};
  p.name = auto_name_shown(ir, t->var->u.var.name);
  p.type = tile_type(ir, t->var->type);
  int source = t->source ? t->source : t->window;
  if (source) p.source = auto_name_shown(ir, w->tiles.data[source].var->u.var.name);
  p.view = t->window != 0;
  p.unread = !t->read && !t->window;
  if (t->end > s->high) s->high = t->end;
  vec_push(&s->tiles, p);
}

static int by_time(const void *x, const void *y) {
  const PlannedTile *a = x, *b = y;
  if (a->from != b->from) return a->from < b->from ? -1 : 1;
  return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static int by_address(const void *x, const void *y) {
  const PlannedTile *a = x, *b = y;
  if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
  if (a->from != b->from) return a->from < b->from ? -1 : 1;
  if (a->end != b->end) return a->end > b->end ? -1 : 1;
  return a->var->u.var.id < b->var->u.var.id ? -1 : a->var->u.var.id > b->var->u.var.id;
}

static int by_space(const void *x, const void *y) {
  const PlannedSpace *a = x, *b = y;
  return (int)a->space - (int)b->space;
}

/* Marks tiles of different values that are needed at one time and have bytes in common. */
static void mark_overlaps(PlannedSpace *s) {
  sort_array(s->tiles.data, s->tiles.len, sizeof *s->tiles.data, by_time);
  VEC(PlannedTile *) alive = {0};
  for (size_t i = 0; i < s->tiles.len; i++) {
    PlannedTile *t = &s->tiles.data[i];
    size_t n = 0;
    for (size_t k = 0; k < alive.len; k++) {
      PlannedTile *o = alive.data[k];
      if (o->to <= t->from) continue; /* it is read before this one is written */
      alive.data[n++] = o;
      if (o->value == t->value || o->end <= t->begin || t->end <= o->begin) continue;
      o->overlaps = t->overlaps = true;
    }
    alive.len = n;
    vec_push(&alive, t);
  }
  vec_free(&alive);
}

static void read_func(MemoryPlan *m, PassCtx *ctx, const Function *func) {
  PlanWatch w;
  PlannedFunc f = {.func = func};
  plan_watch_init(&w, ctx, func, false);
  for (size_t i = 1; i < w.tiles.len; i++) add_tile(&f, &w, m->ir, m->opts->target, (int)i);
  for (size_t i = 0; i < w.points.len; i++) vec_push(&f.rows, w.points.data[i]);
  plan_watch_free(&w);
  sort_array(f.spaces.data, f.spaces.len, sizeof *f.spaces.data, by_space);
  for (size_t i = 0; i < f.spaces.len; i++) {
    PlannedSpace *s = &f.spaces.data[i];
    mark_overlaps(s);
    sort_array(s->tiles.data, s->tiles.len, sizeof *s->tiles.data, by_address);
  }
  vec_push(&m->funcs, f);
}

void memory_plan_init(MemoryPlan *m, PassCtx *ctx, const Program *p) {
  *m = (MemoryPlan){.ir = ctx->ir, .opts = ctx->opts};
  for (int i = 0; i < p->nfuncs; i++)
    if (func_is_incore(p->funcs[i]->type)) read_func(m, ctx, p->funcs[i]);
}

void memory_plan_free(MemoryPlan *m) {
  for (size_t i = 0; i < m->funcs.len; i++) {
    PlannedFunc *f = &m->funcs.data[i];
    for (size_t k = 0; k < f->spaces.len; k++) vec_free(&f->spaces.data[k].tiles);
    vec_free(&f->spaces);
    vec_free(&f->rows);
  }
  vec_free(&m->funcs);
}
