#include "passes/memory/dsa.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/vec.h"
#include "passes/memory/dsa_places.h"
#include "passes/memory/shuffle.h"

enum { RESTARTS = 4, ORDERS = 3 + RESTARTS };

typedef struct Score {
  uint64_t cost, total_peak, max_peak;
} Score;

typedef struct Search {
  const DsaProblem *p;
  Places *places;
  uint64_t *offset;
  uint64_t *peak; /* per pool */
  uint32_t full;  /* the pool that the last placement that failed found no room in */
} Search;

static uint64_t add_sat(uint64_t a, uint64_t b) { return a > UINT64_MAX - b ? UINT64_MAX : a + b; }

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

static void fill_order(const DsaProblem *p, const Places *places, OrderKind kind, uint32_t *order) {
  size_t n = p->nbuffers;
  Key *keys = xmalloc((n + 1) * sizeof *keys);
  for (size_t i = 0; i < n; i++) {
    const DsaBuffer *b = &p->buffers[i];
    keys[i].id = (uint32_t)i;
    keys[i].first = kind == BY_SIZE    ? ~b->size
                    : kind == BY_BEGIN ? (uint64_t)b->begin
                                       : ~places_weight(places, (uint32_t)i);
    keys[i].second = kind == BY_SIZE ? (uint64_t)b->begin : kind == BY_BEGIN ? 0 : ~b->size;
  }
  sort_array(keys, n, sizeof *keys, by_key);
  for (size_t i = 0; i < n; i++) order[i] = keys[i].id;
  free(keys);
}

/* ---- one placement ---- */

static bool place_one(Search *s, uint32_t id, bool cheapest, uint64_t *cost) {
  uint64_t at, added;
  if (cheapest ? !places_cheapest(s->places, id, &at, &added) : !places_lowest(s->places, id, &at))
    return false;
  *cost = add_sat(*cost, cheapest ? added : places_cost(s->places, id, at));
  places_put(s->places, id, at);
  s->offset[id] = at;
  return true;
}

/* Places all buffers in an order; false if one finds no room. */
static bool place_all(Search *s, const uint32_t *order, bool cheapest, Score *score) {
  const DsaProblem *p = s->p;
  *score = (Score){0, 0, 0};
  places_clear(s->places);
  for (size_t i = 0; i < p->npools; i++) s->peak[i] = p->pools[i].reserved;
  for (size_t i = 0; i < p->nbuffers; i++) {
    const DsaBuffer *b = &p->buffers[order[i]];
    if (!place_one(s, order[i], cheapest, &score->cost)) {
      s->full = b->pool;
      return false;
    }
    uint64_t end = s->offset[order[i]] + b->size;
    if (end > s->peak[b->pool]) s->peak[b->pool] = end;
  }
  for (size_t i = 0; i < p->npools; i++) {
    score->total_peak = add_sat(score->total_peak, s->peak[i]);
    if (s->peak[i] > score->max_peak) score->max_peak = s->peak[i];
  }
  return true;
}

/* ---- choosing ---- */

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

static void make_orders(const Search *s, uint32_t **orders) {
  size_t n = s->p->nbuffers;
  Mt64 random;
  mt64_seed(&random, 0);
  for (size_t i = 0; i < ORDERS; i++) {
    orders[i] = xmalloc((n + 1) * sizeof **orders);
    if (i < 3) {
      fill_order(s->p, s->places, (OrderKind)i, orders[i]);
    } else { /* shuffles start from the third order and go on from each other */
      memcpy(orders[i], orders[i - 1], n * sizeof **orders);
      mt64_shuffle(&random, orders[i], n);
    }
  }
}

bool dsa_solve(const DsaProblem *p, uint64_t *offsets, uint32_t *full) {
  size_t n = p->nbuffers;
  uint32_t *orders[ORDERS];
  Search s = {.p = p, .places = places_new(p)};
  s.offset = xmalloc((n + 1) * sizeof *s.offset);
  s.peak = xmalloc((p->npools + 1) * sizeof *s.peak);
  make_orders(&s, orders);
  Score best, score;
  bool found = place_all(&s, orders[0], false, &best);
  if (found) memcpy(offsets, s.offset, n * sizeof *offsets);
  for (size_t i = 0; i < ORDERS; i++) {
    if (seen_before(orders, i, n) || !place_all(&s, orders[i], true, &score)) continue;
    if (found && !better(score, best)) continue;
    found = true;
    best = score;
    memcpy(offsets, s.offset, n * sizeof *offsets);
  }
  *full = s.full;
  for (size_t i = 0; i < ORDERS; i++) free(orders[i]);
  free(s.offset);
  free(s.peak);
  places_free(s.places);
  return found;
}
