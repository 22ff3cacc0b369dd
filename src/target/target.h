/* target.h -- what a chip can do.  One table per chip; passes and code generation ask, never test names. */
#ifndef PYPTOC_TARGET_TARGET_H
#define PYPTOC_TARGET_TARGET_H

#include <stdint.h>

#include "ir/dtype.h"
#include "ir/enums.h"

typedef struct TargetSpace {
  int64_t capacity;  /* bytes that tiles may use on one core; 0: not limited, or no such space */
  int64_t alignment; /* bytes, of a buffer's address */
  uint32_t reaches;  /* bit 1 << MEM_X: data moves from here to X directly */
} TargetSpace;

typedef struct Target {
  const char *name;        /* "ascend910b" */
  const char *alias;       /* "a2a3" */
  const char *pto_arch;    /* as ptoas knows it */
  TargetSpace spaces[MEM_COUNT];
  int vector_cores_per_cube;
  int acc_rows;            /* accumulators are stored in groups of so many rows ... */
  int acc_rows_int32;      /* ... and of so many with INT32 elements */
  bool load_pop_hazard;    /* a split vector function may not write over a loaded tile while popping */
  bool prelu_reads_tmp;    /* tile.prelu reads its third argument */
} Target;

/* Rows to which an accumulator of that element type is rounded up. */
static inline int target_acc_rows(const Target *t, DType dtype) {
  return dtype == DT_INT32 ? t->acc_rows_int32 : t->acc_rows;
}

/* By name or alias; NULL if unknown. */
const Target *target_by_name(const char *name);
/* All targets, ended by NULL. */
extern const Target *const targets[];

#endif
