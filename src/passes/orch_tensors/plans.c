/* plans.c -- which kernels get a narrow copy, and of what. */
#include "passes/orch_tensors/windows.h"

static bool is_output(const Function *f, int i) {
  return f->dirs[i] == PARAM_OUT || f->dirs[i] == PARAM_INOUT;
}

/* Does one store write all of each output, or is `looped` (a plan's outputs) the same of loops? */
static bool writes_wholes(WindowPass *w, const WindowPlan *plan) {
  const Function *f = plan->kernel;
  bool stored = true;
  size_t outputs = 0, looped = 0;
  for (int i = 0; i < f->nparams; i++) {
    OutWindow o;
    if (!is_output(f, i)) continue;
    outputs++;
    stored = stored && f->params[i]->type->kind == TYPE_TENSOR && find_stored_window(w, f, i, &o) &&
             o.whole;
  }
  for (size_t k = 0; k < plan->outs.len; k++)
    looped +=
        window_is_whole(&plan->outs.data[k].pieces[0], f->params[plan->outs.data[k].param]->type);
  return stored || looped == outputs;
}

/* Outputs that one store narrows; false if there are none. */
static bool plan_stores(WindowPass *w, WindowPlan *plan) {
  const Function *f = plan->kernel;
  for (int i = 0; i < f->nparams; i++) {
    OutWindow o;
    if (is_output(f, i) && f->params[i]->type->kind == TYPE_TENSOR &&
        find_stored_window(w, f, i, &o) && !o.whole && caller_can_compute_window(f, &o.pieces[0]))
      vec_push(&plan->outs, o);
  }
  return plan->outs.len;
}

/* Keeps outputs that the loop narrows, with the inputs it sweeps; else only inputs, if nothing else can be. */
static void plan_loop(WindowPass *w, WindowPlan *plan) {
  find_looped_windows(w, plan);
  bool wholes = writes_wholes(w, plan);
  size_t kept = 0;
  for (size_t k = 0; k < plan->outs.len; k++)
    if (!plan->outs.data[k].whole) plan->outs.data[kept++] = plan->outs.data[k];
  plan->outs.len = kept;
  if (kept) {
    find_swept_windows(w, plan);
    return;
  }
  plan->loop = -1;
  if (!wholes) vec_clear(&plan->ins);
}

/* A constant extent at a constant offset may reach beyond an extent that is not known here. */
static bool fits_dynamic(const Type *tensor, const Window *win) {
  for (int i = 0; i < tensor->rank; i++)
    if (tensor->shape[i]->kind != EXPR_INT && win->at[i]->kind == EXPR_INT &&
        win->shape[i]->kind == EXPR_INT)
      return false;
  return true;
}

/* Drops what has no type. */
static void keep_typed(WindowPass *w, WindowPlan *plan) {
  size_t kept = 0;
  for (size_t k = 0; k < plan->outs.len; k++) {
    const OutWindow *o = &plan->outs.data[k];
    const Type *t = plan->kernel->params[o->param]->type;
    if (window_type(w->ir, t, &o->pieces[0], true) && fits_dynamic(t, &o->pieces[0]))
      plan->outs.data[kept++] = *o;
  }
  plan->outs.len = kept;
  kept = 0;
  for (size_t k = 0; k < plan->ins.len; k++)
    if (window_type(w->ir, plan->kernel->params[plan->ins.data[k].param]->type,
                    &plan->ins.data[k].window, false))
      plan->ins.data[kept++] = plan->ins.data[k];
  plan->ins.len = kept;
}

void plan_windows(WindowPass *w) {
  Name windowize = key_name(KEY_WINDOWIZE);
  for (int i = 0; i < w->program->nfuncs; i++) {
    const Function *f = w->program->funcs[i];
    if (!func_is_incore(f->type) || !attr_bool(f->attrs, windowize, false)) continue;
    WindowPlan *plan = NEW(w->ir->arena, WindowPlan);
    *plan = (WindowPlan){.kernel = f, .loop = -1};
    find_read_windows(w, plan);
    if (!plan_stores(w, plan)) plan_loop(w, plan);
    keep_typed(w, plan);
    if (plan->outs.len + plan->ins.len) {
      map_set(&w->plans, f->name, plan);
      continue;
    }
    vec_free(&plan->outs);
    vec_free(&plan->ins);
  }
}
