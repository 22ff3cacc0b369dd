/* NormalizeReturnOrder: core functions return their output parameters in order;
 * docs/passes/normalize-return-order.md. */
#include <string.h>

#include "ir/calls.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "passes/pass.h"
#include "passes/util/lineage.h"

/* Where each return position of a function goes. */
typedef struct Order {
  int *to;
  int n;
} Order;

typedef struct Normalize {
  Ir *ir;
  Map orders; /* name of a reordered function -> Order */
  /* of the function whose returns are being named */
  const Function *f;
  const Lineage *lineage;
  bool named;
  /* of the function whose calls are being followed */
  Map tuples; /* variable of a reordered call's results -> Order */
} Normalize;

/* ---------------------------------------------------------------- naming parameters */

static bool is_tensor_param(const Function *f, int i) {
  return i >= 0 && type_is_tensor(f->params[i]->type);
}

/* A wrapper that passes on a call's whole tuple returns the parameters one by one instead. */
static Expr **expanded_values(Normalize *n) {
  const Lineage *l = n->lineage;
  if (n->f->nreturns != l->n) return NULL;
  Expr **values = NEW_ARRAY(n->ir->arena, Expr *, l->n);
  for (int i = 0; i < l->n; i++) {
    if (!is_tensor_param(n->f, l->param[i])) return NULL;
    values[i] = n->f->params[l->param[i]];
  }
  return values;
}

static Expr **named_values(Normalize *n, Stmt *ret) {
  Expr **values = COPY_ARRAY(n->ir->arena, Expr *, ret->u.ret.values, ret->u.ret.len);
  bool changed = false;
  for (int i = 0; i < ret->u.ret.len; i++) {
    int param = n->lineage->param[i];
    if (!is_tensor_param(n->f, param) || values[i] == n->f->params[param]) continue;
    values[i] = n->f->params[param];
    changed = true;
  }
  return changed ? values : NULL;
}

static void name_return(Rewriter *r, Stmt *s, StmtList *out) {
  Normalize *n = r->ctx;
  if (s->kind != STMT_RETURN || n->named || s->u.ret.len == 0) {
    vec_push(out, s->kind == STMT_ASSIGN ? s : rewrite_stmt_children(r, s));
    return;
  }
  Expr **values = NULL;
  int len = s->u.ret.len;
  if (len == 1 && n->lineage->n > 1) {
    values = expanded_values(n);
    n->named = values != NULL;
    len = n->lineage->n;
  } else if (len == n->lineage->n) {
    n->named = true;
    values = named_values(n, s);
  }
  if (!values) {
    vec_push(out, s);
    return;
  }
  Stmt *t = stmt_copy(r->ir, s);
  t->u.ret.values = values;
  t->u.ret.len = len;
  vec_push(out, t);
}

static Function *name_params(Normalize *n, Lineages *ls, Function *f) {
  n->f = f;
  n->lineage = lineage_of(ls, f);
  n->named = false;
  if (n->lineage->n == 0) return f;
  Rewriter r;
  rewriter_init(&r, n->ir, n);
  r.stmt = name_return;
  f = rewrite_func(&r, f);
  rewriter_free(&r);
  return f;
}

/* ---------------------------------------------------------------- order */

/* Which parameter stands behind a variable. */
typedef struct Behind {
  Map number; /* parameter -> its index + 1 */
  Map of;     /* variable bound in the outermost statements -> the same; 0: none */
} Behind;

static int param_behind(const Behind *b, const Expr *var) {
  return numbered_param(map_has(&b->of, var) ? &b->of : &b->number, var);
}

static bool is_plain_var(const Expr *e) { return expr_is_var(e) && !e->u.var.is_iter_arg; }

static void find_written(const Function *f, Behind *b) {
  number_params(f, &b->number);
  for (int i = 0; i + 1 < f->body.len; i++) {
    const Stmt *s = f->body.items[i];
    if (s->kind == STMT_ASSIGN) {
      const Expr *value = s->u.assign.value;
      if (expr_is_op(value, OP_TILE_STORE) && value->u.call.nargs >= 3 &&
          is_plain_var(value->u.call.args[2])) {
        map_set(&b->of, s->u.assign.var, map_get(&b->number, value->u.call.args[2]));
      } else if (is_plain_var(value)) {
        int param = param_behind(b, value);
        if (param >= 0) map_set(&b->of, s->u.assign.var, map_int(param + 1));
      }
    }
    for (int k = 0; s->kind == STMT_FOR && k < s->u.loop.nresults && k < s->u.loop.ncarried; k++) {
      const Expr *init = s->u.loop.iter_args[k]->u.var.init;
      int param = is_plain_var(init) ? param_behind(b, init) : -1;
      if (param >= 0) map_set(&b->of, s->u.loop.results[k], map_int(param + 1));
    }
  }
}

/* The position of each parameter among those that are written, or -1; *n is how many are. */
static int *output_positions(Ir *ir, const Function *f, int *n) {
  int *at = NEW_ARRAY(ir->arena, int, f->nparams);
  *n = 0;
  for (int i = 0; i < f->nparams; i++) at[i] = f->dirs[i] != PARAM_IN ? (*n)++ : -1;
  return at;
}

