/* Submitting tasks: direct calls, spmd launches, groups. */
#include "codegen/orch/orch.h"

/* A task on its way to its lines. */
typedef struct Task {
  const Expr *call;
  const Function *launched; /* whose launch attributes count */
  const char *comment;
  const char *name;  /* params_tK */
  const char *mixed; /* the MixedKernels line, or NULL */
  const char *submit;
  TaskParams params;
  bool direct; /* dependencies come before the launch */
} Task;

/* ---- kernels ---- */

static int kernel_id(Orch *o, const Function *f, bool cube) {
  intptr_t known = map_get_int(&o->kernel_ids, f);
  if (known) return (int)known - 1;
  vec_push(&o->result->kernels, (OrchKernel){.func = f, .cube = cube});
  map_set(&o->kernel_ids, f, map_int((intptr_t)o->result->kernels.len));
  return (int)o->result->kernels.len - 1;
}

static const char *signature_word(ArgDir d) {
  return d == ADIR_INPUT ? "IN" : d == ADIR_OUTPUT || d == ADIR_OUTPUT_EXISTING ? "OUT" : "INOUT";
}

/* The first submission of a kernel says how it uses its tensors. */
static void note_signature(Orch *o, int id, const TaskParams *params) {
  OrchKernel *k = &o->result->kernels.data[id];
  if (k->has_signature) return;
  k->has_signature = true;
  k->signature = NEW_ARRAY(o->ir->arena, const char *, params->len);
  for (size_t i = 0; i < params->len; i++)
    if (params->data[i].dir != ADIR_SCALAR)
      k->signature[k->nsignature++] = signature_word(params->data[i].dir);
}

/* Runs on both vector cores of a cluster, each with a part of the work. */
static bool is_dual(Orch *o, const Function *f) {
  return f && attr_bool(f->attrs, o->key_dual, false);
}

/* ---- launches ---- */

static Expr *count_attr(Orch *o, AttrList attrs) {
  const AttrValue *v = attr_get(attrs, o->key_core_num);
  if (!v) return NULL;
  if (v->kind == ATTR_EXPR) return v->u.expr;
  return v->kind == ATTR_INT ? expr_index(o->ir, v->u.i) : NULL;
}

Expr *orch_block_count(Orch *o, const Expr *call, const Function *launched, bool *sync) {
  const Launch *l = call->u.call.launch;
  Expr *count = l ? l->core_num : NULL;
  bool together = (l && l->sync_start) || attr_bool(call->u.call.attrs, o->key_sync_start, false);
  if (!count) count = count_attr(o, call->u.call.attrs);
  if (!count && launched) {
    count = count_attr(o, launched->attrs);
    together = attr_bool(launched->attrs, o->key_sync_start, false);
  }
  if (sync) *sync = together;
  return count;
}

const char *orch_block_count_text(Orch *o, const Expr *count) {
  if (expr_is_op(count, OP_SYSTEM_AVAILABLE_AIV_COUNT)) return "rt_available_aiv_count()";
  if (expr_is_op(count, OP_SYSTEM_AVAILABLE_CLUSTER_COUNT)) return "rt_available_cluster_count()";
  return orch_expr(o, count);
}

static void launch_lines(Orch *o, const Task *t) {
  bool sync;
  Expr *count = orch_block_count(o, t->call, t->launched, &sync);
  if (count)
    orch_line(o, "%s.launch_spec.%s(%s);", t->name, o->ctx->opts->target->core_count_method,
              orch_block_count_text(o, count));
  if (sync) orch_line(o, "%s.launch_spec.set_require_sync_start(true);", t->name);
  const Launch *l = t->call->u.call.launch;
  if ((l && l->allow_early_resolve) || attr_bool(t->call->u.call.attrs, o->key_early, false))
    orch_line(o, "%s.set_allow_early_resolve(true);", t->name);
  orch_predicate(o, t->call, t->name);
}

static const char *method(ArgDir d) {
  switch (d) {
    case ADIR_INPUT: return "add_input";
    case ADIR_OUTPUT:
    case ADIR_OUTPUT_EXISTING: return "add_output";
    case ADIR_INOUT: return "add_inout";
    case ADIR_NO_DEP: return "add_no_dep";
    default: return "add_scalar";
  }
}

static void dump_line(Orch *o, const Task *t) {
  Buf b = {0};
  for (size_t i = 0; i < t->params.len; i++)
    if (t->params.data[i].dump) buf_printf(&b, "%s%s", b.len ? ", " : "", t->params.data[i].value);
  if (b.len) orch_line(o, "%s.dump(%s);", t->name, buf_str(&b));
  buf_free(&b);
}

static void emit_task(Orch *o, Task *t) {
  orch_blank(o);
  orch_line(o, "// %s", t->comment);
  orch_line(o, "CoreTaskArgs %s;", t->name);
  for (size_t i = 0; i < t->params.len; i++)
    orch_line(o, "%s.%s(%s);", t->name, method(t->params.data[i].dir), t->params.data[i].value);
  dump_line(o, t);
  if (t->mixed) orch_line(o, "%s", t->mixed);
  if (t->direct) orch_deps(o, t->call, t->name);
  launch_lines(o, t);
  if (!t->direct) orch_deps(o, t->call, t->name);
  const char *outs = "";
  if (call_is_submit(t->call) || o->keep_outs)
    outs = orch_text(o, "TaskOutputTensors task_%d_outs = ", o->tasks);
  orch_line(o, "%s%s;", outs, t->submit);
  o->tasks++;
}

