#include "passes/memory/dsa_plan.h"

#include <stdlib.h>
#include <string.h>

#include "passes/memory/apart.h"
#include "passes/memory/dsa.h"
#include "passes/memory/handoffs.h"
#include "passes/memory/memref.h"
#include "passes/memory/overfull.h"
#include "passes/memory/pipeline_stages.h"

typedef VEC(DsaPair) DsaPairs;

typedef struct Plan {
  Ir *ir;
  const Target *target;
  const Function *f;
  const Reserved *reserved;
  Lives lives;
  Apart apart;
  uint64_t *sizes;    /* of intervals */
  IntervalPairs hard; /* must stay apart, whatever else; a < b, sorted */
  IntervalPairs
      staged; /* must stay apart only for the sake of a software pipeline; made when it is needed */
  PipelineStages stages;
  /* the problem */
  DsaBuffer *buffers;
  int *buffer_of; /* interval -> buffer, or -1 */
  int nbuffers;
  DsaPool pools[MEM_COUNT];
  DsaPairs apart_pairs, costs;
} Plan;

/* ---------------------------------------------------------------- sizes */

static void find_sizes(Plan *p) {
  const Lives *l = &p->lives;
  p->sizes = xmalloc((l->intervals.len + 1) * sizeof *p->sizes);
  for (size_t i = 0; i < l->intervals.len; i++) {
    const Interval *iv = &l->intervals.data[i];
    const uint64_t *pinned = map_get(&p->apart.pinned, iv->base);
    p->sizes[i] = lives_bytes(l, iv);
    if (pinned && *pinned > p->sizes[i]) p->sizes[i] = *pinned;
  }
}

/* ---------------------------------------------------------------- what must stay apart */

static bool together(const Plan *p, int a, int b) {
  return p->lives.intervals.data[a].space == p->lives.intervals.data[b].space;
}

static bool is_pinned(const Plan *p, int interval) {
  return map_has(&p->apart.pinned, p->lives.intervals.data[interval].base);
}

static void keep_apart(const Plan *p, IntervalPairs *list, int a, int b) {
  if (a == b || !together(p, a, b) || is_pinned(p, a) || is_pinned(p, b))
    return; /* pinned: from all, anyway */
  vec_push(list, interval_pair(a, b));
}

typedef struct StageOf {
  int space;
  PipeStage at;
  int interval;
} StageOf;

static int by_group(const void *x, const void *y) {
  const StageOf *a = x, *b = y;
  if (a->space != b->space) return a->space - b->space;
  if (a->at.group != b->at.group) return a->at.group < b->at.group ? -1 : 1;
  if (a->at.stage != b->at.stage) return a->at.stage < b->at.stage ? -1 : 1;
  return a->interval - b->interval;
}

static void keep_stages_apart(Plan *p) {
  VEC(StageOf) all = {0};
  for (size_t i = 0; i < p->lives.intervals.len; i++) {
    const Interval *iv = &p->lives.intervals.data[i];
    for (int k = 0; k < iv->nstages; k++)
      vec_push(&all, (StageOf){iv->space, p->lives.stages.data[iv->first_stage + k], (int)i});
  }
  if (all.len) sort_array(all.data, all.len, sizeof *all.data, by_group);
  for (size_t i = 0; i < all.len; i++) {
    const StageOf *a = &all.data[i];
    for (size_t k = i + 1; k < all.len; k++) {
      const StageOf *b = &all.data[k];
      if (a->space != b->space || a->at.group != b->at.group) break;
      if (a->at.stage != b->at.stage) keep_apart(p, &p->staged, a->interval, b->interval);
    }
  }
  vec_free(&all);
}

