#include "passes/tensor_to_tile/exits.h"

#include "ir/op.h"
#include "ir/visit.h"

/* ---------------------------------------------------------------- uses of a variable */

static bool find_var(Visitor *v, Expr *e) {
  if (e == *(Expr **)v->ctx) *(Expr **)v->ctx = NULL;
  return true;
}

static bool stmt_uses(Stmt *s, Expr *var) {
  Visitor v = {.ctx = &var, .expr = find_var};
  visit_stmt(&v, s);
  return !var;
}

static bool expr_uses(Expr *e, Expr *var) {
  Visitor v = {.ctx = &var, .expr = find_var};
  visit_expr(&v, e);
  return !var;
}

/* ---------------------------------------------------------------- loops that only assemble */

/* The one statement of the body that assembles into the carried value, if the body does nothing else with it
 * and yields the result; its index, or -1. */
static int only_assemble(const Stmt *loop) {
  Expr *carried = loop->u.loop.iter_args[0];
  Block body = loop->u.loop.body;
  int found = -1;
  const Stmt *yield = NULL;
  for (int i = 0; i < body.len; i++) {
    Stmt *s = body.items[i];
    Expr *value = s->kind == STMT_ASSIGN ? s->u.assign.value : NULL;
    if (value && expr_is_op(value, OP_TILE_ASSEMBLE) && value->u.call.nargs == 3 &&
        value->u.call.args[0] == carried) {
      if (found >= 0 || expr_uses(value->u.call.args[1], carried) ||
          expr_uses(value->u.call.args[2], carried))
        return -1;
      found = i;
    } else if (s->kind == STMT_YIELD) {
      if (yield || s->u.ret.len != 1) return -1;
      yield = s;
    } else if (stmt_uses(s, carried)) {
      return -1;
    }
  }
  bool yields_it = found >= 0 && yield && yield->u.ret.values[0] == body.items[found]->u.assign.var;
  return yields_it ? found : -1;
}

/* The loop with its assemble turned into a store into `out`, which it carries instead. */
static Stmt *storing_loop(Ir *ir, const Stmt *loop, int at, Expr *out) {
  Expr *old = loop->u.loop.iter_args[0];
  Expr *carried = expr_iter_arg(ir, old->u.var.name, out->type, out, old->span);
  Block body = block_of(ir, loop->u.loop.body.items, loop->u.loop.body.len);
  Stmt *assemble = body.items[at];
  Expr *call = assemble->u.assign.value, *var = assemble->u.assign.var;
  Expr *args[] = {call->u.call.args[1], call->u.call.args[2], carried};
  Expr *store = op_call(ir, op_get(ir, OP_TILE_STORE), args, 3, (AttrList){0}, call->span);
  if (!store) return NULL;
  Expr *stored = expr_var(ir, var->u.var.name, store->type, var->span);
  for (int i = 0; i < body.len; i++) {
    if (i == at) {
      body.items[i] = stmt_copy(ir, assemble);
      body.items[i]->u.assign.var = stored;
      body.items[i]->u.assign.value = store;
    } else if (body.items[i]->kind == STMT_YIELD) {
      body.items[i] = stmt_copy(ir, body.items[i]);
      body.items[i]->u.ret.values = COPY_ARRAY(ir->arena, Expr *, &stored, 1);
    }
  }
  Expr *result = loop->u.loop.results[0];
  Expr *now = expr_var(ir, result->u.var.name, out->type, result->span);
  Stmt *n = stmt_copy(ir, loop);
  n->u.loop.iter_args = COPY_ARRAY(ir->arena, Expr *, &carried, 1);
  n->u.loop.results = COPY_ARRAY(ir->arena, Expr *, &now, 1);
  n->u.loop.body = body;
  return n;
}

static void remove_stmt(StmtList *list, size_t at) {
  for (size_t i = at; i + 1 < list->len; i++) list->data[i] = list->data[i + 1];
  list->len--;
}

