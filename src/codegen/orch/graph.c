#include "codegen/orch/graph.h"

#include "base/map.h"
#include "codegen/orch/orch.h"
#include "ir/buffer_roots.h"
#include "ir/calls.h"
#include "ir/op.h"

typedef VEC(int) TaskList;

typedef struct GraphBuilder {
  TaskGraph *graph;
  Ir *ir;
  const Program *program;
  BufferRoots roots;
  Map tensor_of;  /* root -> 1 + number of the tensor */
  Map tasks_of;   /* id variable (or array of ids, or tuple with an id) -> TaskList* */
  Map last_write; /* root -> TaskList*: tasks whose result is found there */
  Map task_of;    /* call -> 1 + number: a loop's body is walked twice */
  VEC(const Stmt *) loops;
  int manual; /* enclosing manual scopes: nothing is tracked there */
  bool again; /* walking a loop's body for the second time */
} GraphBuilder;

/* ---- lists of tasks ---- */

static TaskList *list_of(GraphBuilder *b, Map *m, const void *key) {
  TaskList *l = map_get(m, key);
  if (!l) {
    l = NEW(b->ir->arena, TaskList);
    map_set(m, key, l);
  }
  return l;
}

static void add_task(TaskList *l, int task) {
  for (size_t i = 0; i < l->len; i++)
    if (l->data[i] == task) return;
  vec_push(l, task);
}

/* `to` stands for what `from` stands for, too. */
static void share(GraphBuilder *b, const Expr *to, const Expr *from) {
  const TaskList *source = expr_is_var(from) ? map_get(&b->tasks_of, from) : NULL;
  if (!source || to == from) return;
  TaskList *l = list_of(b, &b->tasks_of, to);
  for (size_t i = 0; i < source->len; i++) add_task(l, source->data[i]);
}

/* ---- parts of the graph ---- */

static const char *loop_text(GraphBuilder *b) {
  Buf t = {0};
  for (size_t i = 0; i < b->loops.len; i++) {
    const Stmt *s = b->loops.data[i];
    int64_t trips;
    buf_printf(&t, "%s%s", i ? ", " : "", orch_base_name(b->ir, s->u.loop.var->u.var.name));
    if (loop_trip_count(s, &trips)) buf_printf(&t, " x%lld", (long long)trips);
    if (s->u.loop.kind == FOR_PARALLEL) buf_puts(&t, " parallel");
  }
  const char *text = arena_strndup(b->ir->arena, buf_str(&t), t.len);
  buf_free(&t);
  return text;
}

static int new_task(GraphBuilder *b, const Expr *call, Name kernel) {
  intptr_t known = map_get_int(&b->task_of, call);
  if (known) return (int)known - 1;
  GraphTask task = {.kernel = kernel, .loops = loop_text(b), .span = call->span};
  vec_push(&b->graph->tasks, task);
  map_set(&b->task_of, call, map_int((intptr_t)b->graph->tasks.len));
  return (int)b->graph->tasks.len - 1;
}

static int tensor_number(GraphBuilder *b, const Expr *root) {
  intptr_t known = map_get_int(&b->tensor_of, root);
  if (known) return (int)known - 1;
  vec_push(&b->graph->tensors, (GraphTensor){orch_base_name(b->ir, root->u.var.name), false});
  map_set(&b->tensor_of, root, map_int((intptr_t)b->graph->tensors.len));
  return (int)b->graph->tensors.len - 1;
}

static void add_edge(GraphBuilder *b, GraphEdge e) {
  e.again = b->again && e.from >= e.to;
  if (e.from == e.to && !e.again) return;
  const GraphEdge *edges = b->graph->edges.data;
  for (size_t i = 0; i < b->graph->edges.len; i++) {
    const GraphEdge *o = &edges[i];
    if (o->from == e.from && o->to == e.to && o->kind == e.kind && o->tensor == e.tensor) return;
  }
  vec_push(&b->graph->edges, e);
}

static void add_dependency(GraphBuilder *b, int task, const Expr *dep, EdgeKind kind) {
  const TaskList *l = map_get(&b->tasks_of, dep);
  for (size_t i = 0; l && i < l->len; i++)
    add_edge(b, (GraphEdge){.from = l->data[i], .to = task, .kind = kind, .tensor = -1});
}