/* Sorts, drops doubles and what `without` has (NULL: nothing). */
static void tidy(IntervalPairs *list, const IntervalPairs *without) {
  if (list->len == 0) return;
  sort_array(list->data, list->len, sizeof *list->data, interval_pair_cmp);
  size_t n = 0;
  for (size_t i = 0; i < list->len; i++) {
    IntervalPair e = list->data[i];
    if (n && interval_pair_cmp(&list->data[n - 1], &e) == 0) continue;
    if (without && without->len &&
        search_array(&e, without->data, without->len, sizeof e, interval_pair_cmp))
      continue;
    list->data[n++] = e;
  }
  list->len = n;
}

static void find_apart(Plan *p) {
  for (size_t i = 0; i < p->apart.no_alias.len; i++)
    keep_apart(p, &p->hard, p->apart.no_alias.data[i].a, p->apart.no_alias.data[i].b);
  for (size_t i = 0; i < p->apart.hazards.len; i++)
    keep_apart(p, &p->hard, p->apart.hazards.data[i].a, p->apart.hazards.data[i].b);
  tidy(&p->hard, NULL);
}

/* Writes down the pairs that pipelines keep apart, and nothing else does. */
static void find_staged(Plan *p) {
  keep_stages_apart(p);
  tidy(&p->staged, &p->hard);
}

/* ---------------------------------------------------------------- the problem */

/* Reads happen before writes at each point, so an input last used where an output is defined may give
 * its place to it: definitions lie on odd moments, last uses end before them. */
static void make_buffers(Plan *p) {
  size_t n = p->lives.intervals.len;
  uint64_t total[MEM_COUNT] = {0};
  p->buffers = xmalloc((n + 1) * sizeof *p->buffers);
  p->buffer_of = xmalloc((n + 1) * sizeof *p->buffer_of);
  for (size_t i = 0; i < n; i++) {
    const Interval *iv = &p->lives.intervals.data[i];
    p->buffer_of[i] = -1;
    if (iv->space == MEM_DDR) continue;
    int64_t begin = 2 * (int64_t)iv->def + 1, end = 2 * (int64_t)iv->last + 1;
    p->buffer_of[i] = p->nbuffers;
    p->buffers[p->nbuffers++] = (DsaBuffer){.size = p->sizes[i],
                                            .pool = iv->space,
                                            .begin = begin,
                                            .end = end > begin ? end : begin + 1,
                                            .exclusive = is_pinned(p, (int)i),
                                            .stages = p->stages.of[i]};
    total[iv->space] += align_address(p->target, iv->space, p->sizes[i]);
  }
  for (int m = 0; m < MEM_COUNT; m++) {
    /* a space without tiles must not count in the sum of peaks */
    uint64_t reserved = total[m] ? reserved_end(p->reserved, (MemSpace)m) : 0;
    uint64_t capacity = (uint64_t)p->target->spaces[m].capacity;
    p->pools[m] = (DsaPool){.capacity = capacity ? capacity : reserved + total[m],
                            .reserved = reserved,
                            .alignment = align_address(p->target, (MemSpace)m, 1)};
  }
}

static void add_pairs(const Plan *p, DsaPairs *out, const IntervalPairs *list, bool idle_only) {
  for (size_t i = 0; i < list->len; i++) {
    int a = p->buffer_of[list->data[i].a], b = p->buffer_of[list->data[i].b];
    if (a < 0 || b < 0) continue;
    if (idle_only && dsa_alive_together(&p->buffers[a], &p->buffers[b])) continue;
    vec_push(out, (DsaPair){(uint32_t)a, (uint32_t)b, 1});
  }
}

/* Pairs of buffers of different stages that share memory. */
static size_t count_shared(const Plan *p, const uint64_t *offsets) {
  size_t n = 0;
  for (size_t i = 0; i < p->staged.len; i++) {
    int a = p->buffer_of[p->staged.data[i].a], b = p->buffer_of[p->staged.data[i].b];
    if (a < 0 || b < 0 || p->buffers[a].pool != p->buffers[b].pool) continue;
    n += offsets[a] < offsets[b] + p->buffers[b].size &&
         offsets[b] < offsets[a] + p->buffers[a].size;
  }
  return n;
}

