#include "base/name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t hash_bytes(const void *p, size_t len) {
  const unsigned char *s = p;
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < len; i++) h = (h ^ s[i]) * 0x100000001b3u;
  return h;
}

void names_init(NameTable *t, Arena *arena) { *t = (NameTable){.arena = arena}; }

void names_free(NameTable *t) { intern_free(&t->texts); }

/* Names that follow each other in a program differ in a digit, as t10, t11, t12 and what passes make of them; their
 * slots shall, too, follow each other: the digit makes up the last bits, all else the others. */
static uint64_t hash_name(const char *s, size_t len) {
  enum { DIGIT = 16 };
  size_t at = 0;
  while (at < len && (s[at] < '0' || s[at] > '9')) at++;
  while (at + 1 < len && s[at + 1] >= '0' && s[at + 1] <= '9') at++;
  if (at >= len) return hash_bytes(s, len);
  uint64_t h = hash_mix(hash_bytes(s, at), hash_bytes(s + at + 1, len - at - 1));
  h ^= h >> 32;
  return (h & 0xffffffff) / DIGIT * DIGIT + (uint64_t)(s[at] - '0');
}

Name name_ofn(NameTable *t, const char *s, size_t len) {
  InternProbe p = intern_begin(&t->texts, hash_name(s, len));
  for (Name n; (n = intern_next(&t->texts, &p));)
    if (strncmp(n, s, len) == 0 && n[len] == '\0') return n;
  return intern_add(&t->texts, p, arena_strndup(t->arena, s, len));
}

Name name_of(NameTable *t, const char *s) { return name_ofn(t, s, strlen(s)); }

void name_enter(NameTable *t, const char *s) {
  size_t len = strlen(s);
  InternProbe p = intern_begin(&t->texts, hash_name(s, len));
  while (intern_next(&t->texts, &p)) continue;
  intern_add(&t->texts, p, s);
}

Name name_printf(NameTable *t, const char *fmt, ...) {
  char small[256];
  va_list ap, again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int n = vsnprintf(small, sizeof small, fmt, ap);
  Name name;
  if ((size_t)n < sizeof small) {
    name = name_ofn(t, small, (size_t)n);
  } else {
    char *big = xmalloc((size_t)n + 1);
    vsnprintf(big, (size_t)n + 1, fmt, again);
    name = name_ofn(t, big, (size_t)n);
    free(big);
  }
  va_end(again);
  va_end(ap);
  return name;
}
