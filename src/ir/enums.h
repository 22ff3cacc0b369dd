/* enums.h -- the language's enumerations, made from enums.def. */
#ifndef PYPTOC_IR_ENUMS_H
#define PYPTOC_IR_ENUMS_H

#include <stdbool.h>

#define ENUM(Type, PREFIX, written) typedef enum Type {
#define VALUE(PREFIX, id, name) PREFIX##_##id,
#define END_ENUM(Type, PREFIX) \
  PREFIX##_COUNT               \
  }                            \
  Type;
#include "ir/enums.def"
#undef ENUM
#undef VALUE
#undef END_ENUM

/* Which enumeration: ENUM_MEM, ENUM_PAD, ... */
typedef enum EnumId {
#define ENUM(Type, PREFIX, written) ENUM_##PREFIX,
#define VALUE(PREFIX, id, name)
#define END_ENUM(Type, PREFIX)
#include "ir/enums.def"
#undef ENUM
#undef VALUE
#undef END_ENUM
  ENUM_COUNT
} EnumId;

/* "Mem" for ENUM_MEM: what stands between `pl.` and the value's name. */
const char *enum_written(EnumId e);
/* "Vec" for (ENUM_MEM, MEM_VEC). */
const char *enum_name(EnumId e, int value);
int enum_count(EnumId e);
/* The value so named, or -1. */
int enum_value(EnumId e, const char *name);
/* The enumeration written so after `pl.`, or -1; knows "Mem" and "MemorySpace" alike. */
int enum_by_written(const char *written);

static inline const char *mem_name(MemSpace m) { return enum_name(ENUM_MEM, m); }

static inline bool func_is_incore(FuncType t) {
  return t == FUNC_INCORE || t == FUNC_AIC || t == FUNC_AIV;
}
/* Functions whose body orchestrates tasks; only FUNC_ORCHESTRATION is an entry. */
static inline bool func_is_orchestration(FuncType t) {
  return t == FUNC_ORCHESTRATION || t == FUNC_GRAPH;
}
static inline bool func_is_wrapper(FuncType t) { return t == FUNC_GROUP || t == FUNC_SPMD; }

#endif