/* *full: the space without room, if there is no placement. */
static bool solve(Plan *p, uint64_t *offsets, uint32_t *full) {
  Handoffs handoffs;
  handoffs_init(&handoffs, p->target, p->f, &p->lives, p->sizes, &p->hard);
  for (size_t i = 0; i < p->lives.intervals.len; i++) {
    DsaBuffer *b = p->buffer_of[i] >= 0 ? &p->buffers[p->buffer_of[i]] : NULL;
    if (!b || b->exclusive) continue;
    b->group = handoffs.group[i];
    b->kind = handoffs.kind[i];
  }
  add_pairs(p, &p->apart_pairs, &p->hard, false);
  add_pairs(p, &p->costs, &handoffs.pairs, false);
  DsaProblem problem = {.buffers = p->buffers,
                        .pools = p->pools,
                        .nbuffers = (size_t)p->nbuffers,
                        .npools = MEM_COUNT,
                        .apart = p->apart_pairs.data,
                        .napart = p->apart_pairs.len,
                        .costs = p->costs.data,
                        .ncosts = p->costs.len,
                        .costly = handoffs.costly,
                        .ngroups = handoffs.ngroups,
                        .nkinds = handoffs.nkinds,
                        .stages = p->stages.at_once,
                        .nstages = p->stages.n};
  bool ok = dsa_solve(&problem, offsets, full);
  if (!ok) find_staged(p);
  if (!ok && p->staged.len) { /* let pipelines share buffers rather than fail */
    for (int i = 0; i < p->nbuffers; i++) p->buffers[i].stages = 0;
    tidy(&handoffs.pairs, &p->staged);
    vec_clear(&p->costs);
    add_pairs(p, &p->costs, &handoffs.pairs, false);
    add_pairs(p, &p->costs, &p->staged, true);
    problem.costs = p->costs.data;
    problem.ncosts = p->costs.len;
    ok = dsa_solve(&problem, offsets, full);
    size_t shared = ok ? count_shared(p, offsets) : 0;
    if (shared)
      diag_hint(p->ir->diag, p->f->span, "PH-DSA-001",
                "in function '%s' stages of software pipelines share memory, because separate "
                "buffers were not found "
                "to fit: %zu of %zu pairs of buffers",
                p->f->name, shared, p->staged.len);
  }
  handoffs_free(&handoffs);
  return ok;
}

/* ---------------------------------------------------------------- all of it */

bool dsa_plan(Ir *ir, const CompileOptions *opts, const Function *f, const Reserved *reserved,
              bool whole, Map *addresses) {
  const Target *target = opts->target;
  Plan p = {.ir = ir, .target = target, .f = f, .reserved = reserved};
  lives_init(&p.lives, ir, f, true, whole);
  bool ok = apart_init(&p.apart, ir, target, f, &p.lives);
  if (ok) {
    find_sizes(&p);
    find_apart(&p);
    stages_init(&p.stages, ir, &p.lives);
    make_buffers(&p);
    uint64_t *offsets = xmalloc(((size_t)p.nbuffers + 1) * sizeof *offsets);
    uint32_t full = 0;
    ok = p.nbuffers == 0 || solve(&p, offsets, &full);
    if (!ok) report_overfull(ir, opts, f, reserved, (MemSpace)full, 0);
    for (size_t i = 0; ok && i < p.lives.intervals.len; i++)
      if (p.buffer_of[i] >= 0)
        map_set(addresses, p.lives.intervals.data[i].base,
                map_int((intptr_t)offsets[p.buffer_of[i]] + 1));
    free(offsets);
  }
  free(p.sizes);
  free(p.buffers);
  free(p.buffer_of);
  vec_free(&p.hard);
  vec_free(&p.staged);
  stages_free(&p.stages);
  vec_free(&p.apart_pairs);
  vec_free(&p.costs);
  apart_free(&p.apart);
  lives_free(&p.lives);
  return ok;
}
