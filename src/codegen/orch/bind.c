/* What the results of a task are called: outputs are the arguments that the task wrote. */
#include "codegen/orch/orch.h"

static bool is_used(const Orch *o, const Expr *var) { return map_has(&o->used, var); }

/* Result `var` is argument `e`, whose buffer the task wrote. */
static void alias(Orch *o, const Expr *var, Name name, const Expr *e) {
  if (!expr_is_var(e)) return;
  Name bare = orch_name(o, e);
  if (bare == name) return;
  Name source = orch_tensor_name(o, bare);
  bool assigned_again = orch_is_mutable(o, name);
  if (!assigned_again && (!o->manual || orch_known_outside(o, bare))) {
    orch_rename(o, var, source);
  } else if (assigned_again) {
    orch_line(o, "%s = %s;", name, source);
  } else {
    orch_line(o, "const ChipTensor& %s = %s;", name, source);
  }
}

/* Parameters that a callee writes, in order; returns their number. */
static int written_params(Orch *o, const Function *f, int **out) {
  int n = 0;
  *out = NEW_ARRAY(o->ir->arena, int, f->nparams);
  for (int i = 0; i < f->nparams; i++)
    if (f->dirs[i] != PARAM_IN) (*out)[n++] = i;
  return n;
}

static void bind_single(Orch *o, const Expr *call, const Expr *var, Name name,
                        const Function *callee) {
  int *written;
  int n = written_params(o, callee, &written);
  int param = returned_param(o->ir, &o->returned, callee, 0);
  if (type_is_scalar(var->type)) {
    orch_bind_number(o, call, var, 0);
    return;
  }
  if (n == 0 && param < 0) return;
  if (param < 0 && n > 1) {
    orch_error(
        o, call->span,
        "'%s' has %d outputs and does not say which one it returns; run NormalizeReturnOrder first",
        callee->name, n);
    return;
  }
  if (param < 0) param = written[0];
  if (param < call->u.call.nargs) alias(o, var, name, call->u.call.args[param]);
}

/* Does the callee's return name a parameter at every tensor position? */
static bool names_every_tensor(const ReturnedParams *r, const Type *tuple, int results) {
  if (r->n < results || r->n == 0) return false;
  for (int i = 0; i < results; i++)
    if (type_is_tensor(tuple->elems[i]) && r->param[i] < 0) return false;
  return true;
}

/* Which parameter each result position is: by name, else the written ones matched to the end. */
static int *result_params(Orch *o, const Expr *call, const Function *callee, int results,
                          int arity) {
  int *map = NEW_ARRAY(o->ir->arena, int, results + 1);
  const ReturnedParams *r = returned_params(o->ir, &o->returned, callee);
  if (names_every_tensor(r, call->type, results)) {
    for (int i = 0; i < results; i++) map[i] = r->param[i];
    return map;
  }
  int *written;
  int n = written_params(o, callee, &written);
  int base = arity >= n ? arity - n : 0;
  for (int i = 0; i < results; i++) map[i] = i >= base && i - base < n ? written[i - base] : -1;
  return map;
}

static void bind_submit_id(Orch *o, const Expr *var, int task) {
  if (!is_used(o, var)) return;
  Name name = map_get(&o->id_homes, var);
  if (name) {
    orch_line(o, "%s = task_%d_outs.task_id();", name, task);
    orch_rename(o, var, name);
  } else {
    name = orch_define(o, var);
    orch_line(o, "PTO2TaskId %s = task_%d_outs.task_id();", name, task);
    map_set(&o->surely_valid, name, o);
  }
  orch_bind_id(o, var, name);
}

/* An output that the runtime allocated: it lies in the task's own list. */
static void bind_allocated(Orch *o, Name name, int task, int pos) {
  const char *start = orch_is_mutable(o, name) ? "" : "const ChipTensor& ";
  orch_line(o, "%s%s = task_%d_outs.get_ref(%d);", start, name, task, pos);
}

static void bind_tuple(Orch *o, const Expr *call, const Expr *var, const Function *callee,
                       int task) {
  const TupleItems *items = map_get(&o->tuples, var);
  if (!items || items->len == 0) return;
  bool submit = call_is_submit(call);
  int results = call->type->nelems - (submit ? 1 : 0);
  int given = call->u.call.nargs - (submit ? orch_context_params(callee) : 0);
  int arity = submit ? results : vec_last(items).index + 1;
  int *params = result_params(o, call, callee, results, arity);
  for (size_t i = 0; i < items->len; i++) {
    TupleItem it = items->data[i];
    if (submit && it.index == results) {
      bind_submit_id(o, it.var, task);
    } else if (it.index >= results) {
      continue;
    } else if (params[it.index] < 0) {
      if (is_used(o, it.var) && type_is_scalar(it.var->type))
        orch_bind_number(o, call, it.var, it.index);
    } else if (is_used(o, it.var)) {
      Name name = orch_define(o, it.var);
      int param = params[it.index];
      if (param < given)
        alias(o, it.var, name, call->u.call.args[param]);
      else if (submit)
        bind_allocated(o, name, task, param - given);
    }
  }
}

void orch_bind_results(Orch *o, const Expr *call, const Expr *var, Name name, int task) {
  const Function *callee = call_target(o->program, call);
  if (!callee) return;
  if (call->type->kind == TYPE_TUPLE)
    bind_tuple(o, call, var, callee, task);
  else if (is_used(o, var))
    bind_single(o, call, var, name, callee);
}
