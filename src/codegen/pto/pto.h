/* pto.h -- the kernels of a program as text in the PTO dialect. */
#ifndef PYPTOC_CODEGEN_PTO_PTO_H
#define PYPTOC_CODEGEN_PTO_PTO_H

#include "codegen/base/artifacts.h"

/* Adds every .pto of the program.  False after reporting errors; nothing half-made is added then. */
bool codegen_pto(CodegenCtx *ctx, const Program *p, ArtifactList *out);

#endif
