/* Dependencies that a pass derived: docs/codegen-orchestration.md, section Derived dependencies. */
#include "codegen/orch/orch.h"
#include "ir/visit.h"

/* ---- which ids are wanted ---- */

static void want(Orch *o, const AttrValue *edges) {
  for (int i = 0; edges && edges->kind == ATTR_LIST && i < edges->u.list.len; i++) {
    const AttrValue *v = &edges->u.list.items[i];
    if (v->kind != ATTR_EXPR || !expr_is_var(v->u.expr)) continue;
    if (!map_set(&o->wanted, v->u.expr, o)) continue;
    vec_push(&o->wanted_list, v->u.expr);
    map_set(&o->wanted_bases, orch_base_name(o->ir, v->u.expr->u.var.name), o);
  }
}

static bool want_expr(Visitor *v, Expr *e) {
  Orch *o = v->ctx;
  if (expr_is_call(e)) want(o, attr_get(e->u.call.attrs, o->key_derived));
  return true;
}

static bool note_loop(Visitor *v, Stmt *s) {
  Orch *o = v->ctx;
  for (int i = 0; s->kind == STMT_FOR && i < s->u.loop.nresults; i++)
    map_set(&o->loop_bases, orch_base_name(o->ir, s->u.loop.results[i]->u.var.name), o);
  return true;
}

void orch_collect_derived(Orch *o) {
  Visitor v = {.ctx = o, .expr = want_expr, .stmt = note_loop};
  visit_program(&v, o->program);
}

bool orch_id_wanted(const Orch *o, const Expr *var) {
  return map_has(&o->wanted, var) ||
         (o->wanted_list.len && map_has(&o->wanted_bases, orch_base_name(o->ir, var->u.var.name)));
}

/* ---- where they are kept ---- */

static void bind_lasting(Orch *o, const Expr *var, Name name) {
  orch_bind_id(o, var, name);
  map_set(&o->lasting_ids, var, map_get(&o->ids, var));
}

/* A variable before the first scope, since the task may lie in a later one; ids that loops carry
 * have their own. */
void orch_declare_wanted(Orch *o) {
  if (o->wanted_declared) return;
  o->wanted_declared = true;
  for (size_t i = 0; i < o->wanted_list.len; i++) {
    const Expr *var = o->wanted_list.data[i];
    Name base = orch_base_name(o->ir, var->u.var.name);
    if (map_has(&o->loop_bases, base)) continue;
    Name name = orch_fresh(o, name_printf(&o->ir->names, "%s_tid", base));
    orch_line(o, "PTO2TaskId %s = PTO2TaskId::invalid();", name);
    map_set(&o->id_homes, var, (void *)name);
    bind_lasting(o, var, name);
  }
}

/* The id of task `task` as that of `var`. */
static void keep_id(Orch *o, const Expr *var, Name named, int task) {
  Name name = map_get(&o->id_homes, var);
  if (name) {
    orch_line(o, "%s = task_%d_outs.task_id();", name, task);
  } else {
    Name base = orch_base_name(o->ir, named);
    name = orch_fresh(o, name_printf(&o->ir->names, "%s_tid", base));
    orch_line(o, "PTO2TaskId %s = task_%d_outs.task_id();", name, task);
    map_set(&o->surely_valid, name, o);
  }
  bind_lasting(o, var, name);
}

/* The written arguments of a call whose task is waited for, each once. */
static int wanted_args(Orch *o, const Expr *call, const Expr ***out) {
  const AttrValue *dirs = call_directions(o->ir, call);
  int n = 0, nargs = o->wanted_list.len && dirs ? call->u.call.nargs : 0;
  *out = NEW_ARRAY(o->ir->arena, const Expr *, nargs);
  for (int i = 0; i < nargs; i++) {
    const Expr *arg = call->u.call.args[i];
    ArgDir dir = direction_at(dirs, i);
    bool known = (dir != ADIR_OUTPUT_EXISTING && dir != ADIR_INOUT) || !expr_is_var(arg);
    for (int k = 0; k < n && !known; k++) known = (*out)[k] == arg;
    if (!known && orch_id_wanted(o, arg)) (*out)[n++] = arg;
  }
  return n;
}

