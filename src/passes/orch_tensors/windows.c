#include "passes/orch_tensors/windows.h"

#include "passes/orch_tensors/orch_tensors.h"

static void build_copies(WindowPass *w) {
  for (MapEntry *m = NULL; (m = map_next(&w->plans, m));) {
    WindowPlan *plan = m->value;
    plan->narrow = narrow_kernel(w, plan);
  }
}

/* The functions, and behind them the copies that are used. */
static Program *with_copies(WindowPass *w, Function *const *funcs) {
  const Program *p = w->program;
  Function **all = NEW_ARRAY(w->ir->arena, Function *, p->nfuncs + (int)w->plans.count);
  int n = 0;
  for (int i = 0; i < p->nfuncs; i++) all[n++] = funcs[i];
  for (MapEntry *m = NULL; (m = map_next(&w->plans, m));) {
    const WindowPlan *plan = m->value;
    if (plan->used) all[n++] = plan->narrow;
  }
  Program *q = program_new(w->ir, p->name, all, n, p->span);
  q->lone_function = p->lone_function;
  return q;
}

Program *narrow_to_windows(Ir *ir, Program *p) {
  WindowPass w = {.ir = ir, .program = p, .an = analyzer_new(ir)};
  Program *q = p;
  plan_windows(&w);
  if (w.plans.count) {
    Function **funcs = COPY_ARRAY(ir->arena, Function *, p->funcs, p->nfuncs);
    bool changed = false;
    build_copies(&w);
    for (int i = 0; i < p->nfuncs; i++) {
      if (funcs[i]->type == FUNC_ORCHESTRATION) funcs[i] = narrow_calls(&w, funcs[i]);
      changed |= funcs[i] != p->funcs[i];
    }
    if (changed) q = with_copies(&w, funcs);
  }
  for (MapEntry *m = NULL; (m = map_next(&w.plans, m));) {
    WindowPlan *plan = m->value;
    vec_free(&plan->outs);
    vec_free(&plan->ins);
  }
  map_free(&w.plans);
  analyzer_free(w.an);
  return q;
}
