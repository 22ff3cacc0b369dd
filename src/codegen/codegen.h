/* codegen.h -- from a program after the last pass to the files that others read. */
#ifndef PYPTOC_CODEGEN_CODEGEN_H
#define PYPTOC_CODEGEN_CODEGEN_H

#include "base/buf.h"
#include "base/vec.h"
#include "ir/ir.h"
#include "target/options.h"

/* One file to be written, its path relative to the output directory ("kernels/aiv/NAME.pto"). */
typedef struct Artifact {
  const char *path;
  Buf text;
} Artifact;

typedef VEC(Artifact) ArtifactList;

typedef struct CodegenCtx {
  Ir *ir;
  const CompileOptions *opts;
  const char *source_path; /* as it stands in loc(...) */
} CodegenCtx;

/* Adds every .pto of the program.  False after reporting errors; nothing half-made is added then. */
bool codegen_pto(CodegenCtx *ctx, const Program *p, ArtifactList *out);
/* Adds orchestration C++ and kernel_config.py. */
bool codegen_orchestration(CodegenCtx *ctx, const Program *p, ArtifactList *out);

/* A new empty file in the list, to be filled. */
Buf *artifact_add(ArtifactList *list, const char *path);
void artifacts_free(ArtifactList *list);

#endif