void orch_submit_wanted(Orch *o, const Expr *call, const Expr *var, Name name) {
  const Expr **args;
  int n = wanted_args(o, call, &args), task = o->tasks;
  bool by_result = var && orch_id_wanted(o, var);
  orch_submit(o, call, by_result || n > 0);
  if (o->tasks == task) return;
  if (by_result) keep_id(o, var, name, task);
  for (int i = 0; i < n; i++) keep_id(o, args[i], args[i]->u.var.name, task);
}

/* ---- a barrier for many ids ---- */

static Name open_barrier(Orch *o, const char *kind, const char **task) {
  int k = o->barriers++;
  *task = orch_text(o, "params_phase_fence_barrier_%d", k);
  orch_blank(o);
  orch_line(o, "// %s barrier %d: compressed loop fan-in", kind, k);
  orch_line(o, "CoreTaskArgs %s;", *task);
  return name_printf(&o->ir->names, "phase_fence_barrier_%d", k);
}

/* The barrier's task if there is anything to wait for; `set` comes before it. */
static Name close_barrier(Orch *o, Name barrier, const char *count, const char *set,
                          const char *task) {
  Name id = name_printf(&o->ir->names, "%s_tid", barrier);
  orch_line(o, "PTO2TaskId %s = PTO2TaskId::invalid();", id);
  orch_line(o, "if (%s > 0) {", count);
  o->indent += 4;
  if (set) orch_line(o, "%s", set);
  orch_line(o, "TaskOutputTensors %s_outs = rt_submit_dummy_task(%s);", barrier, task);
  orch_line(o, "%s = %s_outs.task_id();", id, barrier);
  o->indent -= 4;
  orch_line(o, "}");
  return id;
}

static Name array_barrier(Orch *o, const TaskId *id) {
  const char *task;
  Name barrier = open_barrier(o, "Compiler-dependency", &task);
  orch_dep_array(o, id->slots, id->n, task);
  return close_barrier(o, barrier, orch_text(o, "%s_deps_count", task), NULL, task);
}

/* How often a body waits for each variable, and what it binds itself. */
typedef struct FanIn {
  Orch *o;
  VEC(const Expr *) edges;
  Map uses; /* edge -> number of calls */
  Map own;  /* variables bound inside */
} FanIn;

static bool count_edges(Visitor *v, Expr *e) {
  FanIn *f = v->ctx;
  const AttrValue *edges = expr_is_call(e) ? attr_get(e->u.call.attrs, f->o->key_derived) : NULL;
  for (int i = 0; edges && edges->kind == ATTR_LIST && i < edges->u.list.len; i++) {
    const AttrValue *item = &edges->u.list.items[i];
    if (item->kind != ATTR_EXPR || !orch_id_of(f->o, item->u.expr)) continue;
    intptr_t n = map_get_int(&f->uses, item->u.expr);
    if (n == 0) vec_push(&f->edges, item->u.expr);
    map_set(&f->uses, item->u.expr, map_int(n + 1));
  }
  return true;
}

static void note_own(Visitor *v, Expr *var) {
  FanIn *f = v->ctx;
  map_set(&f->own, var, f);
}

/* An array of `n` ids that the tasks of a loop wait for, `uses` in each of `trips` iterations: one
 * barrier before the loop has fewer edges. */
static bool barrier_pays(int64_t n, int64_t uses, int64_t trips) {
  return n * uses * trips > n + uses * trips;
}

void orch_loop_barriers(Orch *o, const Stmt *s) {
  int64_t trips;
  if (!o->wanted_list.len || !loop_trip_count(s, &trips) || trips <= 1) return;
  FanIn f = {.o = o};
  Visitor v = {.ctx = &f, .expr = count_edges, .def = note_own};
  for (int i = 0; i < s->u.loop.ncarried; i++) map_set(&f.own, s->u.loop.iter_args[i], o);
  for (int i = 0; i < s->u.loop.nresults; i++) map_set(&f.own, s->u.loop.results[i], o);
  visit_block(&v, s->u.loop.body);
  for (size_t i = 0; i < f.edges.len; i++) {
    const Expr *edge = f.edges.data[i];
    const TaskId *id = orch_id_of(o, edge);
    if (map_has(&f.own, edge) || !barrier_pays(id->n, map_get_int(&f.uses, edge), trips)) continue;
    bind_lasting(o, edge, array_barrier(o, id));
  }
  vec_free(&f.edges);
  map_free(&f.uses);
  map_free(&f.own);
}

