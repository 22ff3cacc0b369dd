/* MaterializeSemanticAliases: values carried round loops live in one place;
 * docs/passes/materialize-semantic-aliases.md. */
#include "ir/rewrite.h"
#include "passes/memory/memref.h"
#include "passes/memory/overfull.h"
#include "passes/memory/placing.h"
#include "passes/memory/plan_watch.h"
#include "passes/pass.h"

static Function *alias_func(void *context, Function *f) {
  PassCtx *ctx = context;
  if (f->type == FUNC_ORCHESTRATION) return f;
  Placing p;
  placing_init(&p, ctx->ir, ctx->opts->target);
  bool joins = func_joins_tiles(f), ok = true;
  if (joins) pull_carried(&p, f);
  /* These planners skip MemoryReuse, which would do the rest after its own moves. */
  if (ctx->opts->planner == PLANNER_DSA_RP) {
    if (joins) pull_accumulators(&p, f);
    ok = !joins || fix_yields(&p, f, true);
    follow_copies(&p, f);
  } else if (ctx->opts->planner == PLANNER_PTOAS) {
    ok = !joins || fix_yields(&p, f, false);
  }
  Function *g = ok ? placing_apply(&p, f) : NULL;
  placing_free(&p);
  /* ptoas places the tiles later, but what can't fit is better said now */
  if (!g || ctx->opts->planner != PLANNER_PTOAS || !func_is_incore(g->type)) return g;
  warn_overfull(ctx->ir, ctx->opts, g);
  return plan_is_safe(ctx, g, true)
             ? g
             : NULL; /* the other planners are watched once there are addresses */
}

Program *materialize_semantic_aliases(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, alias_func, ctx);
}