static void add_listed(GraphBuilder *b, int task, const Expr *call, const char *key,
                       EdgeKind kind) {
  const AttrValue *deps = attr_get(call->u.call.attrs, ir_name(b->ir, key));
  for (int i = 0; deps && deps->kind == ATTR_LIST && i < deps->u.list.len; i++) {
    const AttrValue *dep = &deps->u.list.items[i];
    if (dep->kind == ATTR_EXPR) add_dependency(b, task, dep->u.expr, kind);
  }
}

static void add_dependencies(GraphBuilder *b, int task, const Expr *call) {
  const Launch *l = call->u.call.launch;
  for (int i = 0; l && i < l->ndeps; i++) add_dependency(b, task, l->deps[i], EDGE_WRITTEN);
  add_listed(b, task, call, "manual_dep_edges", EDGE_WRITTEN);
  add_listed(b, task, call, "compiler_manual_dep_edges", EDGE_DERIVED);
}

/* ---- tasks ---- */

/* Input and inout look for the last writer; everything but input becomes one. */
static void use_tensor(GraphBuilder *b, int task, const Expr *root, ArgDir dir) {
  if (b->manual > 0 || dir == ADIR_NO_DEP) return;
  int tensor = tensor_number(b, root);
  TaskList *writers = list_of(b, &b->last_write, root);
  if (dir == ADIR_INPUT || dir == ADIR_INOUT)
    for (size_t i = 0; i < writers->len; i++)
      add_edge(b, (GraphEdge){.from = writers->data[i], .to = task, .tensor = tensor});
  if (dir == ADIR_INPUT) return;
  if (dir == ADIR_INOUT) vec_clear(writers);
  add_task(writers, task);
}

static void call_task(GraphBuilder *b, const Expr *call, const Expr *var) {
  bool known = map_has(&b->task_of, call);
  int task = new_task(b, call, call->u.call.callee);
  const AttrValue *dirs = call_directions(b->ir, call);
  for (int i = 0; dirs && i < call->u.call.nargs; i++) {
    ArgDir dir = direction_at(dirs, i);
    const Expr *root = buffer_root(&b->roots, call->u.call.args[i]);
    if (dir == ADIR_SCALAR || !root) continue;
    if (!known) {
      GraphUse use = {tensor_number(b, root), dir};
      vec_push(&b->graph->tasks.data[task].uses, use);
    }
    use_tensor(b, task, root, dir);
  }
  add_dependencies(b, task, call);
  if (var) add_task(list_of(b, &b->tasks_of, var), task);
}

static void barrier_task(GraphBuilder *b, const Expr *call, const Expr *var) {
  int task = new_task(b, call, NULL);
  add_dependencies(b, task, call);
  add_task(list_of(b, &b->tasks_of, var), task);
}

static void assign_stmt(GraphBuilder *b, const Stmt *s) {
  const Expr *var = s->u.assign.var, *value = s->u.assign.value;
  if (expr_is_op(value, OP_SYSTEM_TASK_DUMMY)) {
    barrier_task(b, value, var);
  } else if (expr_is_call(value) && !value->u.call.op) {
    call_task(b, value, var);
  } else if (expr_is_op(value, OP_ARRAY_UPDATE_ELEMENT)) {
    share(b, var, value->u.call.args[0]);
    share(b, var, value->u.call.args[2]);
  } else if (expr_is_op(value, OP_ARRAY_GET_ELEMENT)) {
    share(b, var, value->u.call.args[0]);
  } else if (value->kind == EXPR_TUPLE_GET) {
    share(b, var, value->u.get.tuple);
  } else {
    share(b, var, value);
  }
}

/* ---- control flow ---- */

static void walk(GraphBuilder *b, Block block);

static void yield_to(GraphBuilder *b, Block body, Expr *const *to, int n) {
  Stmt *y = block_yield(unwrap_auto_scope(b->ir, body));
  for (int i = 0; y && i < n && i < y->u.ret.len; i++) share(b, to[i], y->u.ret.values[i]);
}

/* The body twice: the second time what the first left behind is found.  A loop inside a second walk
 * is walked once. */
