/* codegen.h -- from a program after the last pass to the files that others read. */
#ifndef PYPTOC_CODEGEN_CODEGEN_H
#define PYPTOC_CODEGEN_CODEGEN_H

#include "codegen/base/artifacts.h"
#include "codegen/orch/graph.h"
#include "codegen/pto/pto.h"

/* Adds orchestration C++ and kernel_config.py, for chips and for the host. */
bool codegen_orchestration(CodegenCtx *ctx, const Program *p, ArtifactList *out);

#endif
