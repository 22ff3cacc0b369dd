/* What a task is given: tensors by direction, then scalars. */
#include "codegen/orch/orch.h"

/* A scalar as the 64 bits that a task is given; NULL if the value has no form in C++, as a call has. */
static const char *scalar_value(Orch *o, const Expr *e) {
  const char *type = e->type && type_is_scalar(e->type) ? orch_type(e->type) : "uint64_t";
  bool is_float = type_is_scalar(e->type) && e->type->dtype == DT_FP32;
  switch (e->kind) {
    case EXPR_VAR: return is_float ? orch_text(o, "to_u64(%s)", orch_name(o, e)) : orch_name(o, e);
    case EXPR_INT:
      if (e->type->dtype == DT_INT64 || e->type->dtype == DT_INDEX)
        return orch_text(o, "(uint64_t)%lld", (long long)e->u.i);
      return orch_text(o, "(uint64_t)static_cast<%s>(%lld)", type, (long long)e->u.i);
    case EXPR_FLOAT:
      return is_float ? orch_text(o, "to_u64(%ff)", (double)(float)e->u.f)
                      : orch_text(o, "(uint64_t)%f", e->u.f);
    case EXPR_BOOL: return e->u.b ? "(uint64_t)1" : "(uint64_t)0";
    case EXPR_CALL: return NULL;
    default: return orch_text(o, is_float ? "to_u64(%s)" : "(uint64_t)(%s)", orch_expr(o, e));
  }
}

static bool is_marked(const AttrValue *list, const Expr *var) {
  for (int i = 0; list && i < list->u.list.len; i++)
    if (list->u.list.items[i].kind == ATTR_EXPR && list->u.list.items[i].u.expr == var) return true;
  return false;
}

static const AttrValue *dumps_of(const Orch *o, const Expr *call) {
  const AttrValue *v = attr_get(call->u.call.attrs, o->key_dumps);
  return v && v->kind == ATTR_LIST ? v : NULL;
}

/* The parameter for argument `e`, which is a tensor of direction `dir` unless it is a scalar. */
static bool add_param(Orch *o, const Expr *call, const Expr *e, ArgDir dir, bool dump,
                      TaskParams *out) {
  if (expr_is_var(e) && !type_is_scalar(e->type) && e->type->kind != TYPE_COMM_CTX) {
    vec_push(out, (TaskParam){dir, orch_tensor_name(o, orch_name(o, e)), dump});
    return true;
  }
  const char *value = scalar_value(o, e);
  if (!value) {
    orch_error(o, e->span.line ? e->span : call->span,
               "an argument of a task must be a variable or a constant; assign this value to a "
               "variable first");
    return false;
  }
  vec_push(out, (TaskParam){ADIR_SCALAR, value, false});
  return true;
}

static void tensors_first(TaskParams *params) {
  TaskParams sorted = {0};
  for (int scalars = 0; scalars < 2; scalars++)
    for (size_t i = 0; i < params->len; i++)
      if ((params->data[i].dir == ADIR_SCALAR) == (scalars == 1))
        vec_push(&sorted, params->data[i]);
  vec_free(params);
  *params = sorted;
}

int orch_context_params(const Function *f) {
  int n = 0;
  while (n < f->nparams && f->params[f->nparams - 1 - n]->type->kind == TYPE_COMM_CTX) n++;
  return n;
}

/* ---- direct calls ---- */

static const AttrValue *directions_or_error(Orch *o, const Expr *call) {
  const AttrValue *dirs = call_directions(o->ir, call);
  if (!dirs && call->u.call.nargs)
    orch_error(o, call->span,
               "the call of '%s' has no argument directions; run DeriveCallDirections first",
               call->u.call.callee);
  return dirs;
}

