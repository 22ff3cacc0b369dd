/* memory_plan.h -- where the tiles of on-chip functions lie, and when, as people are shown it. */
#ifndef PYPTOC_DRIVER_MEMORY_PLAN_H
#define PYPTOC_DRIVER_MEMORY_PLAN_H

#include "base/buf.h"
#include "base/vec.h"
#include "passes/pass.h"

typedef struct PlannedTile {
  const Expr *var;
  Name name;           /* as the user calls it */
  const char *type;    /* "[16, 64] FP32" */
  uint64_t begin, end; /* bytes in the space */
  int from, to;        /* rows: where it is defined, where it is needed last */
  int value;           /* tiles that the program itself puts into one memory have the same number */
  Name source; /* what it is a view of, or another name for; NULL: it has been filled itself */
  bool view, unread;
  bool overlaps; /* with a tile of another value that is needed at the same time */
} PlannedTile;

typedef struct PlannedSpace {
  MemSpace space;
  uint64_t capacity;      /* bytes; 0: not limited */
  uint64_t reserved;      /* bytes at the bottom, by system.reserve_buffer */
  uint64_t high;          /* the high-water mark: bytes used, reserved ones included */
  VEC(PlannedTile) tiles; /* by address, then by time */
} PlannedSpace;

typedef struct PlannedFunc {
  const Function *func;
  VEC(PlannedSpace) spaces; /* those with tiles */
  VEC(Span) rows;           /* the statements, in program order */
} PlannedFunc;

typedef struct MemoryPlan {
  Ir *ir;
  const CompileOptions *opts;
  VEC(PlannedFunc) funcs;
} MemoryPlan;

/* Reads the plan from a program whose tiles have addresses. */
void memory_plan_init(MemoryPlan *m, PassCtx *ctx, const Program *p);
void memory_plan_free(MemoryPlan *m);

/* The plan as a table of text. */
void memory_report(Buf *out, const MemoryPlan *m);
/* As pictures: addresses across, time down. */
void memory_map_svg(Buf *out, const MemoryPlan *m);
void memory_map_html(Buf *out, const MemoryPlan *m);

#endif
