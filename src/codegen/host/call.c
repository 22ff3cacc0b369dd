/* Calls that a host orchestration makes: chips and sub-workers. */
#include "codegen/host/host_int.h"
#include "ir/calls.h"

static const char *torch_dtype(DType t) {
  switch (t) {
    case DT_FP16: return "float16";
    case DT_FP32: return "float32";
    case DT_FP64: return "float64";
    case DT_BF16: return "bfloat16";
    case DT_BOOL: return "bool";
    case DT_INT8: return "int8";
    case DT_INT16: return "int16";
    case DT_INT32: return "int32";
    case DT_INT64: return "int64";
    case DT_UINT8: return "uint8";
    case DT_UINT16: return "uint16";
    case DT_UINT32: return "uint32";
    case DT_UINT64: return "uint64";
    default: return NULL;
  }
}

static const char *runtime_dtype(DType t) {
  switch (t) {
    case DT_FP16: return "FLOAT16";
    case DT_FP32: return "FLOAT32";
    case DT_BF16: return "BFLOAT16";
    case DT_BOOL:
    case DT_INT8:
    case DT_INT16:
    case DT_INT32:
    case DT_INT64:
    case DT_UINT8:
    case DT_UINT16:
    case DT_UINT32:
    case DT_UINT64: return dtype_name(t);
    default: return NULL;
  }
}

static const char *argument_type(ParamDir d) {
  return d == PARAM_IN    ? "TensorArgType.INPUT"
         : d == PARAM_OUT ? "TensorArgType.OUTPUT_EXISTING"
                          : "TensorArgType.INOUT";
}

void host_create(Host *h, const Type *t, const char *name) {
  const char *dtype = torch_dtype(t->dtype);
  if (!dtype) {
    host_error(h, NO_SPAN, "the host cannot create a tensor of %s", dtype_name(t->dtype));
    return;
  }
  for (int i = 0; i < t->rank; i++)
    if (t->shape[i]->kind != EXPR_INT && !expr_is_var(t->shape[i]))
      host_error(h, t->shape[i]->span,
                 "the extents of a tensor created on the host must be constants or symbols");
  host_line(h, "tensors[\"%s\"] = torch.zeros(%s, dtype=torch.%s).share_memory_()", name,
            host_shape(h, t->shape, t->rank), dtype);
}

/* ---- arguments ---- */

/* One call on its way. */
typedef struct Dispatch {
  const Expr *call;
  const Function *callee;
  const char *task;          /* _ta_0 */
  const char *rank;          /* device, or NULL */
  VEC(const char *) scalars; /* lines: scalars follow all tensors */
  VEC(const Stmt *) domains; /* touched, each once */
} Dispatch;

static const char *rank_of(Host *h, const Expr *call) {
  Name key = key_name(KEY_DEVICE);
  const AttrValue *v = attr_get(call->u.call.attrs, key);
  if (!v) v = attr_get(call->u.call.kwargs, key);
  if (!v) return NULL;
  if (v->kind == ATTR_INT) return host_text(h, "%lld", (long long)v->u.i);
  return v->kind == ATTR_EXPR ? host_expr(h, v->u.expr) : NULL;
}

static void touch(Dispatch *d, const Stmt *domain) {
  for (size_t i = 0; i < d->domains.len; i++)
    if (d->domains.data[i] == domain) return;
  vec_push(&d->domains, domain);
}

static void add_window(Host *h, Dispatch *d, int i) {
  const Type *t = d->call->u.call.args[i]->type;
  const char *dtype = runtime_dtype(t->dtype);
  if (!d->rank || !t->window || !dtype) {
    host_error(h, d->call->span,
               "argument %d of the call of '%s' is a distributed tensor: it must be a window of an "
               "allocated buffer, and the call needs device=",
               i + 1, d->callee->name);
    return;
  }
  const Stmt *domain = host_domain_of(h, t->window, d->call->span);
  if (!domain) return;
  touch(d, domain);
  const char *type =
      i < d->callee->nparams ? argument_type(d->callee->dirs[i]) : "TensorArgType.INOUT";
  host_line(h, "%s.add_tensor(%s[%s].buffers[\"%s\"].tensor(shapes=%s, dtype=DataType.%s), %s)",
            d->task, host_domain(h, domain), d->rank, host_name(h, t->window->name),
            host_shape(h, t->shape, t->rank), dtype, type);
}

/* A context: that of the window it was asked for, on the device of the call. */
static void add_context(Host *h, Dispatch *d, const Expr *e) {
  const Expr *from = e, *value;
  while (expr_is_var(from) && (value = map_get(&h->values, from))) from = value;
  if (expr_is_var(from)) {
    vec_push(&d->scalars,
             host_text(h, "%s.add_scalar(%s)", d->task, host_name(h, from->u.var.name)));
    return;
  }
  const Type *t = expr_is_op(from, OP_PLD_SYSTEM_GET_COMM_CTX) ? from->u.call.args[0]->type : NULL;
  const Stmt *domain =
      t && t->window && d->rank ? host_domain_of(h, t->window, d->call->span) : NULL;
  if (!domain) {
    host_error(h, d->call->span, "a communication context of this call is not known");
    return;
  }
  vec_push(&d->scalars, host_text(h, "%s.add_scalar(%s[%s].device_ctx)", d->task,
                                  host_domain(h, domain), d->rank));
}

