#include "passes/util/dsa.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "passes/util/shuffle.h"

enum { RESTARTS = 4, ORDERS = 3 + RESTARTS };

typedef struct Neighbour {
  uint32_t id;
  uint64_t weight; /* 0: hard */
} Neighbour;

/* Neighbours of all buffers in one array: those of i are list[first[i] .. first[i + 1]). */
typedef struct Graph {
  size_t *first;
  Neighbour *list;
} Graph;

typedef struct Range {
  uint64_t begin, end;
} Range;

typedef struct Edge {
  uint64_t at, weight;
} Edge;

typedef struct Search {
  const DsaProblem *p;
  Graph hard, soft;
  uint64_t *weight; /* per buffer, over its soft neighbours */
  uint64_t *offset;
  bool *placed;
  /* scratch of one placement */
  VEC(Range) blocked;
  VEC(uint64_t) candidates;
  VEC(Edge) starts;
  VEC(Edge) ends;
} Search;

typedef struct Score {
  uint64_t cost, total_peak, max_peak;
} Score;

typedef VEC(DsaPair) Pairs;

static uint64_t add_sat(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

/* False if the result doesn't fit. */
static bool align_up(uint64_t v, uint64_t alignment, uint64_t *out) {
  uint64_t rest = v % alignment;
  if (rest && v > UINT64_MAX - (alignment - rest)) return false;
  *out = rest ? v + (alignment - rest) : v;
  return true;
}

static bool overlap(uint64_t a, uint64_t asize, uint64_t b, uint64_t bsize) {
  return a < add_sat(b, bsize) && b < add_sat(a, asize);
}

/* ---- the graph ---- */

static DsaPair ordered(DsaPair e) {
  if (e.a > e.b) {
    uint32_t t = e.a;
    e.a = e.b;
    e.b = t;
  }
  return e;
}

static int by_pair(const void *x, const void *y) {
  const DsaPair *a = x, *b = y;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return a->b < b->b ? -1 : a->b > b->b;
}

/* Sorts pairs and merges equal ones, adding their weights. */
static void merge_pairs(Pairs *v) {
  if (v->len == 0) return;
  sort_array(v->data, v->len, sizeof *v->data, by_pair);
  size_t n = 1;
  for (size_t i = 1; i < v->len; i++) {
    DsaPair *last = &v->data[n - 1];
    if (by_pair(last, &v->data[i]) == 0)
      last->weight = add_sat(last->weight, v->data[i].weight);
    else
      v->data[n++] = v->data[i];
  }
  v->len = n;
}

static Graph graph_of(const Pairs *pairs, size_t nodes) {
  Graph g = {xmalloc((nodes + 2) * sizeof *g.first), xmalloc((2 * pairs->len + 1) * sizeof *g.list)};
  memset(g.first, 0, (nodes + 2) * sizeof *g.first);
  for (size_t i = 0; i < pairs->len; i++) {
    g.first[pairs->data[i].a + 2]++;
    g.first[pairs->data[i].b + 2]++;
  }
  for (size_t i = 2; i < nodes + 2; i++) g.first[i] += g.first[i - 1];
  /* first[i + 1] is the fill position of i until the end, and then the end of i */
  for (size_t i = 0; i < pairs->len; i++) {
    const DsaPair *e = &pairs->data[i];
    g.list[g.first[e->a + 1]++] = (Neighbour){e->b, e->weight};
    g.list[g.first[e->b + 1]++] = (Neighbour){e->a, e->weight};
  }
  return g;
}

static void graph_free(Graph *g) {
  free(g->first);
  free(g->list);
}

typedef struct Life {
  int64_t begin;
  uint32_t id;
} Life;

static int by_begin(const void *x, const void *y) {
  const Life *a = x, *b = y;
  if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
  return a->id < b->id ? -1 : a->id > b->id;
}

/* All pairs of one pool that are alive together, by a sweep over the points where lives begin. */
static void add_lives(const DsaProblem *p, Pairs *out) {
  Life *lives = xmalloc((p->nbuffers + 1) * sizeof *lives);
  for (size_t i = 0; i < p->nbuffers; i++) lives[i] = (Life){p->buffers[i].begin, (uint32_t)i};
  sort_array(lives, p->nbuffers, sizeof *lives, by_begin);
  VEC(uint32_t) *alive = xmalloc((p->npools + 1) * sizeof *alive);
  memset(alive, 0, (p->npools + 1) * sizeof *alive);
  for (size_t i = 0; i < p->nbuffers; i++) {
    uint32_t id = lives[i].id, pool = p->buffers[id].pool;
    size_t n = 0;
    for (size_t k = 0; k < alive[pool].len; k++) {
      uint32_t other = alive[pool].data[k];
      if (p->buffers[other].end <= lives[i].begin) continue;
      alive[pool].data[n++] = other;
      vec_push(out, ordered((DsaPair){id, other, 0}));
    }
    alive[pool].len = n;
    vec_push(&alive[pool], id);
  }
  for (size_t i = 0; i < p->npools; i++) vec_free(&alive[i]);
  free(alive);
  free(lives);
}

static void search_init(Search *s, const DsaProblem *p) {
  *s = (Search){.p = p};
  Pairs hard = {0}, soft = {0}, kept = {0};
  add_lives(p, &hard);
  for (size_t i = 0; i < p->napart; i++) vec_push(&hard, ordered(p->apart[i]));
  merge_pairs(&hard);
  for (size_t i = 0; i < hard.len; i++) hard.data[i].weight = 0;
  for (size_t i = 0; i < p->ncosts; i++) vec_push(&soft, ordered(p->costs[i]));
  merge_pairs(&soft);
  s->weight = xmalloc((p->nbuffers + 1) * sizeof *s->weight);
  memset(s->weight, 0, (p->nbuffers + 1) * sizeof *s->weight);
  for (size_t i = 0; i < soft.len; i++) {
    DsaPair e = soft.data[i];
    if (e.weight == 0 || search_array(&e, hard.data, hard.len, sizeof e, by_pair)) continue;
    vec_push(&kept, e);
    s->weight[e.a] = add_sat(s->weight[e.a], e.weight);
    s->weight[e.b] = add_sat(s->weight[e.b], e.weight);
  }
  s->hard = graph_of(&hard, p->nbuffers);
  s->soft = graph_of(&kept, p->nbuffers);
  s->offset = xmalloc((p->nbuffers + 1) * sizeof *s->offset);
  s->placed = xmalloc(p->nbuffers + 1);
  vec_free(&hard);
  vec_free(&soft);
  vec_free(&kept);
}

static void search_free(Search *s) {
  graph_free(&s->hard);
  graph_free(&s->soft);
  free(s->weight);
  free(s->offset);
  free(s->placed);
  vec_free(&s->blocked);
  vec_free(&s->candidates);
  vec_free(&s->starts);
  vec_free(&s->ends);
}

/* ---- orders ---- */

typedef enum { BY_SIZE, BY_BEGIN, BY_WEIGHT } OrderKind;

typedef struct Key {
  uint64_t first, second;
  uint32_t id;
} Key;

static int by_key(const void *x, const void *y) {
  const Key *a = x, *b = y;
  if (a->first != b->first) return a->first < b->first ? -1 : 1;
  if (a->second != b->second) return a->second < b->second ? -1 : 1;
  return a->id < b->id ? -1 : a->id > b->id;
}

static void fill_order(const Search *s, OrderKind kind, uint32_t *order) {
  size_t n = s->p->nbuffers;
  Key *keys = xmalloc((n + 1) * sizeof *keys);
  for (size_t i = 0; i < n; i++) {
    const DsaBuffer *b = &s->p->buffers[i];
    keys[i].id = (uint32_t)i;
    keys[i].first = kind == BY_SIZE ? ~b->size : kind == BY_BEGIN ? (uint64_t)b->begin : ~s->weight[i];
    keys[i].second = kind == BY_SIZE ? (uint64_t)b->begin : kind == BY_BEGIN ? 0 : ~b->size;
  }
  sort_array(keys, n, sizeof *keys, by_key);
  for (size_t i = 0; i < n; i++) order[i] = keys[i].id;
  free(keys);
}

/* ---- one placement ---- */

static int by_range(const void *x, const void *y) {
  const Range *a = x, *b = y;
  if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
  return a->end < b->end ? -1 : a->end > b->end;
}

static int by_edge(const void *x, const void *y) {
  const Edge *a = x, *b = y;
  return a->at < b->at ? -1 : a->at > b->at;
}

static int by_number(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
  return a < b ? -1 : a > b;
}

/* Address ranges that buffer `id` may not touch, merged and in order. */
static void collect_blocked(Search *s, uint32_t id) {
  const DsaPool *pool = &s->p->pools[s->p->buffers[id].pool];
  vec_clear(&s->blocked);
  if (pool->reserved) vec_push(&s->blocked, (Range){0, pool->reserved});
  for (size_t k = s->hard.first[id]; k < s->hard.first[id + 1]; k++) {
    uint32_t other = s->hard.list[k].id;
    if (!s->placed[other] || s->p->buffers[other].pool != s->p->buffers[id].pool) continue;
    vec_push(&s->blocked, (Range){s->offset[other], s->offset[other] + s->p->buffers[other].size});
  }
  if (s->blocked.len == 0) return;
  sort_array(s->blocked.data, s->blocked.len, sizeof(Range), by_range);
  size_t n = 1;
  for (size_t i = 1; i < s->blocked.len; i++) {
    Range *last = &s->blocked.data[n - 1], r = s->blocked.data[i];
    if (r.begin > last->end)
      s->blocked.data[n++] = r;
    else if (r.end > last->end)
      last->end = r.end;
  }
  s->blocked.len = n;
}

static bool place_first_fit(Search *s, uint32_t id) {
  const DsaBuffer *b = &s->p->buffers[id];
  uint64_t at = 0;
  collect_blocked(s, id);
  for (size_t i = 0; i < s->blocked.len; i++) {
    Range r = s->blocked.data[i];
    if (r.end <= at) continue;
    if (at > UINT64_MAX - b->size || r.begin >= at + b->size) break;
    if (!align_up(r.end, b->alignment, &at)) return false;
  }
  s->offset[id] = at;
  return at <= UINT64_MAX - b->size && at + b->size <= s->p->pools[b->pool].capacity;
}

static void add_candidate(Search *s, uint32_t id, uint64_t at) {
  if (align_up(at, s->p->buffers[id].alignment, &at)) vec_push(&s->candidates, at);
}

static void collect_candidates(Search *s, uint32_t id) {
  const DsaBuffer *all = s->p->buffers;
  const DsaPool *pool = &s->p->pools[all[id].pool];
  vec_clear(&s->candidates);
  vec_clear(&s->starts);
  vec_clear(&s->ends);
  add_candidate(s, id, 0);
  if (pool->reserved) add_candidate(s, id, pool->reserved);
  /* behind hard neighbours only the ends of merged ranges can be free */
  for (size_t i = 0; i < s->blocked.len; i++) add_candidate(s, id, s->blocked.data[i].end);
  for (size_t k = s->soft.first[id]; k < s->soft.first[id + 1]; k++) {
    Neighbour o = s->soft.list[k];
    if (!s->placed[o.id] || all[o.id].pool != all[id].pool) continue;
    uint64_t end = s->offset[o.id] + all[o.id].size;
    add_candidate(s, id, end);
    vec_push(&s->starts, (Edge){s->offset[o.id], o.weight});
    vec_push(&s->ends, (Edge){end, o.weight});
  }
  sort_array(s->candidates.data, s->candidates.len, sizeof(uint64_t), by_number);
  if (s->starts.len == 0) return;
  sort_array(s->starts.data, s->starts.len, sizeof(Edge), by_edge);
  sort_array(s->ends.data, s->ends.len, sizeof(Edge), by_edge);
}

/* The free candidate that overlaps soft neighbours of least weight; the lowest of those. */
static bool place_cheapest(Search *s, uint32_t id) {
  const DsaBuffer *b = &s->p->buffers[id];
  uint64_t capacity = s->p->pools[b->pool].capacity, started = 0, ended = 0, best = 0;
  size_t block = 0, start = 0, end = 0;
  bool found = false;
  collect_blocked(s, id);
  collect_candidates(s, id);
  for (size_t i = 0; i < s->candidates.len; i++) {
    uint64_t at = s->candidates.data[i];
    if (at > UINT64_MAX - b->size || at + b->size > capacity) break; /* they only get higher */
    while (block < s->blocked.len && s->blocked.data[block].end <= at) block++;
    if (block < s->blocked.len && s->blocked.data[block].begin < at + b->size) continue;
    while (start < s->starts.len && s->starts.data[start].at < at + b->size)
      started += s->starts.data[start++].weight;
    while (end < s->ends.len && s->ends.data[end].at <= at) ended += s->ends.data[end++].weight;
    if (found && started - ended >= best) continue;
    found = true;
    best = started - ended;
    s->offset[id] = at;
  }
  return found;
}

static bool place_all(Search *s, const uint32_t *order, bool (*place)(Search *, uint32_t)) {
  memset(s->placed, 0, s->p->nbuffers);
  for (size_t i = 0; i < s->p->nbuffers; i++) {
    if (!place(s, order[i])) return false;
    s->placed[order[i]] = true;
  }
  return true;
}

/* ---- choosing ---- */

static Score score_of(const Search *s) {
  const DsaProblem *p = s->p;
  Score r = {0, 0, 0};
  uint64_t *peak = xmalloc((p->npools + 1) * sizeof *peak);
  for (size_t i = 0; i < p->npools; i++) peak[i] = p->pools[i].reserved;
  for (size_t i = 0; i < p->nbuffers; i++) {
    const DsaBuffer *b = &p->buffers[i];
    if (s->offset[i] + b->size > peak[b->pool]) peak[b->pool] = s->offset[i] + b->size;
  }
  for (size_t i = 0; i < p->npools; i++) {
    r.total_peak = add_sat(r.total_peak, peak[i]);
    if (peak[i] > r.max_peak) r.max_peak = peak[i];
  }
  for (size_t i = 0; i < p->ncosts; i++) {
    const DsaBuffer *a = &p->buffers[p->costs[i].a], *b = &p->buffers[p->costs[i].b];
    if (a->pool != b->pool || dsa_alive_together(a, b)) continue;
    if (overlap(s->offset[p->costs[i].a], a->size, s->offset[p->costs[i].b], b->size))
      r.cost = add_sat(r.cost, p->costs[i].weight);
  }
  free(peak);
  return r;
}

static bool better(Score a, Score b) {
  if (a.cost != b.cost) return a.cost < b.cost;
  if (a.total_peak != b.total_peak) return a.total_peak < b.total_peak;
  return a.max_peak < b.max_peak;
}

static bool seen_before(uint32_t *const *orders, size_t n, size_t len) {
  for (size_t i = 0; i < n; i++)
    if (memcmp(orders[i], orders[n], len * sizeof **orders) == 0) return true;
  return false;
}

bool dsa_solve(const DsaProblem *p, uint64_t *offsets) {
  Search s;
  search_init(&s, p);
  size_t n = p->nbuffers, bytes = (n + 1) * sizeof(uint32_t);
  uint32_t *orders[ORDERS];
  Mt64 random;
  mt64_seed(&random, 0);
  for (size_t i = 0; i < ORDERS; i++) {
    orders[i] = xmalloc(bytes);
    if (i < 3) {
      fill_order(&s, (OrderKind)i, orders[i]);
    } else { /* shuffles start from the third order and go on from each other */
      memcpy(orders[i], orders[i - 1], n * sizeof(uint32_t));
      mt64_shuffle(&random, orders[i], n);
    }
  }
  Score best = {0, 0, 0};
  bool found = place_all(&s, orders[0], place_first_fit);
  if (found) {
    best = score_of(&s);
    memcpy(offsets, s.offset, n * sizeof *offsets);
  }
  for (size_t i = 0; i < ORDERS; i++) {
    if (seen_before(orders, i, n) || !place_all(&s, orders[i], place_cheapest)) continue;
    Score score = score_of(&s);
    if (found && !better(score, best)) continue;
    found = true;
    best = score;
    memcpy(offsets, s.offset, n * sizeof *offsets);
  }
  for (size_t i = 0; i < ORDERS; i++) free(orders[i]);
  search_free(&s);
  return found;
}
