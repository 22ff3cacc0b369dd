/* vec.h -- growing arrays.
 *
 *   VEC(int) v = {0};          a vector on the stack or in a struct
 *   vec_push(&v, 7);           v.data[i], v.len
 *   vec_free(&v);              or: int *a = vec_to_arena(&v, arena) moves it into an arena
 */
#ifndef PYPTOC_BASE_VEC_H
#define PYPTOC_BASE_VEC_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define VEC(T)       \
  struct {           \
    T *data;         \
    size_t len, cap; \
  }

/* Makes room for one more element; used by vec_push. */
void *vec_grow(void *data, size_t *cap, size_t elem_size);

/* The value is made first: making it may itself push to the vector. */
#define vec_push(v, ...)                                                                     \
  do {                                                                                       \
    __typeof__(*(v)->data) vec_value_ = (__VA_ARGS__);                                       \
    if ((v)->len == (v)->cap) (v)->data = vec_grow((v)->data, &(v)->cap, sizeof *(v)->data); \
    (v)->data[(v)->len++] = vec_value_;                                                      \
  } while (0)

#define vec_pop(v) ((v)->data[--(v)->len])
#define vec_last(v) ((v)->data[(v)->len - 1])
#define vec_clear(v) ((void)((v)->len = 0))
#define vec_free(v) (free((v)->data), (v)->data = NULL, (v)->len = (v)->cap = 0)
/* The elements as an arena array; the vector becomes empty and owns nothing any more. */
#define vec_to_arena(v, arena) \
  vec_move((arena), (void **)&(v)->data, &(v)->len, &(v)->cap, sizeof *(v)->data)
void *vec_move(Arena *a, void **data, size_t *len, size_t *cap, size_t elem_size);

/* qsort and bsearch for lists that may be empty, whose data is then NULL. */
static inline void sort_array(void *data, size_t n, size_t size,
                              int (*cmp)(const void *, const void *)) {
  if (n > 1) qsort(data, n, size, cmp);
}

static inline void *search_array(const void *key, const void *data, size_t n, size_t size,
                                 int (*cmp)(const void *, const void *)) {
  return n > 0 ? bsearch(key, data, n, size, cmp) : NULL;
}

#endif
