/* host.h -- the Python that drives the chips of a distributed program; docs/codegen-host.md. */
#ifndef PYPTOC_CODEGEN_HOST_HOST_H
#define PYPTOC_CODEGEN_HOST_HOST_H

#include "codegen/base/artifacts.h"

/* Adds orchestration/host_orch.py and the sub-workers of a program with host functions. */
bool codegen_host(CodegenCtx *ctx, const Program *p, ArtifactList *out);

#endif
