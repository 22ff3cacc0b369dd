/* result.h -- what generating an orchestration gives besides its text; kernel_config.py is
 * made of it. */
#ifndef PYPTOC_CODEGEN_ORCH_RESULT_H
#define PYPTOC_CODEGEN_ORCH_RESULT_H

#include "base/buf.h"
#include "base/vec.h"
#include "codegen/base/artifacts.h"

/* One kernel, in order of its id. */
typedef struct OrchKernel {
  const Function *func;
  bool cube;
  bool has_signature;
  const char **signature; /* "IN", "OUT", "INOUT" of its tensors */
  int nsignature;
} OrchKernel;

typedef struct OrchResult {
  Buf code;
  VEC(OrchKernel) kernels;
  const char **signature; /* of the orchestration's tensor parameters */
  int nsignature;
} OrchResult;

/* The C++ of orchestration `f`; false after errors. */
bool orch_generate(CodegenCtx *ctx, const Program *p, const Function *f, OrchResult *out);
void orch_result_free(OrchResult *r);

/* kernel_config.py for that orchestration.  `p` has the functions of this build only. */
void kernel_config(Buf *out, CodegenCtx *ctx, const Program *p, const Function *f,
                   const OrchResult *r);
/* The path that an external kernel's source is at, or NULL for one that is translated. */
const char *kernel_external_source(Ir *ir, const Function *f);

#endif
