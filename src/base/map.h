/* map.h -- hash map from a pointer (or an integer as wide) to a pointer.
 *
 * Names, variables, functions and types are unique pointers, so this one map
 * serves them all.  A zeroed Map is an empty one; iteration is in insertion
 * order, so that nothing printed depends on addresses.
 */
#ifndef PYPTOC_BASE_MAP_H
#define PYPTOC_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct MapEntry {
  const void *key;
  void *value;
} MapEntry;

typedef struct Map {
  MapEntry *entries; /* in insertion order, removed ones stay with a value of their own */
  size_t len, cap;
  uint32_t *index; /* open addressing, entry number + 1 */
  size_t index_cap;
  size_t count; /* live entries */
} Map;

void map_free(Map *m);
void map_clear(Map *m);
/* The value of `key`, or NULL. */
void *map_get(const Map *m, const void *key);
bool map_has(const Map *m, const void *key);
/* Sets the value of `key`; returns true if the key is new. */
bool map_set(Map *m, const void *key, void *value);
/* Address of the value of `key`, inserted as NULL if new; valid until the next insertion. */
void **map_at(Map *m, const void *key);
bool map_remove(Map *m, const void *key);

/* for (MapEntry *e = NULL; (e = map_next(m, e));) */
MapEntry *map_next(const Map *m, MapEntry *after);

/* Integers as values and keys. */
static inline void *map_int(intptr_t i) { return (void *)i; }
static inline intptr_t map_get_int(const Map *m, const void *key) {
  return (intptr_t)map_get(m, key);
}

#endif
