/* graph.h -- the task graph of an orchestration, to be looked at: docs/codegen-graph.md. */
#ifndef PYPTOC_CODEGEN_ORCH_GRAPH_H
#define PYPTOC_CODEGEN_ORCH_GRAPH_H

#include "base/buf.h"
#include "base/vec.h"
#include "codegen/base/artifacts.h"

typedef struct GraphTensor {
  Name name;
  bool param;
} GraphTensor;

typedef struct GraphUse {
  int tensor;
  ArgDir dir;
} GraphUse;

typedef struct GraphTask {
  Name kernel;       /* NULL: a barrier */
  const char *loops; /* "i x4, j parallel", or "" */
  Span span;
  VEC(GraphUse) uses;
} GraphTask;

typedef enum EdgeKind {
  EDGE_TRACKED, /* by the directions of a tensor's uses */
  EDGE_WRITTEN, /* in deps=[...] */
  EDGE_DERIVED, /* added by a pass */
} EdgeKind;

/* Task `to` waits for task `from`. */
typedef struct GraphEdge {
  int from, to;
  EdgeKind kind;
  bool again; /* in a later iteration of a loop */
  int tensor; /* whose use makes it; -1 if it is not tracked */
} GraphEdge;

typedef struct TaskGraph {
  Name name;
  VEC(GraphTensor) tensors;
  VEC(GraphTask) tasks;
  VEC(GraphEdge) edges;
} TaskGraph;

void graph_build(TaskGraph *g, Ir *ir, const Program *p, const Function *orchestration);
void graph_free(TaskGraph *g);
void graph_dot(Buf *out, const TaskGraph *g);
void graph_svg(Buf *out, const TaskGraph *g);

/* The graphs of all orchestrations, as `.dot` or `.svg`; false after an error. */
bool codegen_graph(CodegenCtx *ctx, const Program *p, bool svg, Buf *out);

#endif