static void add_argument(Host *h, Dispatch *d, int i) {
  const Expr *e = d->call->u.call.args[i];
  if (e->type->kind == TYPE_COMM_CTX) {
    add_context(h, d, e);
  } else if (e->type->kind == TYPE_DIST_TENSOR) {
    add_window(h, d, i);
  } else if (type_is_tensor(e->type)) {
    const char *type =
        i < d->callee->nparams ? argument_type(d->callee->dirs[i]) : "TensorArgType.INPUT";
    host_line(h, "%s.add_tensor(make_tensor_arg(orch._worker, tensors[\"%s\"]), %s)", d->task,
              host_expr(h, e), type);
  } else if (type_is_scalar(e->type)) {
    vec_push(&d->scalars, host_text(h, "%s.add_scalar(%s)", d->task, host_expr(h, e)));
  } else {
    host_error(h, e->span, "argument %d of the call of '%s' is a %s, which a task cannot take",
               i + 1, d->callee->name, type_kind_name(e->type));
  }
}

/* ---- results ---- */

static bool writes_nothing(const Function *f) {
  for (int i = 0; i < f->nparams; i++)
    if (f->dirs[i] != PARAM_IN) return false;
  return true;
}

/* A callee without outputs gets a tensor for its result. */
static void add_result(Host *h, Dispatch *d, const char *target) {
  const Type *t = d->callee->returns[0];
  if (t->kind != TYPE_TENSOR) {
    host_error(h, d->call->span, "'%s' returns a %s, but the host can only take a tensor from it",
               d->callee->name, type_kind_name(t));
    return;
  }
  host_line(h, "if \"%s\" not in tensors:", target);
  h->indent += 4;
  host_create(h, t, target);
  h->indent -= 4;
  host_line(h,
            "%s.add_tensor(make_tensor_arg(orch._worker, tensors[\"%s\"]), "
            "TensorArgType.OUTPUT_EXISTING)",
            d->task, target);
}

/* The arguments that the results are: those that the callee returns, else all that it writes. */
static void name_outputs(Host *h, const Expr *call, const Function *f, HostOutputs *out) {
  int given = call->u.call.nargs, n = returned_params(h->ir, &h->returned, f)->n;
  int *param = NEW_ARRAY(h->ir->arena, int, n + 1);
  bool known = n > 0;
  for (int i = 0; i < n; i++) {
    param[i] = traced_param(h->ir, &h->returned, h->program, f, i);
    known &= param[i] >= 0 && param[i] < given;
  }
  out->names = NEW_ARRAY(h->ir->arena, const char *, known ? n : f->nparams);
  for (int i = 0; known && i < n; i++)
    out->names[out->n++] = host_expr(h, call->u.call.args[param[i]]);
  for (int i = 0; !known && i < f->nparams && i < given; i++)
    if (f->dirs[i] != PARAM_IN) out->names[out->n++] = host_expr(h, call->u.call.args[i]);
}

static void bind_results(Host *h, const Expr *call, const Function *f, const Expr *target) {
  HostOutputs *out = NEW(h->ir->arena, HostOutputs);
  name_outputs(h, call, f, out);
  if (target->type->kind == TYPE_TUPLE || f->nreturns > 1)
    map_set(&h->outputs, target, out);
  else if (out->n)
    host_line(h, "tensors[\"%s\"] = tensors[\"%s\"]", host_name(h, target->u.var.name),
              out->names[0]);
}

void host_call(Host *h, const Expr *call, const Function *callee, const Expr *target) {
  bool sub = callee->role == ROLE_SUB_WORKER && level_rank(callee->level) >= level_rank(LEVEL_HOST);
  Dispatch d = {.call = call,
                .callee = callee,
                .task = host_text(h, "_ta_%d", h->tasks++),
                .rank = rank_of(h, call)};
  host_line(h, "%s = TaskArgs()", d.task);
  for (int i = 0; i < call->u.call.nargs; i++) add_argument(h, &d, i);
  if (target && callee->nreturns && writes_nothing(callee))
    add_result(h, &d, host_name(h, target->u.var.name));
  /* Calls that only meet through a window have no edge between them: this argument keeps their
   * order. */
  for (size_t i = 0; i < d.domains.len && !sub && d.rank; i++)
    host_line(h,
              "%s.add_tensor(make_tensor_arg(orch._worker, tensors[\"%s_ord\"][%s]), "
              "TensorArgType.INOUT)",
              d.task, host_domain(h, d.domains.data[i]), d.rank);
  for (size_t i = 0; i < d.scalars.len; i++) host_line(h, "%s", d.scalars.data[i]);
  if (sub) {
    host_line(h, "orch.submit_sub(sub_ids[\"%s\"], %s)", callee->name, d.task);
  } else {
    host_line(h, "_keep.append(%s)", d.task);
    host_line(h, "_submit_chip(orch, callables[\"%s\"], %s, config, %s)", callee->name, d.task,
              d.rank ? d.rank : "None");
  }
  if (target) bind_results(h, call, callee, target);
  vec_free(&d.scalars);
  vec_free(&d.domains);
}
