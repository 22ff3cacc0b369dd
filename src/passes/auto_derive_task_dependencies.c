/* AutoDeriveTaskDependencies: explicit edges instead of tracking.
 * docs/passes/auto-derive-task-dependencies.md */
#include "passes/pass.h"

Program *auto_derive_task_dependencies(PassCtx *ctx, Program *p) {
  if (!ctx->opts->analyze_auto_scopes) return p;
  diag_error(ctx->ir->diag, p->span,
             "dependencies cannot be derived from directions yet; leave out --analyze-auto-scopes");
  return NULL;
}