/* An Out parameter that a submit leaves out: the runtime allocates it from this description. */
static void add_runtime_output(Orch *o, const Function *callee, int i, TaskParams *out) {
  const Type *t = callee->params[i]->type;
  const char *x = orch_text(o, "params_t%d_synth_out_%d", o->tasks, i);
  Buf b = {0};
  for (int k = 0; k < t->rank; k++) {
    const char *extent = orch_extent(o, t->shape[k], t->dtype, k, t->rank);
    buf_printf(&b, "%s%s", k ? ", " : "", extent);
  }
  orch_line(o, "uint32_t %s_shapes[%d] = {%s};", x, t->rank, buf_str(&b));
  buf_free(&b);
  orch_line(o, "TensorCreateInfo %s(%s_shapes, %d, %s);", x, x, t->rank, orch_dtype(t->dtype));
  vec_push(out, (TaskParam){ADIR_OUTPUT, x, false});
}

bool orch_call_params(Orch *o, const Expr *call, const Function *callee, TaskParams *out) {
  const AttrValue *dirs = directions_or_error(o, call), *dumps = dumps_of(o, call);
  int n = call->u.call.nargs;
  if (n && !dirs) return false;
  int contexts = call_is_submit(call) ? orch_context_params(callee) : 0;
  int given = n - contexts, wanted = callee->nparams - contexts;
  bool complete = call_is_submit(call) ? given >= 0 && given <= wanted : n == callee->nparams;
  if (!complete) {
    orch_error(o, call->span, "the call of '%s' has %d arguments, but the kernel has %d parameters",
               callee->name, n, callee->nparams);
    return false;
  }
  for (int i = 0; i < n + (wanted - given); i++) {
    if (i >= given && i < wanted && call_is_submit(call)) {
      if (callee->dirs[i] != PARAM_OUT) {
        orch_error(
            o, call->span,
            "argument %d of the submit of '%s' is missing, and the parameter is not an output",
            i + 1, callee->name);
        return false;
      }
      add_runtime_output(o, callee, i, out);
      continue;
    }
    int at = i < given ? i : i - (wanted - given);
    const Expr *e = call->u.call.args[at];
    if (!add_param(o, call, e, direction_at(dirs, at), is_marked(dumps, e), out)) return false;
  }
  tensors_first(out);
  return true;
}

/* ---- wrappers ---- */

static int param_of(const Function *f, const Expr *e) {
  for (int i = 0; i < f->nparams; i++)
    if (f->params[i] == e) return i;
  return -1;
}

/* The outer argument that stands for parameter `i` of the wrapper; *at is its position, -1 for a
 * constant that the spmd function passes on. */
static const Expr *outer_argument(const Expr *call, const WrapperRoute *r, int i, int *at) {
  *at = i;
  if (r->outer) {
    if (i >= r->bridge->u.call.nargs) return NULL;
    const Expr *e = r->bridge->u.call.args[i];
    *at = expr_is_var(e) ? param_of(r->outer, e) : -1;
    if (!expr_is_var(e)) return e;
  }
  return *at >= 0 && *at < call->u.call.nargs ? call->u.call.args[*at] : NULL;
}

bool orch_wrapper_params(Orch *o, const Expr *call, const WrapperRoute *r, TaskParams *out) {
  const AttrValue *dirs = directions_or_error(o, call);
  if (call->u.call.nargs && !dirs) return false;
  const AttrValue *dumps = dumps_of(o, call), *inner_dumps = dumps_of(o, r->inner);
  for (int k = 0; k < r->inner->u.call.nargs; k++) {
    const Expr *inner = r->inner->u.call.args[k];
    const Expr *e = inner;
    int at = -1;
    if (expr_is_var(inner)) {
      int i = param_of(r->wrapper, inner);
      if (i < 0 && type_is_scalar(inner->type)) continue; /* the wrapper's own, not passed on */
      e = i < 0 ? NULL : outer_argument(call, r, i, &at);
    }
    if (!e) {
      orch_error(o, r->inner->span, "argument %d of '%s' is not a parameter of '%s'", k + 1,
                 r->inner->u.call.callee, r->wrapper->name);
      return false;
    }
    bool dump = is_marked(dumps, e) || is_marked(inner_dumps, inner);
    ArgDir dir = at >= 0 && at < call->u.call.nargs ? direction_at(dirs, at) : ADIR_SCALAR;
    if (!add_param(o, call, e, dir, dump, out)) return false;
  }
  tensors_first(out);
  return true;
}
