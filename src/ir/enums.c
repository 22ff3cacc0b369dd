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

/* Other names of the levels of a machine. */
static int level_alias(const char *name) {
  static const struct {
    const char *name;
    Level level;
  } aliases[] = {{"L2CACHE", LEVEL_CHIP_DIE}, {"PROCESSOR", LEVEL_CHIP}, {"UMA", LEVEL_CHIP},
                 {"NODE", LEVEL_HOST},        {"POD", LEVEL_CLUSTER_0},  {"CLOS1", LEVEL_CLUSTER_1},
                 {"CLOS2", LEVEL_CLUSTER_2}};
  for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
    if (strcmp(aliases[i].name, name) == 0) return aliases[i].level;
  return -1;
}

int enum_value(EnumId e, const char *name) {
  for (int i = 0; i < table[e].count; i++)
    if (table[e].names[i][0] && strcmp(table[e].names[i], name) == 0) return i;
  return e == ENUM_LEVEL ? level_alias(name) : -1;
}

int enum_by_written(const char *written) {
  if (strcmp(written, "MemorySpace") == 0) return ENUM_MEM;
  for (int e = 0; e < ENUM_COUNT; e++)
    if (strcmp(table[e].written, written) == 0) return e;
  return -1;
}
