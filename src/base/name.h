/* name.h -- interned strings.  Two names are the same text exactly when they are the same pointer. */
#ifndef PYPTOC_BASE_NAME_H
#define PYPTOC_BASE_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/intern.h"

/* A NUL-terminated interned string: compare with ==, print with %s. */
typedef const char *Name;

typedef struct NameTable {
  Arena *arena;
  InternSet texts;
} NameTable;

void names_init(NameTable *t, Arena *arena);
void names_free(NameTable *t);

Name name_of(NameTable *t, const char *s);
Name name_ofn(NameTable *t, const char *s, size_t len);
/* Makes the text itself the name, without a copy: it outlives the table, which has no name of that text yet. */
void name_enter(NameTable *t, const char *s);
Name name_printf(NameTable *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* FNV-1a over bytes, the hash used all over the compiler. */
uint64_t hash_bytes(const void *p, size_t len);
static inline uint64_t hash_mix(uint64_t h, uint64_t v) {
  h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdu ^ (h >> 29);
}

#endif
