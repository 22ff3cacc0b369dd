#include "passes/memory/pack.h"

#include <stdlib.h>
#include <string.h>

#include "passes/memory/busy.h"

enum { MAX_REPACKS = 256 };

/* An interval in a buffer. */
typedef struct Held {
  int def, last;
  int reach; /* greatest last use of this and all held before it in the list */
  int interval;
} Held;

typedef struct Buffer {
  VEC(Held) held;     /* by definition */
  VEC(int) pipelined; /* those that belong to pipeline stages */
  uint64_t size;
  int first;   /* the interval that opened it */
  bool closed; /* declared by the author: takes no other */
} Buffer;

/* A pipeline group in one space. */
typedef struct Group {
  int id;
  uint64_t size; /* of its largest tile */
  int *stages;   /* ascending */
  int nstages;
  int copies; /* how many stages may have a buffer of their own */
} Group;

typedef struct Pack {
  Ir *ir;
  const Target *target;
  const Function *f;
  const Lives *l;
  const Apart *apart;
  uint64_t reserved;
  MemSpace space;
  int *order; /* intervals of the space, largest first */
  int norder;
  int *partner_first, *partners; /* of each interval: those it must stay apart from */
  bool *pinned;
  VEC(Buffer) buffers;
  Busy busy;      /* buffers that aren't closed */
  int *buffer_of; /* interval -> buffer, or -1 */
  int *barred;    /* buffer -> number of the last interval that may not enter it, + 1 */
  VEC(Group) groups;
  bool gated; /* stages are kept apart as far as the capacity allows */
} Pack;

/* ---------------------------------------------------------------- pipeline stages */

static int by_group(const void *x, const void *y) {
  const Group *a = x, *b = y;
  return a->id < b->id ? -1 : a->id > b->id;
}

/* Every stage met while packing belongs to a group that find_groups has gathered. */
static const Group *group_of(const Pack *p, int id) {
  Group key = {.id = id};
  return search_array(&key, p->groups.data, p->groups.len, sizeof key, by_group);
}

static int by_int(const void *x, const void *y) {
  int a = *(const int *)x, b = *(const int *)y;
  return a < b ? -1 : a > b;
}

static int rank_of(const Group *g, int stage) {
  const int *at = search_array(&stage, g->stages, (size_t)g->nstages, sizeof stage, by_int);
  return at ? (int)(at - g->stages) : stage;
}

typedef struct StageOf {
  PipeStage at;
  uint64_t size;
} StageOf;

static int by_stage(const void *x, const void *y) {
  const StageOf *a = x, *b = y;
  if (a->at.group != b->at.group) return a->at.group < b->at.group ? -1 : 1;
  return a->at.stage < b->at.stage ? -1 : a->at.stage > b->at.stage;
}

/* Gathers the pipeline groups of the space, by number, each with as many copies as could fit at best. */
static void find_groups(Pack *p) {
  VEC(StageOf) all = {0};
  for (int i = 0; i < p->norder; i++) {
    const Interval *iv = &p->l->intervals.data[p->order[i]];
    for (int k = 0; k < iv->nstages; k++)
      vec_push(&all, (StageOf){p->l->stages.data[iv->first_stage + k], iv->size});
  }
  if (all.len) sort_array(all.data, all.len, sizeof *all.data, by_stage);
  int *stages = NEW_ARRAY(p->ir->arena, int, all.len + 1);
  for (size_t i = 0; i < all.len; i++) {
    StageOf s = all.data[i];
    if (i == 0 || vec_last(&p->groups).id != s.at.group)
      vec_push(&p->groups, (Group){.id = s.at.group, .stages = stages});
    Group *g = &vec_last(&p->groups);
    if (s.size > g->size) g->size = s.size;
    if (g->nstages == 0 || g->stages[g->nstages - 1] != s.at.stage) {
      g->stages[g->nstages++] = s.at.stage;
      stages++;
    }
  }
  uint64_t capacity = (uint64_t)p->target->spaces[p->space].capacity;
  for (size_t i = 0; i < p->groups.len; i++) {
    Group *g = &p->groups.data[i];
    uint64_t fit = g->size ? capacity / g->size : 0;
    g->copies = fit < 1 ? 1 : fit < (uint64_t)g->nstages ? (int)fit : g->nstages;
  }
  vec_free(&all);
}

