#include "base/name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Without the length: there are millions of names, and most questions are answered by the hash. */
typedef struct NameSlot {
  uint64_t hash;
  const char *text;
} NameSlot;

uint64_t hash_bytes(const void *p, size_t len) {
  const unsigned char *s = p;
  uint64_t h = 0xcbf29ce484222325u;
  for (size_t i = 0; i < len; i++) h = (h ^ s[i]) * 0x100000001b3u;
  return h;
}

void names_init(NameTable *t, Arena *arena) {
  *t = (NameTable){.arena = arena};
}

void names_free(NameTable *t) {
  free(t->slots);
  *t = (NameTable){0};
}

static NameSlot *find(NameSlot *slots, size_t cap, uint64_t hash, const char *s, size_t len) {
  size_t i = (size_t)hash & (cap - 1);
  while (slots[i].text &&
         (slots[i].hash != hash || strncmp(slots[i].text, s, len) != 0 || slots[i].text[len] != '\0'))
    i = (i + 1) & (cap - 1);
  return &slots[i];
}

static void grow(NameTable *t) {
  size_t cap = t->cap ? t->cap * 2 : 1024;
  NameSlot *slots = xmalloc(cap * sizeof *slots);
  memset(slots, 0, cap * sizeof *slots);
  for (size_t k = 0; k < t->cap; k++) {
    if (!t->slots[k].text) continue;
    size_t i = (size_t)t->slots[k].hash & (cap - 1);
    while (slots[i].text) i = (i + 1) & (cap - 1);
    slots[i] = t->slots[k];
  }
  free(t->slots);
  t->slots = slots;
  t->cap = cap;
}

Name name_ofn(NameTable *t, const char *s, size_t len) {
  if (t->count * 2 >= t->cap) grow(t);
  uint64_t hash = hash_bytes(s, len);
  NameSlot *slot = find(t->slots, t->cap, hash, s, len);
  if (!slot->text) {
    *slot = (NameSlot){hash, arena_strndup(t->arena, s, len)};
    t->count++;
  }
  return slot->text;
}

Name name_of(NameTable *t, const char *s) { return name_ofn(t, s, strlen(s)); }

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
