#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* Objects that lie together are asked for together, so their slots share a cache line: the line is hashed from
 * the 512 bytes that the key lies in, the slot in the line from where it lies in them, turned by a number of the
 * line lest keys a power of two apart crowd in one slot of all lines.  A slot that is taken leads to the same one
 * of the next line, so that neighbours stay together. */
enum { LINE = 16, GRANULE = 32 };

/* The value of an entry that was removed: an address that nobody else has. */
static char removed_mark;
#define REMOVED ((void *)&removed_mark)

static size_t slot_of(const Map *m, const void *key) {
  uint64_t granule = (uint64_t)(uintptr_t)key / GRANULE;
  uint64_t h = granule / LINE * 0x9e3779b97f4a7c15u;
  size_t i = ((size_t)(h >> 20) * LINE & (m->index_cap - 1)) + ((granule ^ h >> 60) & (LINE - 1));
  while (m->index[i] && m->entries[m->index[i] - 1].key != key) {
    i += LINE;
    if (i >= m->index_cap) i = (i + 1) & (LINE - 1); /* and of all lines, to the next slot */
  }
  return i;
}

static MapEntry *lookup(const Map *m, const void *key) {
  if (!m->index_cap) return NULL;
  uint32_t e = m->index[slot_of(m, key)];
  return e && m->entries[e - 1].value != REMOVED ? &m->entries[e - 1] : NULL;
}

static void rebuild_index(Map *m, size_t cap) {
  free(m->index);
  m->index_cap = cap;
  m->index = xmalloc(cap * sizeof *m->index);
  memset(m->index, 0, cap * sizeof *m->index);
  for (size_t i = 0; i < m->len; i++) m->index[slot_of(m, m->entries[i].key)] = (uint32_t)i + 1;
}

void map_free(Map *m) {
  free(m->entries);
  free(m->index);
  *m = (Map){0};
}

/* Few entries of a map that was large once are cleared one by one: the last ones first, since the search
 * for one that was added later may lead past one that was added earlier. */
void map_clear(Map *m) {
  if (m->len < m->index_cap / 16) {
    for (size_t i = m->len; i-- > 0;) m->index[slot_of(m, m->entries[i].key)] = 0;
  } else if (m->index_cap) {
    memset(m->index, 0, m->index_cap * sizeof *m->index);
  }
  m->len = m->count = 0;
}

void *map_get(const Map *m, const void *key) {
  MapEntry *e = lookup(m, key);
  return e ? e->value : NULL;
}

bool map_has(const Map *m, const void *key) { return lookup(m, key) != NULL; }

void **map_at(Map *m, const void *key) {
  if (m->len * 2 >= m->index_cap) rebuild_index(m, m->index_cap ? m->index_cap * 2 : LINE);
  size_t i = slot_of(m, key);
  if (!m->index[i]) {
    if (m->len == m->cap) {
      m->cap = m->cap ? m->cap * 2 : 8;
      m->entries = xrealloc(m->entries, m->cap * sizeof *m->entries);
    }
    m->entries[m->len] = (MapEntry){key, REMOVED};
    m->index[i] = (uint32_t)++m->len;
  }
  MapEntry *e = &m->entries[m->index[i] - 1];
  if (e->value == REMOVED) {
    e->value = NULL;
    m->count++;
  }
  return &e->value;
}

bool map_set(Map *m, const void *key, void *value) {
  size_t before = m->count;
  *map_at(m, key) = value;
  return m->count != before;
}

bool map_remove(Map *m, const void *key) {
  MapEntry *e = lookup(m, key);
  if (!e) return false;
  e->value = REMOVED;
  m->count--;
  return true;
}

MapEntry *map_next(const Map *m, MapEntry *after) {
  size_t i = after ? (size_t)(after - m->entries) + 1 : 0;
  while (i < m->len && m->entries[i].value == REMOVED) i++;
  return i < m->len ? &m->entries[i] : NULL;
}
