/* Task ids: what they are called, who waits for them, and barriers. */
#include "codegen/orch/orch.h"

/* ---- bindings, forgotten at the end of the scope they were made in ---- */

void orch_set(Orch *o, Map *map, const void *key, void *value) {
  vec_push(&o->undo, (Undo){map, key, map_get(map, key)});
  map_set(map, key, value);
}

void orch_forget(Orch *o, size_t mark) {
  while (o->undo.len > mark) {
    Undo u = vec_pop(&o->undo);
    if (u.before)
      map_set(u.map, u.key, u.before);
    else
      map_remove(u.map, u.key);
  }
}

void orch_bind_id(Orch *o, const Expr *var, Name name) {
  TaskId *id = NEW(o->ir->arena, TaskId);
  id->n = 1;
  id->slots = NEW(o->ir->arena, Name);
  id->slots[0] = name;
  orch_set(o, &o->ids, var, id);
}

void orch_bind_array(Orch *o, const Expr *var, Name name, int64_t size) {
  IdArray *a = NEW(o->ir->arena, IdArray);
  *a = (IdArray){name, size};
  orch_set(o, &o->id_arrays, var, a);
  TaskId *id = NEW(o->ir->arena, TaskId);
  id->n = (int)size;
  id->slots = NEW_ARRAY(o->ir->arena, Name, size);
  for (int i = 0; i < id->n; i++) id->slots[i] = name_printf(&o->ir->names, "%s[%d]", name, i);
  orch_set(o, &o->ids, var, id);
}

const TaskId *orch_id_of(const Orch *o, const Expr *var) {
  const TaskId *id = map_get(&o->ids, var);
  return id ? id : map_get(&o->lasting_ids, var);
}
const IdArray *orch_array_of(const Orch *o, const Expr *var) { return map_get(&o->id_arrays, var); }

/* ---- dependencies ---- */

typedef VEC(const Expr *) Deps;
typedef VEC(Name) Names;

static void add_deps(Deps *deps, const AttrValue *v) {
  for (int i = 0; v && v->kind == ATTR_LIST && i < v->u.list.len; i++)
    if (v->u.list.items[i].kind == ATTR_EXPR) vec_push(deps, v->u.list.items[i].u.expr);
}

/* The variables a task waits for: those written, in a submit's own list or the attribute of a
 * barrier, then those derived.  Returns how many are written. */
static size_t dependencies(Orch *o, const Expr *call, Deps *deps) {
  const Launch *l = call->u.call.launch;
  for (int i = 0; l && i < l->ndeps; i++) vec_push(deps, l->deps[i]);
  add_deps(deps, attr_get(call->u.call.attrs, o->key_deps));
  size_t written = deps->len;
  add_deps(deps, attr_get(call->u.call.attrs, o->key_derived));
  return written;
}

static void lost_dependency(Orch *o, const Expr *call, const Expr *dep) {
  orch_error(
      o, call->span,
      "the dependency on '%s' cannot be kept: its task was submitted in a scope that has ended",
      expr_is_var(dep) ? orch_base_name(o->ir, dep->u.var.name) : "?");
  diag_note(o->ir->diag, dep->span,
            "loop bodies and branches are scopes too; submit both tasks in one scope, or "
            "gather the ids in an array");
}

/* Every id once, in order.  A derived dependency out of reach is dropped. */
static void collect_ids(Orch *o, const Expr *call, Names *ids) {
  Deps deps = {0};
  size_t written = dependencies(o, call, &deps);
  Map seen = {0};
  for (size_t i = 0; i < deps.len; i++) {
    const TaskId *id = orch_id_of(o, deps.data[i]);
    if (!id && i < written) lost_dependency(o, call, deps.data[i]);
    for (int k = 0; id && k < id->n; k++)
      if (map_set(&seen, id->slots[k], o)) vec_push(ids, id->slots[k]);
  }
  map_free(&seen);
  vec_free(&deps);
}

void orch_dep_array(Orch *o, const Name *ids, int n, const char *task) {
  orch_line(o, "PTO2TaskId %s_deps[%d];", task, n);
  orch_line(o, "uint32_t %s_deps_count = 0;", task);
  for (int i = 0; i < n; i++) {
    const char *test =
        map_has(&o->surely_valid, ids[i]) ? "" : orch_text(o, "if (%s.is_valid()) ", ids[i]);
    orch_line(o, "%s%s_deps[%s_deps_count++] = %s;", test, task, task, ids[i]);
  }
  orch_line(o, "%s.set_dependencies(%s_deps, %s_deps_count);", task, task, task);
}

int orch_deps(Orch *o, const Expr *call, const char *task) {
  Names ids = {0};
  collect_ids(o, call, &ids);
  int n = (int)ids.len;
  if (n) orch_dep_array(o, ids.data, n, task);
  vec_free(&ids);
  return n;
}

void orch_dummy_task(Orch *o, const Expr *call, const Expr *var, Name name) {
  int k = o->barriers++;
  const char *task = orch_text(o, "params_phase_fence_barrier_%d", k);
  const char *outs = orch_text(o, "phase_fence_barrier_%d_outs", k);
  orch_blank(o);
  orch_line(o, "// Phase-fence barrier %d: dependency-only dummy task", k);
  orch_line(o, "CoreTaskArgs %s;", task);
  if (orch_deps(o, call, task) > 0) {
    /* All dependencies may turn out invalid at run time; then there is nothing to wait for. */
    orch_line(o, "PTO2TaskId %s = PTO2TaskId::invalid();", name);
    orch_line(o, "if (%s_deps_count > 0) {", task);
    o->indent += 4;
    orch_line(o, "TaskOutputTensors %s = rt_submit_dummy_task(%s);", outs, task);
    orch_line(o, "%s = %s.task_id();", name, outs);
    o->indent -= 4;
    orch_line(o, "}");
  } else {
    orch_line(o, "TaskOutputTensors %s = rt_submit_dummy_task(%s);", outs, task);
    orch_line(o, "PTO2TaskId %s = %s.task_id();", name, outs);
  }
  orch_bind_id(o, var, name);
}