static void loop_stmt(GraphBuilder *b, const Stmt *s) {
  bool again = b->again;
  bool repeat = !again && (s->kind == STMT_WHILE || s->u.loop.kind != FOR_PARALLEL);
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    const Expr *arg = s->u.loop.iter_args[i];
    share(b, arg, arg->u.var.init);
  }
  if (s->kind == STMT_FOR) vec_push(&b->loops, s);
  walk(b, s->u.loop.body);
  if (repeat) {
    yield_to(b, s->u.loop.body, s->u.loop.iter_args, s->u.loop.ncarried);
    b->again = true;
    walk(b, s->u.loop.body);
    b->again = again;
  }
  if (s->kind == STMT_FOR) b->loops.len--;
  yield_to(b, s->u.loop.body, s->u.loop.results, s->u.loop.nresults);
}

static void statement(GraphBuilder *b, const Stmt *s) {
  switch (s->kind) {
    case STMT_ASSIGN: assign_stmt(b, s); return;
    case STMT_EVAL:
      if (expr_is_call(s->u.eval) && !s->u.eval->u.call.op) call_task(b, s->u.eval, NULL);
      return;
    case STMT_FOR:
    case STMT_WHILE: loop_stmt(b, s); return;
    case STMT_IF:
      walk(b, s->u.if_.then_body);
      walk(b, s->u.if_.else_body);
      yield_to(b, s->u.if_.then_body, s->u.if_.results, s->u.if_.nresults);
      yield_to(b, s->u.if_.else_body, s->u.if_.results, s->u.if_.nresults);
      return;
    case STMT_SCOPE: {
      int manual = s->u.scope.kind == SCOPE_RUNTIME && s->u.scope.manual;
      b->manual += manual;
      walk(b, s->u.scope.body);
      b->manual -= manual;
      return;
    }
    default: return;
  }
}

static void walk(GraphBuilder *b, Block block) {
  for (int i = 0; i < block.len; i++) statement(b, block.items[i]);
}

static void free_lists(Map *m) {
  for (MapEntry *e = NULL; (e = map_next(m, e));) vec_free((TaskList *)e->value);
  map_free(m);
}

void graph_build(TaskGraph *g, Ir *ir, const Program *p, const Function *f) {
  GraphBuilder b = {.graph = g, .ir = ir, .program = p};
  g->name = f->name;
  buffer_roots_init(&b.roots, ir, p, f, ROOTS_FIRST);
  for (int i = 0; i < f->nparams; i++) {
    if (!type_is_tensor(f->params[i]->type)) continue;
    int number = tensor_number(&b, f->params[i]);
    g->tensors.data[number].param = true;
  }
  walk(&b, f->body);
  buffer_roots_free(&b.roots);
  free_lists(&b.tasks_of);
  free_lists(&b.last_write);
  map_free(&b.tensor_of);
  map_free(&b.task_of);
  vec_free(&b.loops);
}

void graph_free(TaskGraph *g) {
  for (size_t i = 0; i < g->tasks.len; i++) vec_free(&g->tasks.data[i].uses);
  vec_free(&g->tasks);
  vec_free(&g->tensors);
  vec_free(&g->edges);
}

bool codegen_graph(CodegenCtx *ctx, const Program *p, bool svg, Buf *out) {
  int n = 0;
  for (int i = 0; i < p->nfuncs; i++) n += p->funcs[i]->type == FUNC_ORCHESTRATION;
  if (n == 0) {
    diag_error(ctx->ir->diag, p->span,
               "the program has no orchestration whose tasks could be shown");
    return false;
  }
  if (svg && n > 1) {
    diag_error(ctx->ir->diag, p->span,
               "an .svg shows one orchestration, but the program has %d; write a .dot", n);
    return false;
  }
  for (int i = 0; i < p->nfuncs; i++) {
    if (p->funcs[i]->type != FUNC_ORCHESTRATION) continue;
    TaskGraph g = {0};
    graph_build(&g, ctx->ir, p, p->funcs[i]);
    if (svg)
      graph_svg(out, &g);
    else
      graph_dot(out, &g);
    graph_free(&g);
  }
  return true;
}