/* ---- the kinds of calls ---- */

/* One kernel on its core, or on both vector cores. */
static void submit_one(Orch *o, Task *t, const Function *f, int id) {
  if (f->type == FUNC_AIV && is_dual(o, f)) {
    t->mixed =
        orch_text(o, "MixedKernels mixed_%d = {INVALID_KERNEL_ID, %d, %d};", o->tasks, id, id);
    t->submit = orch_text(o, "rt_submit_task(mixed_%d, %s)", o->tasks, t->name);
  } else {
    t->submit =
        orch_text(o, "rt_submit_%s_task(%d, %s)", f->type == FUNC_AIC ? "aic" : "aiv", id, t->name);
  }
}

static bool is_kernel(Orch *o, const Expr *call, const Function *f) {
  if (f->type == FUNC_AIC || f->type == FUNC_AIV) return true;
  orch_error(o, call->span,
             "'%s' cannot be submitted: it is a %s function, not a kernel of one core", f->name,
             enum_name(ENUM_FUNC, f->type));
  return false;
}

static void submit_direct(Orch *o, const Expr *call, const Function *f) {
  Task t = {
      .call = call, .launched = f, .direct = true, .name = orch_text(o, "params_t%d", o->tasks)};
  if (!is_kernel(o, call, f)) return;
  int id = kernel_id(o, f, f->type == FUNC_AIC);
  if (orch_call_params(o, call, f, &t.params)) {
    note_signature(o, id, &t.params);
    t.comment = orch_text(o, "Task %d: %s", o->tasks, f->name);
    submit_one(o, &t, f, id);
    emit_task(o, &t);
  }
  vec_free(&t.params);
}

/* A group's kernels run together; `outer` is the spmd function around it, or NULL. */
static void submit_group(Orch *o, const Expr *call, const Function *group, const Function *outer,
                         const Expr *bridge) {
  GroupKernels k = group_kernels(o->program, group);
  if (k.detailed) {
    orch_error(o, k.detailed->span,
               "the group '%s' is one task: dependencies, block counts and conditions belong to "
               "its submit",
               group->name);
    return;
  }
  if (!k.aiv || !k.first.call) {
    orch_error(o, call->span, "the group '%s' has no %s kernel", group->name,
               k.aiv ? "" : "vector");
    return;
  }
  Task t = {.call = call,
            .launched = outer ? outer : group,
            .name = orch_text(o, "params_t%d", o->tasks)};
  WrapperRoute route = {group, k.first.call, outer, bridge};
  if (orch_wrapper_params(o, call, &route, &t.params)) {
    int aic = k.aic ? kernel_id(o, k.aic, true) : -1;
    int aiv = kernel_id(o, k.aiv, false);
    if (k.aic) note_signature(o, aic, &t.params);
    note_signature(o, aiv, &t.params);
    if (k.aic) {
      const char *second = is_dual(o, k.aiv) ? orch_text(o, "%d", aiv) : "INVALID_KERNEL_ID";
      t.comment = orch_text(o, "Group %s: MixedKernels (AIC + AIV lanes)", group->name);
      t.mixed = orch_text(o, "MixedKernels mixed_%d = {%d, %d, %s};", o->tasks, aic, aiv, second);
      t.submit = orch_text(o, "rt_submit_task(mixed_%d, %s)", o->tasks, t.name);
    } else {
      t.comment = orch_text(o, "Group %s: AIV-only SPMD", group->name);
      submit_one(o, &t, k.aiv, aiv);
    }
    emit_task(o, &t);
  }
  vec_free(&t.params);
}

static void submit_spmd(Orch *o, const Expr *call, const Function *spmd) {
  InnerCall in = wrapper_first_call(o->program, spmd);
  if (!in.call) {
    orch_error(o, call->span, "the spmd function '%s' calls no kernel", spmd->name);
    return;
  }
  if (in.callee->type == FUNC_GROUP) {
    submit_group(o, call, in.callee, spmd, in.call);
    return;
  }
  if (!is_kernel(o, call, in.callee)) return;
  Task t = {.call = call, .launched = spmd, .name = orch_text(o, "params_t%d", o->tasks)};
  int id = kernel_id(o, in.callee, in.callee->type == FUNC_AIC);
  WrapperRoute route = {spmd, in.call, NULL, NULL};
  if (orch_wrapper_params(o, call, &route, &t.params)) {
    note_signature(o, id, &t.params);
    t.comment = orch_text(o, "Spmd %s: %s", spmd->name, in.callee->name);
    submit_one(o, &t, in.callee, id);
    emit_task(o, &t);
  }
  vec_free(&t.params);
}

void orch_submit(Orch *o, const Expr *call, bool keep) {
  o->keep_outs = keep;
  const Function *callee = call_target(o->program, call);
  if (!callee) {
    orch_error(o, call->span, "the orchestration '%s' calls '%s', which is not in the program",
               o->func->name, call->u.call.callee ? call->u.call.callee : expr_op(call)->name);
    return;
  }
  if (callee->type == FUNC_SPMD)
    submit_spmd(o, call, callee);
  else if (callee->type == FUNC_GROUP)
    submit_group(o, call, callee, NULL, NULL);
  else
    submit_direct(o, call, callee);
}
