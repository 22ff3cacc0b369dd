/* waiter_calls.c -- how tasks that only register what they wait for may be launched. */
#include "ir/op.h"
#include "ir/visit.h"
#include "passes/outline/waiter.h"

typedef struct Calls {
  Ir *ir;
  const Function *caller;
  Map *waiters; /* name -> 1, or 2 once a call was seen */
  bool failed;
} Calls;

static bool find_wait(Visitor *v, Expr *e) {
  if (expr_is_op(e, OP_PLD_SYSTEM_DEFER_WAIT)) *(bool *)v->ctx = true;
  return true;
}

static bool waits(Block b) {
  bool found = false;
  Visitor v = {.ctx = &found, .expr = find_wait};
  visit_block(&v, b);
  return found;
}

static bool has_blocks(Ir *ir, AttrList attrs) {
  return attr_get(attrs, ir_name(ir, "core_num")) ||
         attr_bool(attrs, ir_name(ir, "sync_start"), false);
}

static bool refuse(Ir *ir, Span at, Name waiter, const char *what) {
  diag_error(ir->diag, at, "'%s' registers what it waits for, so it %s", waiter, what);
  return false;
}

static bool check_waiter(Ir *ir, const Function *f) {
  if (!key_bool(f->attrs, KEY_DEFERRED_COMPLETION_WAITER, false)) {
    refuse(ir, f->span, f->name, "must be a task of its own");
    diag_note(ir->diag, f->span,
              "write `with pl.at(level=pl.Level.CORE_GROUP)` around pld.system.defer_wait; who "
              "must wait takes "
              "the task's id as a dependency");
    return false;
  }
  if (f->type != FUNC_INCORE && f->type != FUNC_AIV)
    return refuse(ir, f->span, f->name, "must be an InCore or AIV function");
  if (has_blocks(ir, f->attrs))
    return refuse(ir, f->span, f->name, "is one block: no core_num, no sync_start");
  return check_waiter_body(ir, f->body, f->span);
}

static bool check_call(Calls *c, const Expr *call) {
  const Launch *l = call->u.call.launch;
  AttrList attrs = call->u.call.attrs;
  Name waiter = call->u.call.callee;
  if (c->caller->type != FUNC_ORCHESTRATION)
    return refuse(c->ir, call->span, waiter,
                  "must be launched directly from an Orchestration function");
  if ((l && l->allow_early_resolve) || key_bool(attrs, KEY_ALLOW_EARLY_RESOLVE, false))
    return refuse(c->ir, call->span, waiter, "cannot be launched with allow_early_resolve=True");
  if ((l && l->predicate) || key_get(attrs, KEY_PREDICATE))
    return refuse(c->ir, call->span, waiter, "cannot be launched with a predicate");
  if ((l && (l->core_num || l->sync_start)) || has_blocks(c->ir, attrs))
    return refuse(c->ir, call->span, waiter, "is one block: no core_num, no sync_start");
  return true;
}

static bool note_call(Visitor *v, Expr *e) {
  Calls *c = v->ctx;
  if (!expr_is_call(e) || !e->u.call.callee || !map_has(c->waiters, e->u.call.callee)) return true;
  if (!check_call(c, e)) c->failed = true;
  map_set(c->waiters, e->u.call.callee, map_int(2));
  return true;
}

bool check_waiters(Ir *ir, const Program *p, Map *waiters) {
  Calls c = {.ir = ir, .waiters = waiters};
  for (int i = 0; i < p->nfuncs; i++) {
    if (!waits(p->funcs[i]->body)) continue;
    if (!check_waiter(ir, p->funcs[i])) c.failed = true;
    map_set(waiters, p->funcs[i]->name, map_int(1));
  }
  if (waiters->count == 0) return true;
  Visitor v = {.ctx = &c, .expr = note_call};
  for (int i = 0; i < p->nfuncs; i++) {
    c.caller = p->funcs[i];
    visit_block(&v, p->funcs[i]->body);
  }
  for (MapEntry *e = NULL; !c.failed && (e = map_next(waiters, e));)
    if (e->value == map_int(1))
      c.failed = !refuse(ir, p->span, e->key, "must be launched from an Orchestration function");
  return !c.failed;
}
