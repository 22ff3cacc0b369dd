#include "passes/memory/dsa_places.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/vec.h"

enum { MOMENTS = 64 };

typedef struct Life {
  int64_t begin, end;
} Life;

/* When buffers of one kind begin to live, ascending. */
typedef struct KindLives {
  uint32_t kind;
  VEC(int64_t) begins;
} KindLives;

/* A stretch of bytes that buffers have been put to exactly. */
typedef struct Place {
  uint64_t end;
  uint64_t cost;        /* scratch: what overlapping it costs a buffer */
  VEC(Life) lives;      /* in a pool: of all its buffers, ascending */
  VEC(uint32_t) stages; /* in a pool: of its buffers, ascending */
  VEC(KindLives) kinds; /* in a group */
} Place;

/* What every question looks at, close together in memory. */
typedef struct Row {
  uint64_t begin, end;
  uint64_t alive;  /* bit i: at moment i it is taken */
  uint64_t stages; /* bit i % 64: a buffer of stages i lies here */
  uint32_t place;
} Row;

/* The places of a pool, or those where buffers of a group lie. */
typedef struct PlaceList {
  VEC(Place) places;
  VEC(Row) rows;        /* by begin, then by end */
  VEC(uint32_t) by_end; /* groups only */
  uint64_t longest;     /* bytes of the longest place */
} PlaceList;

