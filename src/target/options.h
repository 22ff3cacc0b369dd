/* options.h -- what a program is compiled for; shared by passes and code generation. */
#ifndef PYPTOC_TARGET_OPTIONS_H
#define PYPTOC_TARGET_OPTIONS_H

#include <stdbool.h>

#include "target/target.h"

typedef enum { PLANNER_PYPTO, PLANNER_DSA_RP, PLANNER_PTOAS } MemoryPlanner;
typedef enum { RUNTIME_TENSORMAP, RUNTIME_HOST_GRAPH } RuntimeKind;

typedef struct CompileOptions {
  const Target *target;
  bool
      target_chosen; /* by --target, or because the whole pipeline runs; otherwise operators of any chip will do */
  MemoryPlanner planner;
  RuntimeKind runtime;
  bool l0c_double_buffer;
  bool analyze_auto_scopes;
  bool locations; /* loc("file":line:col) in .pto; off with --no-loc */
} CompileOptions;

#endif
