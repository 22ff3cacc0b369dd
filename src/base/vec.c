#include "base/vec.h"

void *vec_grow(void *data, size_t *cap, size_t elem_size) {
  *cap = *cap ? *cap * 2 : 8;
  return xrealloc(data, *cap * elem_size);
}

void *vec_move(Arena *a, void **data, size_t *len, size_t *cap, size_t elem_size) {
  void *p = arena_copy(a, *data, *len * elem_size);
  free(*data);
  *data = NULL;
  *len = *cap = 0;
  return p;
}
