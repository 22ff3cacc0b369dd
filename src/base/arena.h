/* arena.h -- memory that lives as long as one compilation.
 *
 * Every node, type, name and list of the compiler is allocated here and freed
 * at once, when the arena is.  Nothing in an arena is freed alone.
 */
#ifndef PYPTOC_BASE_ARENA_H
#define PYPTOC_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct ArenaBlock ArenaBlock;

typedef struct Arena {
  ArenaBlock *blocks; /* newest first */
  ArenaBlock *spare;  /* large ones to be used again, of any content */
  char *next, *end;   /* free bytes of the newest block */
  size_t used;        /* bytes handed out, for --time-passes and the benchmark */
} Arena;

void arena_init(Arena *a);
void arena_free(Arena *a);
/* Frees `from`, whose large blocks `to` takes for later: memory that the process has once touched costs less
 * than new memory. */
void arena_recycle(Arena *to, Arena *from);

/* Returns `size` zeroed bytes aligned to 8.  Never NULL: running out of memory ends the program. */
void *arena_alloc(Arena *a, size_t size);
/* Copies `size` bytes of `src` into the arena. */
void *arena_copy(Arena *a, const void *src, size_t size);
/* A NUL-terminated copy of the `len` bytes at `s`. */
char *arena_strndup(Arena *a, const char *s, size_t len);
/* printf into the arena. */
char *arena_printf(Arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *arena_vprintf(Arena *a, const char *fmt, va_list ap);

/* A large block of any content, for as long as the arena lives: one of those to be used again, if there is one. */
void *arena_block(Arena *a, size_t *size);

#define NEW(arena, T) ((T *)arena_alloc((arena), sizeof(T)))
#define NEW_ARRAY(arena, T, n) ((T *)arena_alloc((arena), sizeof(T) * (size_t)(n)))
#define COPY_ARRAY(arena, T, src, n) ((T *)arena_copy((arena), (src), sizeof(T) * (size_t)(n)))

/* malloc/realloc that end the program when memory runs out. */
void *xmalloc(size_t size);
void *xrealloc(void *p, size_t size);

#endif