static bool is_l0(MemSpace s) {
  return s == MEM_LEFT || s == MEM_RIGHT || s == MEM_ACC || s == MEM_BIAS || s == MEM_LEFT_SCALE ||
         s == MEM_RIGHT_SCALE;
}

static int residue(int rank, int copies) { return (rank % copies + copies) % copies; }

/* Do two intervals belong to stages that run at once? */
static bool stages_conflict(Pack *p, const Interval *a, const Interval *b) {
  if (!p->gated && (is_l0(p->space) || !(a->loads || b->loads))) return false;
  for (int i = 0; i < a->nstages; i++) {
    for (int k = 0; k < b->nstages; k++) {
      PipeStage s = p->l->stages.data[a->first_stage + i],
                t = p->l->stages.data[b->first_stage + k];
      if (s.group != t.group) continue;
      if (!p->gated) {
        if (s.stage != t.stage) return true;
        continue;
      }
      const Group *g = group_of(p, s.group);
      if (residue(rank_of(g, s.stage), g->copies) != residue(rank_of(g, t.stage), g->copies))
        return true;
    }
  }
  return false;
}

/* ---------------------------------------------------------------- one packing */

/* The first held interval that is defined at `point` or behind. */
static size_t held_from(const Buffer *b, int point) {
  size_t lo = 0, hi = b->held.len;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (b->held.data[mid].def < point)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static bool has_families(const Lives *l, const Interval *iv) {
  for (int i = 0; i < iv->nmembers; i++)
    if (l->tiles.data[l->members.data[iv->first_member + i]].nfamilies) return true;
  return false;
}

static bool fits(Pack *p, const Buffer *b, int id) {
  const Interval *iv = &p->l->intervals.data[id];
  for (size_t i = held_from(b, iv->last); i > 0 && b->held.data[i - 1].reach > iv->def; i--) {
    const Held *h = &b->held.data[i - 1];
    if (!points_overlap(iv->def, iv->last, h->def, h->last)) continue;
    if (!has_families(p->l, iv) || !lives_exclusive(p->l, id, h->interval)) return false;
  }
  if (iv->nstages == 0) return true;
  for (size_t i = 0; i < b->pipelined.len; i++)
    if (stages_conflict(p, iv, &p->l->intervals.data[b->pipelined.data[i]])) return false;
  return true;
}

static void hold(Pack *p, Buffer *b, int id) {
  const Interval *iv = &p->l->intervals.data[id];
  size_t at = held_from(b, iv->def);
  vec_push(&b->held, (Held){0});
  memmove(&b->held.data[at + 1], &b->held.data[at], (b->held.len - 1 - at) * sizeof(Held));
  b->held.data[at] = (Held){iv->def, iv->last, iv->last, id};
  for (size_t i = at; i < b->held.len; i++) {
    Held *h = &b->held.data[i];
    int before = i ? b->held.data[i - 1].reach : h->last;
    int reach = before > h->last ? before : h->last;
    if (i > at && reach == h->reach) break; /* the rest is as it was */
    h->reach = reach;
  }
  if (iv->nstages) vec_push(&b->pipelined, id);
  if (iv->size > b->size) b->size = iv->size;
  p->buffer_of[id] = (int)(b - p->buffers.data);
  if (!b->closed) busy_hold(&p->busy, (size_t)p->buffer_of[id], iv->def, iv->last);
}

static void open_buffer(Pack *p, int id) {
  vec_push(&p->buffers, (Buffer){.first = id, .closed = p->pinned[id]});
  hold(p, &vec_last(&p->buffers), id);
}

static void clear_buffers(Pack *p) {
  for (size_t i = 0; i < p->buffers.len; i++) {
    vec_free(&p->buffers.data[i].held);
    vec_free(&p->buffers.data[i].pipelined);
  }
  vec_clear(&p->buffers);
  for (int i = 0; i < p->norder; i++) p->buffer_of[p->order[i]] = -1;
}

/* The first buffer that the interval may enter, or the number of buffers. */
static size_t find_buffer(Pack *p, int id) {
  const Interval *iv = &p->l->intervals.data[id];
  bool shares = has_families(p->l, iv); /* may enter a buffer that is taken */
  for (size_t b = 0; b < p->buffers.len; b++) {
    if (!shares) b = busy_next(&p->busy, b, iv->def, iv->last);
    if (b >= p->buffers.len) break;
    const Buffer *buf = &p->buffers.data[b];
    if (!buf->closed && p->barred[b] != id + 1 && fits(p, buf, id)) return b;
  }
  return p->buffers.len;
}

static void pack_once(Pack *p) {
  clear_buffers(p);
  busy_reset(&p->busy, (size_t)p->norder);
  memset(p->barred, 0, p->l->intervals.len * sizeof *p->barred);
  for (int i = 0; i < p->norder; i++) {
    int id = p->order[i];
    for (int k = p->partner_first[id]; k < p->partner_first[id + 1]; k++) {
      int b = p->buffer_of[p->partners[k]];
      if (b >= 0) p->barred[b] = id + 1;
    }
    size_t b = p->pinned[id] ? p->buffers.len : find_buffer(p, id);
    if (b == p->buffers.len)
      open_buffer(p, id);
    else
      hold(p, &p->buffers.data[b], id);
  }
}

/* ---------------------------------------------------------------- fitting a space */

static uint64_t footprint(const Pack *p) {
  uint64_t at = p->reserved;
  for (size_t i = 0; i < p->buffers.len; i++)
    at = align_address(p->target, p->space, at + p->buffers.data[i].size);
  return at;
}

/* The group that frees most by giving up a copy, or NULL if none can. */
static Group *group_to_shrink(Pack *p) {
  Group *best = NULL;
  uint64_t most = 0;
  for (size_t i = 0; i < p->groups.len; i++) {
    Group *g = &p->groups.data[i];
    uint64_t frees = align_address(p->target, p->space, g->size);
    if (g->copies <= 1 || (best && frees <= most)) continue;
    best = g;
    most = frees;
  }
  return best;
}

static bool has_oversized(const Pack *p, uint64_t capacity) {
  for (size_t i = 0; i < p->buffers.len; i++)
    if (p->buffers.data[i].size > capacity) return true;
  return false;
}

static void hint_copies(const Pack *p) {
  for (size_t i = 0; i < p->groups.len; i++) {
    const Group *g = &p->groups.data[i];
    if (g->copies >= g->nstages) continue;
    diag_hint(p->ir->diag, p->f->span, "PH-MR-001",
              "the software pipeline has %d stages, but only %d buffers of %llu bytes fit in %s; "
              "stages %d "
              "apart wait for each other",
              g->nstages, g->copies,
              (unsigned long long)align_address(p->target, p->space, g->size), mem_name(p->space),
              g->copies);
  }
}

static void pack_space(Pack *p) {
  uint64_t capacity = (uint64_t)p->target->spaces[p->space].capacity;
  find_groups(p);
  p->gated = capacity != 0;
  pack_once(p);
  bool fell_back = false;
  for (int tries = 1; capacity && footprint(p) > capacity; tries++) {
    Group *g = tries <= MAX_REPACKS ? group_to_shrink(p) : NULL;
    if (g) {
      g->copies--;
      pack_once(p);
      continue;
    }
    p->gated = false; /* nothing left to give up: keep only loads of different stages apart */
    pack_once(p);
    fell_back = true;
    break;
  }
  if (fell_back && p->groups.len && !has_oversized(p, capacity))
    diag_warning(p->ir->diag, p->f->span,
                 "the tiles of function '%s' don't fit in %s with any pipeline depth%s", p->f->name,
                 mem_name(p->space),
                 footprint(p) > capacity ? "; use smaller tiles or fewer stages" : "");
  if (capacity && !fell_back) hint_copies(p);
}

/* ---------------------------------------------------------------- all spaces */

typedef struct Sized {
  uint64_t size;
  MemSpace space;
  int def, id;
} Sized;

static int by_size(const void *x, const void *y) {
  const Sized *a = x, *b = y;
  if (a->space != b->space) return a->space < b->space ? -1 : 1;
  if (a->size != b->size) return a->size > b->size ? -1 : 1;
  if (a->def != b->def) return a->def < b->def ? -1 : 1;
  return a->id - b->id;
}

/* Lists, for each interval, those it must stay apart from in both directions. */
static void index_partners(Pack *p) {
  size_t n = p->l->intervals.len;
  const IntervalPairs *lists[] = {&p->apart->no_alias, &p->apart->hazards};
  p->partner_first = xmalloc((n + 2) * sizeof *p->partner_first);
  memset(p->partner_first, 0, (n + 2) * sizeof *p->partner_first);
  p->partners = xmalloc((2 * (lists[0]->len + lists[1]->len) + 1) * sizeof *p->partners);
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < lists[k]->len; i++) {
      p->partner_first[lists[k]->data[i].a + 2]++;
      p->partner_first[lists[k]->data[i].b + 2]++;
    }
  for (size_t i = 2; i < n + 2; i++) p->partner_first[i] += p->partner_first[i - 1];
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < lists[k]->len; i++) {
      IntervalPair e = lists[k]->data[i];
      p->partners[p->partner_first[e.a + 1]++] = e.b;
      p->partners[p->partner_first[e.b + 1]++] = e.a;
    }
}

