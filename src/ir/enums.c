#include "ir/enums.h"

#include <stddef.h>
#include <string.h>

#define ENUM(Type, PREFIX, written) static const char *const names_##PREFIX[] = {
#define VALUE(PREFIX, id, name) name,
#define END_ENUM(Type, PREFIX) \
  }                            \
  ;
#include "ir/enums.def"
#undef ENUM
#undef VALUE
#undef END_ENUM

static const struct {
  const char *written;
  const char *const *names;
  int count;
} table[ENUM_COUNT] = {
#define ENUM(Type, PREFIX, written) [ENUM_##PREFIX] = {written, names_##PREFIX, PREFIX##_COUNT},
#define VALUE(PREFIX, id, name)
#define END_ENUM(Type, PREFIX)
#include "ir/enums.def"
#undef ENUM
#undef VALUE
#undef END_ENUM
};

const char *enum_written(EnumId e) { return table[e].written; }
int enum_count(EnumId e) { return table[e].count; }

const char *enum_name(EnumId e, int value) {
  return value >= 0 && value < table[e].count ? table[e].names[value] : "?";
}

int enum_value(EnumId e, const char *name) {
  for (int i = 0; i < table[e].count; i++)
    if (table[e].names[i][0] && strcmp(table[e].names[i], name) == 0) return i;
  return -1;
}

int enum_by_written(const char *written) {
  if (strcmp(written, "MemorySpace") == 0) return ENUM_MEM;
  for (int e = 0; e < ENUM_COUNT; e++)
    if (strcmp(table[e].written, written) == 0) return e;
  return -1;
}
