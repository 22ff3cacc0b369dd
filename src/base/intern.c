#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* There are hundreds of thousands of items, asked for in no order: slots are as small as they can be, so that the
 * caches hold more of them.  Hence half a hash, and the items elsewhere. */

static size_t next_slot(const InternSet *s, size_t i) { return (i + 1) & (s->slot_cap - 1); }

static void grow(InternSet *s) {
  size_t old_cap = s->slot_cap;
  InternSlot *old = s->slots;
  s->slot_cap = old_cap ? old_cap * 2 : 256;
  s->slots = xmalloc(s->slot_cap * sizeof *s->slots);
  memset(s->slots, 0, s->slot_cap * sizeof *s->slots);
  for (size_t k = 0; k < old_cap; k++) {
    if (!old[k].number) continue;
    size_t i = old[k].hash & (s->slot_cap - 1);
    while (s->slots[i].number) i = next_slot(s, i);
    s->slots[i] = old[k];
  }
  free(old);
}

InternProbe intern_begin(InternSet *s, uint64_t hash) {
  if (s->len * 3 >= s->slot_cap * 2) grow(s);
  uint32_t half = (uint32_t)(hash ^ hash >> 32);
  return (InternProbe){half & (s->slot_cap - 1), half};
}

const void *intern_next(const InternSet *s, InternProbe *p) {
  for (;;) {
    InternSlot at = s->slots[p->slot];
    if (!at.number) return NULL;
    p->slot = next_slot(s, p->slot);
    if (at.hash == p->hash) return s->items[at.number - 1];
  }
}

const void *intern_add(InternSet *s, InternProbe p, const void *item) {
  if (s->len == s->cap) {
    s->cap = s->cap ? s->cap * 2 : 128;
    s->items = xrealloc(s->items, s->cap * sizeof *s->items);
  }
  s->items[s->len++] = item;
  s->slots[p.slot] = (InternSlot){p.hash, (uint32_t)s->len};
  return item;
}

void intern_free(InternSet *s) {
  free(s->slots);
  free(s->items);
  *s = (InternSet){0};
}
