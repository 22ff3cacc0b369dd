#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 16, FIRST_BLOCK = 64 * 1024, MAX_BLOCK = 4 * 1024 * 1024 };

struct ArenaBlock {
  ArenaBlock *older;
  size_t size;
  _Alignas(16) char data[];
};

void *xmalloc(size_t size) { return xrealloc(NULL, size); }

static _Noreturn void out_of_memory(void) {
  fputs("pyptoc: out of memory\n", stderr);
  exit(70);
}

void *xrealloc(void *p, size_t size) {
  void *q = realloc(p, size ? size : 1);
  if (!q) out_of_memory();
  return q;
}

void arena_init(Arena *a) { memset(a, 0, sizeof *a); }

void arena_free(Arena *a) {
  for (ArenaBlock *b = a->blocks, *older; b; b = older) {
    older = b->older;
    free(b);
  }
  arena_init(a);
}

/* Blocks double up to MAX_BLOCK, so small programs stay small and large ones need few calls. */
static void grow(Arena *a, size_t size) {
  size_t want = a->blocks ? a->blocks->size * 2 : FIRST_BLOCK;
  if (want > MAX_BLOCK) want = MAX_BLOCK;
  if (want < size) want = size;
  /* Zeroed once here: large blocks come as fresh pages, which cost nothing to zero. */
  ArenaBlock *b = calloc(1, sizeof *b + want);
  if (!b) out_of_memory();
  b->older = a->blocks;
  b->size = want;
  a->blocks = b;
  a->next = b->data;
  a->end = b->data + want;
}

void *arena_alloc(Arena *a, size_t size) {
  if (size > SIZE_MAX - ALIGN) size = SIZE_MAX - ALIGN;
  size = (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
  if ((size_t)(a->end - a->next) < size) grow(a, size);
  void *p = a->next;
  a->next += size;
  a->used += size;
  return p;
}

void *arena_copy(Arena *a, const void *src, size_t size) {
  void *p = arena_alloc(a, size);
  if (size) memcpy(p, src, size);
  return p;
}

char *arena_strndup(Arena *a, const char *s, size_t len) {
  char *p = arena_alloc(a, len + 1);
  if (len) memcpy(p, s, len);
  return p;
}

char *arena_vprintf(Arena *a, const char *fmt, va_list ap) {
  va_list again;
  va_copy(again, ap);
  int n = vsnprintf(NULL, 0, fmt, ap);
  char *p = arena_alloc(a, (size_t)n + 1);
  vsnprintf(p, (size_t)n + 1, fmt, again);
  va_end(again);
  return p;
}

char *arena_printf(Arena *a, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  char *p = arena_vprintf(a, fmt, ap);
  va_end(ap);
  return p;
}
