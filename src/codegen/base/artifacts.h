/* artifacts.h -- what every generator is given, and the list of files that it adds to. */
#ifndef PYPTOC_CODEGEN_BASE_ARTIFACTS_H
#define PYPTOC_CODEGEN_BASE_ARTIFACTS_H

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

/* A new empty file in the list, to be filled. */
Buf *artifact_add(ArtifactList *list, const char *path);
void artifacts_free(ArtifactList *list);

#endif
