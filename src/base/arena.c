#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, madvise */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Under AddressSanitizer a poisoned gap follows each piece: who reads past its end is found. */
#if defined(__SANITIZE_ADDRESS__)
#define GUARDED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GUARDED
#endif
#endif
#ifdef GUARDED
#include <sanitizer/asan_interface.h>
enum { GAP = 16 };
#else
enum { GAP = 0 };
#define ASAN_POISON_MEMORY_REGION(addr, size) ((void)(addr), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(addr, size) ((void)(addr), (void)(size))
#endif

/* Blocks of a huge page and more are mapped at its boundary: a fault for each of 512 small pages costs
 * more than all that the compiler does with them. */
enum { ALIGN = 8, FIRST_BLOCK = 64 * 1024, HUGE_PAGE = 2 * 1024 * 1024, MAX_BLOCK = 2 * HUGE_PAGE };

struct ArenaBlock {
  ArenaBlock *older;
  size_t size; /* in bytes, this header included */
  _Alignas(8) char data[];
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

static void free_block(ArenaBlock *b) {
  ASAN_UNPOISON_MEMORY_REGION(b, b->size);
  if (b->size >= HUGE_PAGE)
    munmap(b, b->size);
  else
    free(b);
}

static void free_blocks(ArenaBlock *b) {
  for (ArenaBlock *older; b; b = older) {
    older = b->older;
    free_block(b);
  }
}

void arena_free(Arena *a) {
  free_blocks(a->blocks);
  free_blocks(a->spare);
  arena_init(a);
}

static void keep_large(Arena *a, ArenaBlock *b) {
  for (ArenaBlock *older; b; b = older) {
    older = b->older;
    if (b->size == MAX_BLOCK) {
      b->older = a->spare;
      a->spare = b;
      ASAN_POISON_MEMORY_REGION(b->data, b->size - sizeof *b);
    } else {
      free_block(b);
    }
  }
}

void arena_recycle(Arena *to, Arena *from) {
  keep_large(to, from->blocks);
  keep_large(to, from->spare);
  arena_init(from);
}

/* `size` bytes of zeroed huge pages; what is mapped beyond the boundaries on either side is given back. */
static ArenaBlock *map_block(size_t size) {
  char *p =
      mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) return NULL;
  size_t before = (HUGE_PAGE - (uintptr_t)p % HUGE_PAGE) % HUGE_PAGE;
  if (before) munmap(p, before);
  munmap(p + before + size, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
  madvise(p + before, size, MADV_HUGEPAGE); /* a refusal costs only time */
#endif
  return (ArenaBlock *)(p + before);
}

static ArenaBlock *spare_block(Arena *a) {
  ArenaBlock *b = a->spare;
  if (!b) return NULL;
  a->spare = b->older;
  ASAN_UNPOISON_MEMORY_REGION(b, b->size);
  return b;
}

/* Zeroed once here: fresh pages cost nothing to zero. */
static ArenaBlock *zeroed_block(Arena *a, size_t size) {
  if (size < HUGE_PAGE) return calloc(1, size);
  ArenaBlock *b = size == MAX_BLOCK ? spare_block(a) : NULL;
  return b ? memset(b, 0, size) : map_block(size);
}

void *arena_block(Arena *a, size_t *size) {
  ArenaBlock *b = spare_block(a);
  if (!b && !(b = map_block(MAX_BLOCK))) out_of_memory();
  b->size = MAX_BLOCK;
  /* below the newest one, which goes on being filled */
  ArenaBlock **at = a->blocks ? &a->blocks->older : &a->blocks;
  b->older = *at;
  *at = b;
  *size = b->size - sizeof *b;
  return b->data;
}

/* Blocks double up to MAX_BLOCK, so small programs stay small and large ones need few calls. */
static void grow(Arena *a, size_t size) {
  size_t want = a->blocks ? a->blocks->size * 2 : FIRST_BLOCK;
  if (want > MAX_BLOCK) want = MAX_BLOCK;
  size_t least = sizeof(ArenaBlock) + size;
  if (least < size || least > SIZE_MAX - 2 * HUGE_PAGE) out_of_memory();
  if (want < least) want = least;
  if (want >= HUGE_PAGE) want = (want + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  ArenaBlock *b = zeroed_block(a, want);
  if (!b) out_of_memory();
  b->older = a->blocks;
  b->size = want;
  a->blocks = b;
  a->next = b->data;
  a->end = (char *)b + want;
  ASAN_POISON_MEMORY_REGION(b->data, want - sizeof *b);
}

void *arena_alloc(Arena *a, size_t size) {
  size_t asked = size;
  if (size > SIZE_MAX - ALIGN - GAP) size = SIZE_MAX - ALIGN - GAP;
  size = ((size + ALIGN - 1) & ~(size_t)(ALIGN - 1)) + GAP;
  if ((size_t)(a->end - a->next) < size) grow(a, size);
  void *p = a->next;
  a->next += size;
  a->used += size;
  ASAN_UNPOISON_MEMORY_REGION(p, asked);
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
  char small[256];
  va_list again;
  va_copy(again, ap);
  size_t n = (size_t)vsnprintf(small, sizeof small, fmt, ap);
  char *p = arena_alloc(a, n + 1);
  if (n < sizeof small)
    memcpy(p, small, n);
  else
    vsnprintf(p, n + 1, fmt, again);
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
