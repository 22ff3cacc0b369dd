/* The walk over an orchestration: tasks, views, branches and scopes. */
#include "ir/calls.h"
#include "ir/op.h"
#include "passes/auto_deps/auto_deps.h"

int auto_deps_enter(Derive *d) {
  vec_push(&d->blocks, ++d->last_block);
  vec_push(&d->frames, d->last_block);
  return d->last_block;
}

void auto_deps_leave(Derive *d) {
  d->blocks.len--;
  d->frames.len--;
}

/* ---- tasks ---- */

static Task *new_task(Derive *d, const Expr *call, Expr *var) {
  Task *t = NEW(d->ir->arena, Task);
  t->call = call;
  t->id = var && call_is_submit(call) ? map_get(&d->tails, var) : var;
  t->block = vec_last(&d->blocks);
  map_set(&d->tasks, call, t);
  if (t->id) map_set(&d->by_id, t->id, t);
  return t;
}

static bool can_analyze(const Derive *d, const Expr *call) {
  const Launch *l = call->u.call.launch;
  bool in_scope = d->automatic || d->frames.len > d->blocks.len;
  return call_directions(d->ir, call) && call_target(d->program, call) && !(l && l->predicate) &&
         in_scope;
}

/* What the user wrote needs not be said again. */
static void start_waits(Derive *d, const Expr *call) {
  const Launch *l = call->u.call.launch;
  map_clear(&d->waited);
  for (int i = 0; l && i < l->ndeps; i++) map_set(&d->waited, l->deps[i], NULL);
}

static void note_task(Derive *d, const Expr *call, Expr *var) {
  if (!can_analyze(d, call)) {
    auto_deps_fail(d);
    return;
  }
  Task *t = new_task(d, call, var);
  const AttrValue *dirs = call_directions(d->ir, call);
  start_waits(d, call);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < call->u.call.nargs && !d->failed; i++) {
      ArgDir dir = direction_at(dirs, i);
      if (dir == ADIR_SCALAR || dir == ADIR_NO_DEP) continue;
      Place p = auto_deps_place(d, call->u.call.args[i]);
      if (!p.root)
        auto_deps_fail(d);
      else if (pass == 1)
        auto_deps_record(d, p.root, auto_deps_use(d, t->id, p.region), dir != ADIR_INPUT);
      else if (auto_deps_wait(d, t, p, dir != ADIR_INPUT))
        vec_push(&t->covered, i);
    }
  }
}

/* ---- statements ---- */

static bool is_view(const Expr *call) {
  switch (expr_op(call)->id) {
    case OP_TENSOR_SLICE:
    case OP_TENSOR_RESHAPE:
    case OP_TENSOR_VIEW:
    case OP_TENSOR_TRANSPOSE:
    case OP_TENSOR_ASSEMBLE: return true;
    default: return false;
  }
}

static void assign(Derive *d, const Stmt *s) {
  Expr *var = s->u.assign.var, *value = s->u.assign.value;
  if (!expr_is_call(value)) return;
  if (!value->u.call.op)
    note_task(d, value, var);
  else if (is_view(value))
    auto_deps_note_view(d, var, value);
  else if (expr_is_op(value, OP_TENSOR_CREATE))
    map_set(&d->made_in, var, map_int(vec_last(&d->blocks)));
  else if (!expr_is_op(value, OP_TENSOR_DIM))
    auto_deps_fail(d);
}

static void branches(Derive *d, const Stmt *s) {
  int first = auto_deps_enter(d);
  auto_deps_walk(d, s->u.if_.then_body);
  auto_deps_leave(d);
  vec_push(&d->excluded, first);
  vec_push(&d->excluded, d->last_block + 1);
  auto_deps_enter(d);
  auto_deps_walk(d, s->u.if_.else_body);
  auto_deps_leave(d);
  d->excluded.len -= 2;
}

/* A scope of the user's own.  What is in it always runs: no block. */
static void scope(Derive *d, const Stmt *s) {
  if (s->u.scope.kind != SCOPE_RUNTIME || s->u.scope.manual) {
    auto_deps_fail(d);
    return;
  }
  if (!d->scoped) d->homes = d->automatic || d->frames.len == 1;
  d->scoped = true;
  vec_push(&d->frames, ++d->last_block);
  auto_deps_walk(d, s->u.scope.body);
  d->frames.len--;
}

static void statement(Derive *d, const Stmt *s) {
  switch (s->kind) {
    case STMT_ASSIGN: assign(d, s); return;
    case STMT_EVAL:
      if (expr_is_call(s->u.eval) && !s->u.eval->u.call.op)
        note_task(d, s->u.eval, NULL);
      else
        auto_deps_fail(d);
      return;
    case STMT_FOR: auto_deps_for(d, s); return;
    case STMT_IF: branches(d, s); return;
    case STMT_SCOPE: scope(d, s); return;
    case STMT_YIELD:
    case STMT_RETURN: return;
    default: auto_deps_fail(d);
  }
}

void auto_deps_walk(Derive *d, Block b) {
  for (int i = 0; i < b.len && !d->failed; i++) statement(d, b.items[i]);
}
