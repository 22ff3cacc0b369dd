#include "passes/orch_tensors/roots.h"

#include "ir/calls.h"
#include "ir/visit.h"
#include "passes/orch_tensors/orch_tensors.h"

static Expr *follow(const Map *m, Expr *e) {
  for (Expr *to; e->kind == EXPR_VAR && (to = map_get(m, e)) && to != e;) e = to;
  return e;
}

Expr *root_of_result(const Roots *r, Expr *e) { return follow(&r->returned, e); }

const Expr *root_of(const Roots *r, Expr *e) {
  e = follow(&r->first, root_of_result(r, e));
  /* Blocks see different aliases, so they might lead in a circle. */
  size_t most = r->outputs.count + r->parts.count + 1;
  const Expr *at = e->kind == EXPR_VAR ? e : NULL;
  for (size_t i = 0; at && i < most; i++) {
    if (map_has(&r->outputs, at))
      at = map_get(&r->outputs, at);
    else if (map_has(&r->parts, at))
      at = map_get(&r->parts, at);
    else
      break;
  }
  return at;
}

const Expr *root_storage(const Roots *r, Expr *e) {
  const Expr *at = follow(&r->first, e);
  if (at->kind != EXPR_VAR) return NULL;
  for (size_t i = 0; i <= r->outputs.count && map_has(&r->outputs, at); i++)
    at = map_get(&r->outputs, at);
  return at;
}

void roots_enter_loop(Roots *r, const Stmt *loop) {
  for (int i = 0; i < loop->u.loop.ncarried; i++)
    map_set(&r->first, loop->u.loop.iter_args[i], loop->u.loop.iter_args[i]->u.var.init);
}

void roots_leave_loop(Roots *r, const Stmt *loop) {
  for (int i = 0; i < loop->u.loop.ncarried && i < loop->u.loop.nresults; i++) {
    Expr *result = loop->u.loop.results[i];
    Expr *first = follow(&r->first, loop->u.loop.iter_args[i]->u.var.init);
    if (!type_is_tensor(result->type) || first->kind != EXPR_VAR) continue;
    map_set(&r->first, result, first);
    map_set(&r->returned, result, first);
  }
}

/* ---------------------------------------------------------------- one look at a block */

static void note_part(Roots *r, const Expr *part, const Expr *of) {
  if (!of || part == of) return;
  bool had = map_has(&r->parts, part);
  void *was = map_get(&r->parts, part);
  if (had && was == of) return;
  vec_push(&r->undo, (PartUndo){part, was, had});
  map_set(&r->parts, part, had ? NULL : (void *)of);
}

static bool has_window(const Roots *r, const Function *f, int param) {
  const WindowPlan *plan = map_get(&r->w->plans, f->name);
  for (size_t k = 0; plan && k < plan->outs.len; k++)
    if (plan->outs.data[k].param == param) return true;
  return false;
}

static bool writes_arg(const Function *f, const AttrValue *dirs, int i) {
  if (!dirs) return f->dirs[i] == PARAM_OUT || f->dirs[i] == PARAM_INOUT;
  ArgDir d = direction_at(dirs, i);
  return d == ADIR_OUTPUT || d == ADIR_OUTPUT_EXISTING || d == ADIR_INOUT;
}

/* What each of a call's results is part of. */
static void note_tuple(Roots *r, const Expr *var, const Expr *call, const Function *f) {
  const Expr **items = NEW_ARRAY(r->w->ir->arena, const Expr *, f->nreturns + 1);
  OutReturnList returns = {0};
  out_returns(f, true, &returns);
  for (size_t i = 0; i < returns.len; i++)
    if (returns.data[i].position < f->nreturns && returns.data[i].param < call->u.call.nargs)
      items[returns.data[i].position] = root_of(r, call->u.call.args[returns.data[i].param]);
  vec_free(&returns);
  map_set(&r->tuples, var, items);
}

static void note_call(Roots *r, const Expr *var, const Expr *call) {
  const Function *f = program_func(r->w->program, call->u.call.callee);
  const Expr *only = NULL;
  int n = 0;
  if (!f) return;
  const AttrValue *dirs = call_directions(r->w->ir, call);
  for (int i = 0; i < call->u.call.nargs && i < f->nparams; i++) {
    const Expr *root = writes_arg(f, dirs, i) ? root_of(r, call->u.call.args[i]) : NULL;
    if (!root) continue;
    if (!has_window(r, f, i)) map_set(&r->unwindowed, root, map_int(1));
    only = root;
    n++;
  }
  if (n == 1 && type_is_tensor(var->type)) map_set(&r->outputs, var, (void *)only);
  if (n && var->type->kind == TYPE_TUPLE) note_tuple(r, var, call, f);
}

static void note_assign(Roots *r, const Expr *var, const Expr *value) {
  if (value->kind == EXPR_TUPLE_GET) {
    const Type *t = value->u.get.tuple->type;
    const Expr *const *items = map_get(&r->tuples, value->u.get.tuple);
    /* A submit's last item is its task. */
    bool is_item = items && value->u.get.index < t->nelems - call_is_submit(value->u.get.tuple);
    if (is_item && items[value->u.get.index])
      map_set(&r->outputs, var, (void *)items[value->u.get.index]);
  }
  if (!expr_is_call(value)) return;
  if (expr_is_op(value, OP_TENSOR_SLICE) && type_is_tensor(var->type))
    note_part(r, var, root_of(r, value->u.call.args[0]));
  if (expr_is_op(value, OP_TENSOR_ASSEMBLE)) {
    const Expr *source = root_of_result(r, value->u.call.args[1]);
    if (source->kind == EXPR_VAR) note_part(r, source, root_of(r, value->u.call.args[0]));
  }
  if (value->u.call.callee) note_call(r, var, value);
}

static bool look_at(Visitor *v, Stmt *s) {
  if (s->kind == STMT_ASSIGN) note_assign(v->ctx, s->u.assign.var, s->u.assign.value);
  if (stmt_is_loop(s)) roots_enter_loop(v->ctx, s);
  return true;
}

static void look_behind(Visitor *v, Stmt *s) {
  if (stmt_is_loop(s)) roots_leave_loop(v->ctx, s);
}

BlockRoots roots_enter(Roots *r, Block b) {
  BlockRoots outer = {r->outputs, r->unwindowed, r->tuples, r->undo.len};
  r->outputs = r->unwindowed = r->tuples = (Map){0};
  Visitor v = {.ctx = r, .stmt = look_at, .stmt_end = look_behind};
  visit_block(&v, b);
  return outer;
}

void roots_leave(Roots *r, BlockRoots *outer) {
  map_free(&r->outputs);
  map_free(&r->unwindowed);
  map_free(&r->tuples);
  r->outputs = outer->outputs;
  r->unwindowed = outer->unwindowed;
  r->tuples = outer->tuples;
  while (r->undo.len > outer->undo) {
    PartUndo u = vec_pop(&r->undo);
    if (u.had)
      map_set(&r->parts, u.var, u.was);
    else
      map_remove(&r->parts, u.var);
  }
}

void roots_free(Roots *r) {
  map_free(&r->first);
  map_free(&r->returned);
  map_free(&r->outputs);
  map_free(&r->unwindowed);
  map_free(&r->tuples);
  map_free(&r->parts);
  vec_free(&r->undo);
}