typedef struct Neighbour {
  uint32_t id;
  uint64_t weight;
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

struct Places {
  const DsaProblem *p;
  PlaceList *pools, *groups;
  uint64_t *alive; /* buffer -> the moments at which it lives */
  Graph apart,
      costs; /* the pairs given; weights of costs come on top of those by kind, modulo 2^64 */
  bool *kind_costs; /* kind -> may it cost anything? */
  uint64_t *weight;
  uint64_t *offset;
  bool *placed;
  /* scratch of one question */
  VEC(Range) blocked;
  VEC(Edge) starts;
  VEC(Edge) ends;
};

/* False if the result doesn't fit. */
static bool align_up(uint64_t v, uint64_t alignment, uint64_t *out) {
  uint64_t rest = v % alignment;
  if (rest && v > UINT64_MAX - (alignment - rest)) return false;
  *out = rest ? v + (alignment - rest) : v;
  return true;
}

static Life life_of(const DsaBuffer *b) {
  return b->exclusive ? (Life){INT64_MIN, INT64_MAX} : (Life){b->begin, b->end};
}

static int by_id(const void *x, const void *y) {
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return a < b ? -1 : a > b;
}

/* Do the stages that two buffers belong to keep them apart? */
static bool run_at_once(const DsaProblem *p, uint32_t a, uint32_t b) {
  uint32_t x = p->buffers[a].stages, y = p->buffers[b].stages;
  if (!x || !y || p->buffers[a].pool != p->buffers[b].pool) return false;
  return search_array(&y, p->stages[x].list, p->stages[x].len, sizeof y, by_id) != NULL;
}

/* What the kinds of two buffers say. */
static uint64_t cost_by_kind(const DsaProblem *p, uint32_t a, uint32_t b) {
  const DsaBuffer *x = &p->buffers[a], *y = &p->buffers[b];
  if (x->group == 0 || x->group != y->group || dsa_alive_together(x, y)) return 0;
  return x->begin < y->begin ? p->costly[x->kind * p->nkinds + y->kind]
                             : p->costly[y->kind * p->nkinds + x->kind];
}

/* ---------------------------------------------------------------- pairs */

typedef VEC(DsaPair) Pairs;

static int by_pair(const void *x, const void *y) {
  const DsaPair *a = x, *b = y;
  if (a->a != b->a) return a->a < b->a ? -1 : 1;
  return a->b < b->b ? -1 : a->b > b->b;
}

/* Pairs with a < b, sorted, equal ones merged and their weights added. */
static void take_pairs(Pairs *out, const DsaPair *list, size_t len) {
  for (size_t i = 0; i < len; i++) {
    DsaPair e = list[i];
    vec_push(out, e.a < e.b ? e : (DsaPair){e.b, e.a, e.weight});
  }
  sort_array(out->data, out->len, sizeof *out->data, by_pair);
  size_t n = 0;
  for (size_t i = 0; i < out->len; i++) {
    if (n && by_pair(&out->data[n - 1], &out->data[i]) == 0)
      out->data[n - 1].weight += out->data[i].weight;
    else
      out->data[n++] = out->data[i];
  }
  out->len = n;
}

static Graph graph_of(const Pairs *pairs, size_t nodes) {
  Graph g = {xmalloc((nodes + 2) * sizeof *g.first),
             xmalloc((2 * pairs->len + 1) * sizeof *g.list)};
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

/* Reads the pairs that are given, and corrects the weights by kind for them. */
static void read_pairs(Places *s) {
  const DsaProblem *p = s->p;
  Pairs apart = {0}, costs = {0};
  take_pairs(&apart, p->apart, p->napart);
  take_pairs(&costs, p->costs, p->ncosts);
  for (size_t i = 0; i < apart.len; i++) {
    if (run_at_once(p, apart.data[i].a, apart.data[i].b))
      continue; /* they don't cost each other anyway */
    uint64_t by_kind = cost_by_kind(p, apart.data[i].a, apart.data[i].b);
    s->weight[apart.data[i].a] -= by_kind;
    s->weight[apart.data[i].b] -= by_kind;
  }
  size_t n = 0;
  for (size_t i = 0; i < costs.len; i++) {
    DsaPair e = costs.data[i];
    if (dsa_alive_together(&p->buffers[e.a], &p->buffers[e.b]) || run_at_once(p, e.a, e.b))
      continue;
    if (search_array(&e, apart.data, apart.len, sizeof e, by_pair)) continue;
    e.weight -= cost_by_kind(p, e.a, e.b);
    s->weight[e.a] += e.weight;
    s->weight[e.b] += e.weight;
    costs.data[n++] = e;
  }
  costs.len = n;
  s->apart = graph_of(&apart, p->nbuffers);
  s->costs = graph_of(&costs, p->nbuffers);
  vec_free(&apart);
  vec_free(&costs);
}

/* ---------------------------------------------------------------- weights by kind */

typedef struct Moment {
  uint32_t group, kind, stages;
  int64_t at;
} Moment;

static int by_moment(const void *x, const void *y) {
  const Moment *a = x, *b = y;
  if (a->group != b->group) return a->group < b->group ? -1 : 1;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  if (a->stages != b->stages) return a->stages < b->stages ? -1 : 1;
  return a->at < b->at ? -1 : a->at > b->at;
}

/* Beginnings and ends of lives, sorted. */
typedef struct Moments {
  Moment *begins, *ends;
  size_t n;
} Moments;

/* How many of the sorted moments lie before `key`. */
static size_t moments_before(const Moment *list, size_t n, Moment key) {
  size_t lo = 0, hi = n;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (by_moment(&list[mid], &key) < 0)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static void moments_init(Moments *m, const DsaProblem *p, bool stages) {
  m->n = p->nbuffers;
  m->begins = xmalloc((m->n + 1) * sizeof *m->begins);
  m->ends = xmalloc((m->n + 1) * sizeof *m->ends);
  for (size_t i = 0; i < m->n; i++) {
    const DsaBuffer *b = &p->buffers[i];
    m->begins[i] = (Moment){b->group, b->kind, stages ? b->stages : 0, b->begin};
    m->ends[i] = (Moment){b->group, b->kind, stages ? b->stages : 0, b->end};
  }
  sort_array(m->begins, m->n, sizeof *m->begins, by_moment);
  sort_array(m->ends, m->n, sizeof *m->ends, by_moment);
}

static void moments_free(Moments *m) {
  free(m->begins);
  free(m->ends);
}

/* How many buffers of the group and these stages cost `b` by their kinds. */
static uint64_t count_costly(const DsaProblem *p, const Moments *m, const DsaBuffer *b,
                             uint32_t stages) {
  uint64_t n = 0;
  for (uint32_t k = 0; k < p->nkinds; k++) {
    if (p->costly[k * p->nkinds + b->kind]) /* those dead before */
      n += moments_before(m->ends, m->n, (Moment){b->group, k, stages, b->begin + 1}) -
           moments_before(m->ends, m->n, (Moment){b->group, k, stages, INT64_MIN});
    if (p->costly[b->kind * p->nkinds + k]) /* those born behind */
      n += moments_before(m->begins, m->n, (Moment){b->group, k, stages + 1, INT64_MIN}) -
           moments_before(m->begins, m->n, (Moment){b->group, k, stages, b->end});
  }
  return n;
}

/* Weights by kind, without those that stages keep apart. */
static void weigh(Places *s) {
  const DsaProblem *p = s->p;
  Moments all, staged;
  moments_init(&all, p, false);
  moments_init(&staged, p, true);
  for (size_t i = 0; i < p->nbuffers; i++) {
    const DsaBuffer *b = &p->buffers[i];
    s->weight[i] = 0;
    if (!b->group || !s->kind_costs[b->kind]) continue;
    s->weight[i] = count_costly(p, &all, b, 0);
    for (size_t k = 0; b->stages && k < p->stages[b->stages].len; k++)
      s->weight[i] -= count_costly(p, &staged, b, p->stages[b->stages].list[k]);
  }
  moments_free(&all);
  moments_free(&staged);
}

/* ---------------------------------------------------------------- lives */

static int by_number(const void *x, const void *y) {
  int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
  return a < b ? -1 : a > b;
}

static size_t numbers_before(const int64_t *list, size_t n, int64_t key) {
  size_t lo = 0, hi = n;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (list[mid] < key)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* Samples time, so that two lives seen at one moment need no closer look. */
static void find_moments(Places *s) {
  size_t n = s->p->nbuffers;
  int64_t *begins = xmalloc((n + 1) * sizeof *begins), moments[MOMENTS];
  for (size_t i = 0; i < n; i++) begins[i] = s->p->buffers[i].begin;
  sort_array(begins, n, sizeof *begins, by_number);
  for (size_t i = 0; i < MOMENTS && n; i++) moments[i] = begins[i * n / MOMENTS];
  for (size_t i = 0; i < n; i++) {
    Life life = life_of(&s->p->buffers[i]);
    size_t from = numbers_before(moments, MOMENTS, life.begin),
           to = numbers_before(moments, MOMENTS, life.end);
    uint64_t below = to == MOMENTS ? UINT64_MAX : (UINT64_C(1) << to) - 1;
    s->alive[i] = from == MOMENTS ? 0 : below & ~((UINT64_C(1) << from) - 1);
  }
  free(begins);
}

/* Where a life stands, or would stand, in a place's list: behind all that end before it begins. */
static size_t rank_in(const Place *at, int64_t begin) {
  size_t lo = 0, hi = at->lives.len;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (at->lives.data[mid].end <= begin)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static bool is_taken(const Place *at, Life life) {
  size_t i = rank_in(at, life.begin);
  return i < at->lives.len && at->lives.data[i].begin < life.end;
}

/* ---------------------------------------------------------------- set up */

Places *places_new(const DsaProblem *p) {
  size_t n = p->nbuffers, pools = (p->npools + 1) * sizeof(PlaceList),
         groups = (p->ngroups + 1) * sizeof(PlaceList);
  Places *s = xmalloc(sizeof *s);
  *s = (Places){.p = p, .pools = xmalloc(pools), .groups = xmalloc(groups)};
  memset(s->pools, 0, pools);
  memset(s->groups, 0, groups);
  s->alive = xmalloc((n + 1) * sizeof *s->alive);
  s->weight = xmalloc((n + 1) * sizeof *s->weight);
  s->offset = xmalloc((n + 1) * sizeof *s->offset);
  s->placed = xmalloc(n + 1);
  memset(s->placed, 0, n + 1);
  s->kind_costs = xmalloc(p->nkinds + 1);
  for (size_t i = 0; i < p->nkinds; i++) {
    s->kind_costs[i] = false;
    for (size_t k = 0; k < p->nkinds; k++)
      if (p->costly[i * p->nkinds + k] || p->costly[k * p->nkinds + i]) s->kind_costs[i] = true;
  }
  find_moments(s);
  weigh(s);
  read_pairs(s);
  return s;
}

static void clear_list(PlaceList *l) {
  for (size_t i = 0; i < l->places.len; i++) {
    Place *at = &l->places.data[i];
    vec_free(&at->lives);
    vec_free(&at->stages);
    for (size_t k = 0; k < at->kinds.len; k++) vec_free(&at->kinds.data[k].begins);
    vec_free(&at->kinds);
  }
  vec_clear(&l->places);
  vec_clear(&l->rows);
  vec_clear(&l->by_end);
  l->longest = 0;
}

void places_clear(Places *s) {
  for (size_t i = 0; i < s->p->npools; i++) clear_list(&s->pools[i]);
  for (size_t i = 0; i <= s->p->ngroups; i++) clear_list(&s->groups[i]);
  memset(s->placed, 0, s->p->nbuffers);
}

static void free_lists(PlaceList *lists, size_t n) {
  for (size_t i = 0; i < n; i++) {
    vec_free(&lists[i].places);
    vec_free(&lists[i].rows);
    vec_free(&lists[i].by_end);
  }
  free(lists);
}

void places_free(Places *s) {
  places_clear(s);
  free_lists(s->pools, s->p->npools);
  free_lists(s->groups, s->p->ngroups + 1);
  graph_free(&s->apart);
  graph_free(&s->costs);
  free(s->alive);
  free(s->weight);
  free(s->offset);
  free(s->placed);
  free(s->kind_costs);
  vec_free(&s->blocked);
  vec_free(&s->starts);
  vec_free(&s->ends);
  free(s);
}

uint64_t places_weight(const Places *s, uint32_t id) { return s->weight[id]; }

/* ---------------------------------------------------------------- putting */

/* The index at which bytes begin..end stand, or would stand, in rows. */
static size_t find_row(const PlaceList *l, uint64_t begin, uint64_t end) {
  size_t lo = 0, hi = l->rows.len;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    const Row *r = &l->rows.data[mid];
    if (r->begin < begin || (r->begin == begin && r->end < end))
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

static size_t find_end(const PlaceList *l, uint64_t end) {
  size_t lo = 0, hi = l->by_end.len;
  while (lo < hi) {
    size_t mid = lo + (hi - lo) / 2;
    if (l->places.data[l->by_end.data[mid]].end < end)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* Puts `value` at an index; the vector has just been pushed to. */
#define SHIFT_IN(v, at, value)                                                                \
  do {                                                                                        \
    memmove(&(v)->data[(at) + 1], &(v)->data[at], ((v)->len - 1 - (at)) * sizeof *(v)->data); \
    (v)->data[at] = value;                                                                    \
  } while (0)

static Row *row_at(PlaceList *l, uint64_t begin, uint64_t end) {
  size_t i = find_row(l, begin, end);
  if (i == l->rows.len || l->rows.data[i].begin != begin || l->rows.data[i].end != end) {
    Row fresh = {.begin = begin, .end = end, .place = (uint32_t)l->places.len};
    vec_push(&l->places, (Place){.end = end});
    vec_push(&l->rows, fresh);
    SHIFT_IN(&l->rows, i, fresh);
    if (end - begin > l->longest) l->longest = end - begin;
  }
  return &l->rows.data[i];
}

static void put_in_group(Places *s, const DsaBuffer *b, uint64_t at) {
  PlaceList *l = &s->groups[b->group];
  uint32_t which = row_at(l, at, at + b->size)->place;
  if (which == l->by_end.len) { /* it is new */
    size_t i = find_end(l, at + b->size);
    vec_push(&l->by_end, which);
    SHIFT_IN(&l->by_end, i, which);
  }
  Place *place = &l->places.data[which];
  size_t k = 0;
  while (k < place->kinds.len && place->kinds.data[k].kind != b->kind) k++;
  if (k == place->kinds.len) vec_push(&place->kinds, (KindLives){.kind = b->kind});
  KindLives *lives = &place->kinds.data[k];
  size_t i = numbers_before(lives->begins.data, lives->begins.len, b->begin);
  vec_push(&lives->begins, 0);
  SHIFT_IN(&lives->begins, i, b->begin);
}

static void add_stages(Row *row, Place *place, uint32_t stages) {
  row->stages |= UINT64_C(1) << stages % 64;
  size_t i = 0;
  while (i < place->stages.len && place->stages.data[i] < stages) i++;
  if (i < place->stages.len && place->stages.data[i] == stages) return;
  vec_push(&place->stages, 0);
  SHIFT_IN(&place->stages, i, stages);
}

void places_put(Places *s, uint32_t id, uint64_t at) {
  const DsaBuffer *b = &s->p->buffers[id];
  Row *row = row_at(&s->pools[b->pool], at, at + b->size);
  Place *place = &s->pools[b->pool].places.data[row->place];
  Life life = life_of(b);
  size_t i = rank_in(place, life.begin);
  vec_push(&place->lives, life);
  SHIFT_IN(&place->lives, i, life);
  row->alive |= s->alive[id];
  if (b->stages) add_stages(row, place, b->stages);
  if (b->group && s->kind_costs[b->kind]) put_in_group(s, b, at);
  s->offset[id] = at;
  s->placed[id] = true;
}

/* ---------------------------------------------------------------- what is free */

static int by_range(const void *x, const void *y) {
  const Range *a = x, *b = y;
  if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
  return a->end < b->end ? -1 : a->end > b->end;
}

/* The stages that may not lie where a buffer lies, as in Row.stages. */
static uint64_t stages_bits(const DsaStages *apart) {
  uint64_t bits = 0;
  for (size_t i = 0; i < apart->len; i++) bits |= UINT64_C(1) << apart->list[i] % 64;
  return bits;
}

static bool holds_stages(const Place *at, const DsaStages *apart) {
  for (size_t i = 0; i < apart->len; i++)
    if (search_array(&apart->list[i], at->stages.data, at->stages.len, sizeof(uint32_t), by_id))
      return true;
  return false;
}

/* Appends a range that begins no earlier than the ones before. */
static inline void block(Places *s, Range r) {
  if (s->blocked.len && r.begin <= vec_last(&s->blocked).end) {
    Range *last = &vec_last(&s->blocked);
    if (r.end > last->end) last->end = r.end;
  } else {
    vec_push(&s->blocked, r);
  }
}

/* Ranges of the placed buffers that `id` is to be kept apart from. */
static void block_apart(Places *s, uint32_t id) {
  size_t n = s->blocked.len;
  for (size_t k = s->apart.first[id]; k < s->apart.first[id + 1]; k++) {
    uint32_t other = s->apart.list[k].id;
    if (!s->placed[other] || s->p->buffers[other].pool != s->p->buffers[id].pool) continue;
    vec_push(&s->blocked, (Range){s->offset[other], s->offset[other] + s->p->buffers[other].size});
  }
  if (s->blocked.len == n) return;
  sort_array(s->blocked.data, s->blocked.len, sizeof(Range), by_range);
  n = s->blocked.len;
  Range *all = s->blocked.data;
  s->blocked.len = 0;
  for (size_t i = 0; i < n; i++) block(s, all[i]);
}

/* Address ranges that buffer `id` may not touch, merged and in order, up to the first gap that has room for it if
 * `first` is asked for. */
static void collect_blocked(Places *s, uint32_t id, bool first) {
  const DsaBuffer *b = &s->p->buffers[id];
  const PlaceList *l = &s->pools[b->pool];
  uint64_t alignment = s->p->pools[b->pool].alignment, at;
  Life life = life_of(b);
  first = first && s->apart.first[id] == s->apart.first[id + 1];
  vec_clear(&s->blocked);
  if (s->p->pools[b->pool].reserved) block(s, (Range){0, s->p->pools[b->pool].reserved});
  uint64_t end = s->blocked.len ? s->blocked.data[0].end : 0, alive = s->alive[id];
  const DsaStages *stages = b->stages ? &s->p->stages[b->stages] : NULL;
  uint64_t bits = stages ? stages_bits(stages) : 0;
  for (size_t i = 0; i < l->rows.len; i++) {
    const Row *r = &l->rows.data[i];
    if (r->end <= end) continue;
    if (first && r->begin > end && align_up(end, alignment, &at) && at < r->begin &&
        r->begin - at >= b->size)
      break;
    const Place *place = &l->places.data[r->place];
    bool taken = (r->alive & alive) || (r->stages & bits && holds_stages(place, stages)) ||
                 is_taken(place, life);
    if (!taken) continue;
    block(s, (Range){r->begin, r->end});
    end = vec_last(&s->blocked).end;
  }
  block_apart(s, id);
}

/* The i-th free gap that has room for `size` bytes, or the first such behind it; its aligned beginning and its
 * end.  False if there is none. */
static bool next_gap(const Places *s, const DsaPool *pool, uint64_t size, size_t *i, Range *gap) {
  for (; *i <= s->blocked.len; ++*i) {
    uint64_t from = *i ? s->blocked.data[*i - 1].end : 0;
    gap->end = *i < s->blocked.len ? s->blocked.data[*i].begin : pool->capacity;
    if (gap->end > pool->capacity) gap->end = pool->capacity;
    if (align_up(from, pool->alignment, &gap->begin) && gap->begin <= gap->end &&
        gap->end - gap->begin >= size)
      return true;
  }
  return false;
}

bool places_lowest(Places *s, uint32_t id, uint64_t *at) {
  const DsaBuffer *b = &s->p->buffers[id];
  collect_blocked(s, id, true);
  size_t i = 0;
  Range gap;
  if (!next_gap(s, &s->p->pools[b->pool], b->size, &i, &gap)) return false;
  *at = gap.begin;
  return true;
}

/* ---------------------------------------------------------------- what it costs */

/* What it costs a buffer to overlap a place where it is free.  All who lie there live before or behind it. */
static uint64_t cost_at(const Places *s, const Place *at, const DsaBuffer *b) {
  const DsaProblem *p = s->p;
  uint64_t sum = 0;
  for (size_t i = 0; i < at->kinds.len; i++) {
    const KindLives *k = &at->kinds.data[i];
    bool before = p->costly[k->kind * p->nkinds + b->kind],
         behind = p->costly[b->kind * p->nkinds + k->kind];
    size_t n = k->begins.len, earlier;
    if (before && behind) {
      sum += n;
    } else if (before || behind) {
      earlier = numbers_before(k->begins.data, n, b->begin);
      sum += before ? earlier : n - earlier;
    }
  }
  return sum;
}

static int by_edge(const void *x, const void *y) {
  const Edge *a = x, *b = y;
  return a->at < b->at ? -1 : a->at > b->at;
}

/* Costs of pairs that were given: they begin where the other buffer begins, and end with it. */
static void add_given(Places *s, uint32_t id) {
  size_t n = s->starts.len;
  for (size_t k = s->costs.first[id]; k < s->costs.first[id + 1]; k++) {
    Neighbour o = s->costs.list[k];
    if (!s->placed[o.id] || s->p->buffers[o.id].pool != s->p->buffers[id].pool) continue;
    vec_push(&s->starts, (Edge){s->offset[o.id], o.weight});
    vec_push(&s->ends, (Edge){s->offset[o.id] + s->p->buffers[o.id].size, o.weight});
  }
  if (s->starts.len == n) return;
  sort_array(s->starts.data, s->starts.len, sizeof(Edge), by_edge);
  sort_array(s->ends.data, s->ends.len, sizeof(Edge), by_edge);
}

/* Gathers where costs begin and end.  Places within a blocked range don't matter. */
static void collect_edges(Places *s, uint32_t id) {
  const DsaBuffer *b = &s->p->buffers[id];
  vec_clear(&s->starts);
  vec_clear(&s->ends);
  if (b->group && s->kind_costs[b->kind]) {
    PlaceList *l = &s->groups[b->group];
    size_t range = 0;
    for (size_t i = 0; i < l->rows.len; i++) {
      const Row *r = &l->rows.data[i];
      Place *at = &l->places.data[r->place];
      while (range < s->blocked.len && s->blocked.data[range].end < r->end) range++;
      bool hidden = range < s->blocked.len && s->blocked.data[range].begin <= r->begin;
      at->cost = hidden ? 0 : cost_at(s, at, b);
      if (at->cost) vec_push(&s->starts, (Edge){r->begin, at->cost});
    }
    for (size_t i = 0; i < l->by_end.len && s->starts.len; i++) {
      const Place *at = &l->places.data[l->by_end.data[i]];
      if (at->cost) vec_push(&s->ends, (Edge){at->end, at->cost});
    }
  }
  add_given(s, id);
}

/* Costs summed from low to high addresses. */
typedef struct Sum {
  size_t start, end;
  uint64_t started, ended;
} Sum;

static uint64_t sum_to(const Places *s, Sum *sum, uint64_t at, uint64_t size) {
  while (sum->start < s->starts.len && s->starts.data[sum->start].at < at + size)
    sum->started += s->starts.data[sum->start++].weight;
  while (sum->end < s->ends.len && s->ends.data[sum->end].at <= at)
    sum->ended += s->ends.data[sum->end++].weight;
  return sum->started - sum->ended;
}

uint64_t places_cost(const Places *s, uint32_t id, uint64_t at) {
  const DsaBuffer *b = &s->p->buffers[id];
  uint64_t sum = 0, end = at + b->size;
  if (b->group && s->kind_costs[b->kind]) {
    const PlaceList *l = &s->groups[b->group];
    for (size_t i = find_row(l, at > l->longest ? at - l->longest : 0, 0); i < l->rows.len; i++) {
      const Row *r = &l->rows.data[i];
      if (r->begin >= end) break;
      if (r->end > at) sum += cost_at(s, &l->places.data[r->place], b);
    }
  }
  for (size_t k = s->costs.first[id]; k < s->costs.first[id + 1]; k++) {
    Neighbour o = s->costs.list[k];
    const DsaBuffer *other = &s->p->buffers[o.id];
    if (s->placed[o.id] && other->pool == b->pool && s->offset[o.id] < end &&
        at < s->offset[o.id] + other->size)
      sum += o.weight;
  }
  return sum;
}

/* From an address upward nothing gets cheaper until something that costs ends: only gaps' beginnings and the
 * ends of costs need a look. */
bool places_cheapest(Places *s, uint32_t id, uint64_t *at, uint64_t *cost) {
  const DsaBuffer *b = &s->p->buffers[id];
  const DsaPool *pool = &s->p->pools[b->pool];
  if (!places_lowest(s, id, at)) return false;
  *cost = places_cost(s, id, *at);
  if (*cost == 0) return true;
  collect_blocked(s, id, false);
  collect_edges(s, id);
  Sum sum = {0};
  Range gap;
  size_t next = 0;
  for (size_t i = 0; *cost && next_gap(s, pool, b->size, &i, &gap); i++) {
    uint64_t here = gap.begin;
    while (*cost) {
      uint64_t now = sum_to(s, &sum, here, b->size);
      if (now < *cost) {
        *cost = now;
        *at = here;
      }
      while (next < s->ends.len && s->ends.data[next].at <= here) next++;
      if (next == s->ends.len || !align_up(s->ends.data[next].at, pool->alignment, &here)) break;
      if (here > gap.end || gap.end - here < b->size) break;
    }
  }
  return true;
}