/* Drops the statement that binds `var` if nothing uses it any more. */
static void drop_unused(StmtList *body, Expr *var) {
  size_t def = body->len;
  for (size_t i = 0; i < body->len; i++) {
    if (stmt_uses(body->data[i], var)) return;
    if (body->data[i]->kind == STMT_ASSIGN && body->data[i]->u.assign.var == var &&
        def == body->len)
      def = i;
  }
  if (def < body->len) remove_stmt(body, def);
}

/* Is `var` among the returned values? */
static bool is_returned(Expr *const *values, int n, const Expr *var) {
  for (int i = 0; i < n; i++)
    if (values[i] == var) return true;
  return false;
}

/* If values[i] is the result of such a loop, the loop stores into `out`; gives its new result. */
static Expr *store_in_loop(Ir *ir, StmtList *body, Expr *const *values, int n_values, int k,
                           Expr *out) {
  const Expr *value = values[k];
  for (size_t i = 0; i < body->len; i++) {
    Stmt *s = body->data[i];
    if (s->kind != STMT_FOR || s->u.loop.ncarried != 1 || s->u.loop.nresults != 1 ||
        s->u.loop.results[0] != value)
      continue;
    int at = only_assemble(s);
    Stmt *n = at >= 0 ? storing_loop(ir, s, at, out) : NULL;
    if (!n) return NULL;
    body->data[i] = n;
    Expr *init = s->u.loop.iter_args[0]->u.var.init;
    if (init->kind == EXPR_VAR && !is_returned(values, n_values, init)) drop_unused(body, init);
    return n->u.loop.results[0];
  }
  return NULL;
}

/* ---------------------------------------------------------------- results */

static Expr *store_tile(Ir *ir, Expr *tile, Expr *out, int number, Span span, StmtList *body) {
  Expr **zeros = NEW_ARRAY(ir->arena, Expr *, tile->type->rank);
  for (int i = 0; i < tile->type->rank; i++) zeros[i] = expr_index(ir, 0);
  Expr *args[] = {tile, expr_tuple(ir, zeros, tile->type->rank, span), out};
  Expr *store = op_call(ir, op_get(ir, OP_TILE_STORE), args, 3, (AttrList){0}, span);
  if (!store) return NULL;
  Expr *var = expr_var(ir, name_printf(&ir->names, "ret%d__store", number), store->type, span);
  vec_push(body, stmt_assign(ir, var, store, span));
  return var;
}

bool store_results(Ir *ir, const Function *f, const Stmt *ret, Expr *const *values, StmtList *body,
                   Signature *sig) {
  if (!ret) {
    vec_push(body, stmt_return(ir, NULL, 0, f->span));
    return true;
  }
  Expr **results = NEW_ARRAY(ir->arena, Expr *, ret->u.ret.len + 1);
  for (int i = 0; i < ret->u.ret.len; i++) {
    results[i] = values[i];
    if (type_is_tile(values[i]->type)) {
      if (i >= f->nreturns || f->returns[i]->kind != TYPE_TENSOR) {
        diag_error(ir->diag, ret->span,
                   "a computed value is returned where '%s' declares no tensor", f->name);
        return false;
      }
      Expr *out =
          expr_var(ir, name_printf(&ir->names, "ret%d__out", sig->added), f->returns[i], ret->span);
      vec_push(&sig->params, out);
      vec_push(&sig->dirs, PARAM_OUT);
      Expr *stored = store_in_loop(ir, body, values, ret->u.ret.len, i, out);
      if (!stored) stored = store_tile(ir, values[i], out, sig->added, ret->span, body);
      if (!stored) return false;
      results[i] = stored;
      sig->added++;
    }
    vec_push(&sig->returns, results[i]->type);
  }
  Stmt *n = stmt_copy(ir, ret);
  n->u.ret.values = results;
  vec_push(body, n);
  return true;
}
