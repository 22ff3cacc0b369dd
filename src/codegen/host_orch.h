/* host_orch.h -- the Python that drives the chips of a distributed program; docs/codegen-host.md.
 */
#ifndef PYPTOC_CODEGEN_HOST_ORCH_H
#define PYPTOC_CODEGEN_HOST_ORCH_H

#include "codegen/codegen.h"

/* Adds orchestration/host_orch.py and the sub-workers of a program with host functions. */
bool codegen_host(CodegenCtx *ctx, const Program *p, ArtifactList *out);

#endif
