/* No tile is overwritten while its value is still needed, and every tile fits its space; see plan_watch.h. */
#include "passes/memory/plan_watch.h"
#include "passes/pass.h"

bool verify_memory_plan(PassCtx *ctx, const Program *p) {
  bool ok = true;
  if (ctx->opts->planner == PLANNER_PTOAS) return true; /* no addresses yet */
  for (int i = 0; i < p->nfuncs; i++)
    if (func_is_incore(p->funcs[i]->type)) ok = plan_is_safe(ctx, p->funcs[i], true) && ok;
  return ok;
}