void pack_intervals(Ir *ir, const Target *target, const Function *f, const Lives *l,
                    const Apart *apart, const Reserved *reserved, int *into) {
  int n = (int)l->intervals.len;
  Pack p = {.ir = ir, .target = target, .f = f, .l = l, .apart = apart};
  Sized *sized = xmalloc((size_t)(n + 1) * sizeof *sized);
  p.order = xmalloc((size_t)(n + 1) * sizeof *p.order);
  p.buffer_of = xmalloc((size_t)(n + 1) * sizeof *p.buffer_of);
  p.barred = xmalloc((size_t)(n + 1) * sizeof *p.barred);
  p.pinned = xmalloc((size_t)(n + 1) * sizeof *p.pinned);
  index_partners(&p);
  for (int i = 0; i < n; i++) {
    const Interval *iv = &l->intervals.data[i];
    sized[i] = (Sized){iv->size, iv->space, iv->def, i};
    p.pinned[i] = map_has(&apart->pinned, iv->base);
    p.buffer_of[i] = -1;
    into[i] = i;
  }
  sort_array(sized, (size_t)n, sizeof *sized, by_size);
  for (int i = 0; i < n;) {
    p.space = sized[i].space;
    p.norder = 0;
    while (i < n && sized[i].space == p.space) p.order[p.norder++] = sized[i++].id;
    p.reserved = reserved_end(reserved, p.space);
    vec_clear(&p.groups);
    pack_space(&p);
    for (int k = 0; k < p.norder; k++)
      into[p.order[k]] = p.buffers.data[p.buffer_of[p.order[k]]].first;
    clear_buffers(&p);
  }
  vec_free(&p.buffers);
  vec_free(&p.groups);
  busy_free(&p.busy);
  free(sized);
  free(p.order);
  free(p.buffer_of);
  free(p.barred);
  free(p.pinned);
  free(p.partner_first);
  free(p.partners);
}
