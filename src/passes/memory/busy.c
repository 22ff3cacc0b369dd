#include "passes/memory/busy.h"

#include <limits.h>
#include <stdlib.h>

#include "base/arena.h"
#include "passes/memory/lives.h"

static const BusyStretch always = {INT_MIN, INT_MAX};

static bool overlaps(BusyStretch s, int def, int last) {
  return s.from < s.to && points_overlap(def, last, s.from, s.to);
}

static BusyStretch in_both(BusyStretch a, BusyStretch b) {
  return (BusyStretch){a.from > b.from ? a.from : b.from, a.to < b.to ? a.to : b.to};
}

void busy_reset(Busy *b, size_t n) {
  size_t room = 1;
  while (room < n) room *= 2;
  if (room > b->room) {
    b->nodes = xrealloc(b->nodes, 2 * room * sizeof *b->nodes);
    b->room = room;
  }
  for (size_t i = 0; i < 2 * b->room; i++) b->nodes[i] = (BusyNode){always, always};
}

void busy_free(Busy *b) {
  free(b->nodes);
  *b = (Busy){0};
}

/* Adds a stretch to one that it touches or, if `better`, puts it in its place. */
static void add_stretch(BusyStretch *s, BusyStretch more, bool better) {
  if (more.from > s->to || more.to < s->from) {
    if (better) *s = more;
    return;
  }
  if (more.from < s->from) s->from = more.from;
  if (more.to > s->to) s->to = more.to;
}

void busy_hold(Busy *b, size_t buffer, int def, int last) {
  size_t i = b->room + buffer;
  BusyNode *leaf = &b->nodes[i];
  BusyStretch held = {def, last};
  if (leaf->longest.from == always.from) *leaf = (BusyNode){held, held};
  add_stretch(&leaf->longest, held, last - def > leaf->longest.to - leaf->longest.from);
  add_stretch(&leaf->latest, held, last > leaf->latest.to);
  while ((i /= 2) > 0) {
    const BusyNode *x = &b->nodes[2 * i], *y = x + 1;
    b->nodes[i] = (BusyNode){in_both(x->longest, y->longest), in_both(x->latest, y->latest)};
  }
}

size_t busy_next(const Busy *b, size_t start, int def, int last) {
  if (start >= b->room || def >= last) return start;
  for (size_t i = b->room + start; i > 0;) {
    const BusyNode *n = &b->nodes[i];
    if (overlaps(n->longest, def, last) || overlaps(n->latest, def, last)) {
      while (i & 1) i /= 2; /* the last below its parents: on behind them */
      if (i > 0) i++;
    } else if (i >= b->room) {
      return i - b->room;
    } else {
      i *= 2;
    }
  }
  return b->room;
}
