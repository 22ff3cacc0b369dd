/* target.h -- what a chip can do.  One table per chip; passes and code generation ask, never test names. */
#ifndef PYPTOC_TARGET_TARGET_H
#define PYPTOC_TARGET_TARGET_H

#include "ir/dtype.h"
#include "ir/enums.h"

typedef struct TargetSpace {
  int64_t capacity;  /* bytes on one core; 0: the chip has no such space */
  int64_t alignment; /* bytes */
} TargetSpace;

typedef struct Target {
  const char *name;        /* "ascend910b" */
  const char *alias;       /* "a2a3" */
  const char *pto_arch;    /* as ptoas knows it */
  TargetSpace spaces[MEM_COUNT];
  int vector_cores_per_cube;
} Target;

/* By name or alias; NULL if unknown. */
const Target *target_by_name(const char *name);
/* All targets, ended by NULL. */
extern const Target *const targets[];

#endif