/* Where the return values go; NULL if they stay, as in a body that does nothing but return. */
static Order *order_of(Ir *ir, const Function *f) {
  Stmt *ret = f->body.len > 1 ? f->body.items[f->body.len - 1] : NULL;
  if (!ret || ret->kind != STMT_RETURN || ret->u.ret.len < 2) return NULL;
  int outputs, n = ret->u.ret.len;
  const int *positions = output_positions(ir, f, &outputs);
  if (outputs == 0 || outputs > n) return NULL;
  Behind behind = {0};
  find_written(f, &behind);
  Order *o = NEW(ir->arena, Order);
  o->n = n;
  o->to = NEW_ARRAY(ir->arena, int, n);
  bool *taken = NEW_ARRAY(ir->arena, bool, n), moves = false, ok = true;
  for (int i = 0; i < n; i++) {
    Expr *value = ret->u.ret.values[i];
    int param = is_plain_var(value) ? param_behind(&behind, value) : -1,
        at = param >= 0 ? positions[param] : -1;
    o->to[i] = at < 0 ? i : at;
    moves |= o->to[i] != i;
    ok &= o->to[i] < n && !taken[o->to[i]];
    if (o->to[i] < n) taken[o->to[i]] = true;
  }
  map_free(&behind.number);
  map_free(&behind.of);
  return ok && moves ? o : NULL;
}

static Function *reordered(Ir *ir, const Function *f, const Order *o) {
  Stmt *ret = stmt_copy(ir, f->body.items[f->body.len - 1]);
  Expr **values = NEW_ARRAY(ir->arena, Expr *, o->n);
  Function *g = func_copy(ir, f);
  g->returns = COPY_ARRAY(ir->arena, const Type *, f->returns, f->nreturns);
  for (int i = 0; i < o->n; i++) {
    values[o->to[i]] = ret->u.ret.values[i];
    if (i < f->nreturns && o->to[i] < f->nreturns) g->returns[o->to[i]] = f->returns[i];
  }
  ret->u.ret.values = values;
  g->body.items = COPY_ARRAY(ir->arena, Stmt *, f->body.items, f->body.len);
  g->body.items[f->body.len - 1] = ret;
  return g;
}

/* ---------------------------------------------------------------- callers */

static Expr *follow_item(Rewriter *r, Expr *e) {
  Normalize *n = r->ctx;
  if (e->kind != EXPR_TUPLE_GET) return rewrite_expr_children(r, e);
  Expr *tuple = rewrite_expr(r, e->u.get.tuple);
  const Order *o = map_get(&n->tuples, tuple);
  int at = e->u.get.index;
  if (o && at >= 0 && at < o->n) at = o->to[at];
  if (tuple == e->u.get.tuple && at == e->u.get.index) return e;
  Expr *copy =
      expr_copy(r->ir, e); /* results of another order have other types, but not other values */
  copy->u.get.tuple = tuple;
  copy->u.get.index = at;
  return copy;
}

static void follow_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Normalize *n = r->ctx;
  Stmt *t = rewrite_stmt_children(r, s);
  if (t->kind == STMT_ASSIGN) {
    const Expr *value = t->u.assign.value;
    Order *o = expr_is_call(value) && value->u.call.callee
                   ? map_get(&n->orders, value->u.call.callee)
                   : NULL;
    if (o) map_set(&n->tuples, t->u.assign.var, o);
  }
  vec_push(out, t);
}

static Function *follow_calls(Normalize *n, Function *f) {
  Rewriter r;
  rewriter_init(&r, n->ir, n);
  r.expr = follow_item;
  r.stmt = follow_stmt;
  map_clear(&n->tuples);
  f = rewrite_func(&r, f);
  rewriter_free(&r);
  return f;
}

Program *normalize_return_order(PassCtx *ctx, Program *p) {
  Normalize n = {.ir = ctx->ir};
  Lineages ls = {.ir = ctx->ir, .program = p};
  Function **funcs = COPY_ARRAY(ctx->ir->arena, Function *, p->funcs, p->nfuncs);
  for (int i = 0; i < p->nfuncs; i++) {
    bool core = func_is_incore(funcs[i]->type);
    if (!core && !func_is_wrapper(funcs[i]->type)) continue;
    funcs[i] = name_params(&n, &ls, funcs[i]);
    Order *o = core ? order_of(ctx->ir, funcs[i]) : NULL;
    if (!o) continue;
    funcs[i] = reordered(ctx->ir, funcs[i], o);
    map_set(&n.orders, funcs[i]->name, o);
  }
  for (int i = 0; i < p->nfuncs && n.orders.count; i++)
    if (!func_is_incore(funcs[i]->type)) funcs[i] = follow_calls(&n, funcs[i]);
  map_free(&n.orders);
  map_free(&n.tuples);
  lineages_free(&ls);
  bool same = memcmp(funcs, p->funcs, sizeof *funcs * (size_t)p->nfuncs) == 0;
  return same ? p : program_new(ctx->ir, p->name, funcs, p->nfuncs, p->span);
}