/* ---- ids of a parallel loop whose length only the run knows: a list ---- */

static Name named_after(Orch *o, Name list, const char *what) {
  return orch_fresh(o, name_printf(&o->ir->names, "%s_%s", list, what));
}

static Name start_profile(Orch *o, Name list, const char *what) {
  Name start = named_after(o, list, what);
  orch_line(o, "#if SIMPLER_ORCH_PROFILING");
  orch_line(o, "uint64_t %s = rt_orch_profile_now();", start);
  orch_line(o, "#endif");
  return start;
}

static void end_profile(Orch *o, Name start, int added) {
  orch_line(o, "#if SIMPLER_ORCH_PROFILING");
  orch_line(o, "rt_orch_profile_add_dynamic_dep_vector(rt_orch_profile_now() - %s, %d);", start,
            added);
  orch_line(o, "#endif");
}

/* Room for `per_trip` ids in each iteration, whichever way the loop runs. */
static Name list_capacity(Orch *o, Name list, const LoopText *l, int per_trip) {
  Name capacity = named_after(o, list, "capacity");
  Name from = named_after(o, capacity, "start"), to = named_after(o, capacity, "stop");
  Name by = named_after(o, capacity, "step");
  orch_line(o, "const int64_t %s = %s;", from, l->start);
  orch_line(o, "const int64_t %s = %s;", to, l->stop);
  orch_line(o, "const int64_t %s = %s;", by, l->step);
  const char *up = orch_text(o, "(%s > 0 && %s < %s) ? ((%s - %s + %s - 1) / %s)", by, from, to, to,
                             from, by, by);
  const char *down = orch_text(o, "(%s < 0 && %s > %s) ? ((%s - %s + (-%s) - 1) / (-%s))", by, from,
                               to, from, to, by, by);
  orch_line(o, "const int64_t %s = (%s : %s : 0) * %d;", capacity, up, down, per_trip);
  return capacity;
}

Name orch_declare_list(Orch *o, const LoopText *l, int per_trip) {
  Name list = orch_fresh(o, ir_name(o->ir, "dynamic_compiler_dep_tids"));
  Name count = named_after(o, list, "count");
  map_set(&o->list_counts, list, (void *)count);
  Name capacity = list_capacity(o, list, l, per_trip);
  Name start = start_profile(o, list, "profile_start");
  orch_line(o, "std::vector<PTO2TaskId> %s(static_cast<size_t>(%s));", list, capacity);
  orch_line(o, "uint32_t %s = 0;", count);
  end_profile(o, start, 0);
  o->uses_vector = true;
  return list;
}

void orch_yield_to_list(Orch *o, const Stmt *yield, int i) {
  const Expr *value = yield->u.ret.values[i];
  Name list = map_get(&o->lists, o->results.data[i]);
  const TaskId *id = expr_is_var(value) ? orch_id_of(o, value) : NULL;
  if (!id || id->n != 1) {
    orch_error(o, yield->span, "a value whose task is waited for must be the result of a task");
    return;
  }
  Name start = start_profile(o, list, "write_profile_start");
  bool sure = map_has(&o->surely_valid, id->slots[0]);
  if (!sure) orch_line(o, "if (%s.is_valid()) {", id->slots[0]);
  o->indent += sure ? 0 : 4;
  orch_line(o, "%s[%s++] = %s;", list, (Name)map_get(&o->list_counts, list), id->slots[0]);
  end_profile(o, start, 1);
  o->indent -= sure ? 0 : 4;
  if (!sure) orch_line(o, "}");
}

void orch_list_barrier(Orch *o, Name list, const Expr *const *results, int n) {
  const char *task;
  Name count = map_get(&o->list_counts, list);
  Name barrier = open_barrier(o, "Dynamic compiler-dependency", &task);
  const char *set = orch_text(o, "%s.set_dependencies(%s.data(), %s);", task, list, count);
  Name id = close_barrier(o, barrier, count, set, task);
  for (int i = 0; i < n; i++) bind_lasting(o, results[i], id);
}
