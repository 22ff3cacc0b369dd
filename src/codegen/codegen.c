/* The files of a program's orchestrations. */
#include "codegen/codegen.h"

#include "codegen/base/builds.h"
#include "codegen/host/host.h"
#include "codegen/orch/result.h"

static bool all_external(Ir *ir, const OrchResult *r) {
  for (size_t i = 0; i < r->kernels.len; i++)
    if (!kernel_external_source(ir, r->kernels.data[i].func)) return false;
  return true;
}

static bool add_orchestration(CodegenCtx *ctx, const Build *b, ArtifactList *out) {
  OrchResult r = {0};
  bool ok = orch_generate(ctx, b->program, b->orchestration, &r);
  if (ok) {
    Arena *a = ctx->ir->arena;
    Buf *file = artifact_add(
        out, arena_printf(a, "%sorchestration/%s.cpp", b->prefix, b->orchestration->name));
    buf_write(file, buf_str(&r.code), r.code.len);
    /* Kernels that are still to be translated are configured by whoever translates them. */
    if (all_external(ctx->ir, &r))
      kernel_config(artifact_add(out, arena_printf(a, "%skernel_config.py", b->prefix)), ctx,
                    b->program, b->orchestration, &r);
  }
  orch_result_free(&r);
  return ok;
}

bool codegen_orchestration(CodegenCtx *ctx, const Program *p, ArtifactList *out) {
  BuildList builds = {0};
  bool ok = !program_is_distributed(p) || codegen_host(ctx, p, out);
  builds_of(ctx->ir, (Program *)p, &builds);
  for (size_t i = 0; i < builds.len; i++)
    if (builds.data[i].orchestration) ok = add_orchestration(ctx, &builds.data[i], out) && ok;
  vec_free(&builds);
  return ok;
}
