/* loops.c -- rule 3: a loop that assembles a tile which is then stored, stores the parts instead. */
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/orch_tensors/orch_tensors.h"

/* A loop to be rewritten. */
typedef struct Found {
  const Stmt *loop;
  Expr *param;  /* what it stores into */
  Expr *result; /* its new result */
  int assemble; /* index of the assembling statement in the body */
  Expr *store;  /* the variable that the final store binds */
} Found;

typedef struct Loops {
  Ir *ir;
  Function *func;
  Map by_tile;  /* variable of the stored tile -> the store's assignment */
  Map found;    /* loop -> Found* */
  Map dead;     /* variables whose assignments go */
  Map returned; /* the final store's variable -> the loop's new result */
} Loops;

static bool find_var(Visitor *v, Expr *e) {
  if (e == *(Expr **)v->ctx) *(Expr **)v->ctx = NULL;
  return true;
}

static bool uses(Stmt *s, Expr *var) {
  Visitor v = {.ctx = &var, .expr = find_var};
  visit_stmt(&v, s);
  return !var;
}

static int assembling_stmt(const Stmt *loop) {
  Block b = loop->u.loop.body;
  for (int i = 0; i < b.len; i++) {
    const Expr *value = b.items[i]->kind == STMT_ASSIGN ? b.items[i]->u.assign.value : NULL;
    if (value && expr_is_op(value, OP_TILE_ASSEMBLE) &&
        value->u.call.args[0] == loop->u.loop.iter_args[0])
      return i;
  }
  return -1;
}

/* The loop yields what it assembles and does nothing else with what it carries. */
static bool only_assembles(const Stmt *loop, int at) {
  Block b = loop->u.loop.body;
  const Stmt *yield = block_yield(b);
  if (!yield || yield->u.ret.len != 1 || yield->u.ret.values[0] != b.items[at]->u.assign.var)
    return false;
  for (int i = 0; i < b.len; i++)
    if (i != at && b.items[i]->kind != STMT_YIELD && uses(b.items[i], loop->u.loop.iter_args[0]))
      return false;
  return true;
}

static void match_loop(Visitor *v, Stmt *s) {
  Loops *ls = v->ctx;
  if (s->kind != STMT_FOR || s->u.loop.ncarried != 1 || s->u.loop.nresults != 1) return;
  const Stmt *store = map_get(&ls->by_tile, s->u.loop.results[0]);
  int at = store ? assembling_stmt(s) : -1;
  if (at < 0 || !only_assembles(s, at)) return;
  Expr *param = store->u.assign.value->u.call.args[2], *old = s->u.loop.results[0];
  Found *f = NEW(ls->ir->arena, Found);
  *f = (Found){s, param, expr_var(ls->ir, old->u.var.name, param->type, old->span), at,
               store->u.assign.var};
  map_set(&ls->found, s, f);
  map_set(&ls->dead, s->u.loop.iter_args[0]->u.var.init, map_int(1));
  map_set(&ls->dead, f->store, map_int(1));
  map_set(&ls->returned, f->store, f->result);
}

static Stmt *storing_loop(Ir *ir, const Found *f) {
  const Stmt *loop = f->loop;
  Expr *old = loop->u.loop.iter_args[0];
  Expr *carried = expr_iter_arg(ir, old->u.var.name, f->param->type, f->param, old->span);
  Block b = block_of(ir, loop->u.loop.body.items, loop->u.loop.body.len);
  Stmt *assemble = b.items[f->assemble];
  Expr *call = assemble->u.assign.value;
  Expr *args[] = {call->u.call.args[1], call->u.call.args[2], carried};
  Expr *store = op_call(ir, op_get(ir, OP_TILE_STORE), args, 3, (AttrList){0}, call->span);
  if (!store) return NULL;
  Expr *var = expr_var(ir, assemble->u.assign.var->u.var.name, store->type, assemble->span);
  for (int i = 0; i < b.len; i++) {
    if (i != f->assemble && b.items[i]->kind != STMT_YIELD) continue;
    b.items[i] = stmt_copy(ir, b.items[i]);
    if (i == f->assemble) {
      b.items[i]->u.assign.var = var;
      b.items[i]->u.assign.value = store;
    } else {
      b.items[i]->u.ret.values = COPY_ARRAY(ir->arena, Expr *, &var, 1);
    }
  }
  Stmt *n = stmt_copy(ir, loop);
  n->u.loop.iter_args = COPY_ARRAY(ir->arena, Expr *, &carried, 1);
  n->u.loop.results = COPY_ARRAY(ir->arena, Expr *, (Expr *const *)&f->result, 1);
  n->u.loop.body = b;
  return n;
}

static void on_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Loops *ls = r->ctx;
  if (s->kind == STMT_ASSIGN && map_has(&ls->dead, s->u.assign.var)) return;
  const Found *f = map_get(&ls->found, s);
  if (f) {
    Stmt *n = storing_loop(r->ir, f);
    if (n) vec_push(out, n);
    return;
  }
  if (s->kind == STMT_RETURN) {
    Stmt *n = stmt_copy(r->ir, s);
    n->u.ret.values = COPY_ARRAY(r->ir->arena, Expr *, s->u.ret.values, s->u.ret.len);
    for (int i = 0; i < s->u.ret.len; i++) {
      Expr *to = map_get(&ls->returned, s->u.ret.values[i]);
      if (to) n->u.ret.values[i] = to;
    }
    vec_push(out, n);
    return;
  }
  vec_push(out, rewrite_stmt_children(r, s));
}

/* Final stores: returned, into an Out parameter. */
typedef struct Defs {
  Map value; /* variable -> its assignment */
  Map outs;  /* Out parameters */
  const Stmt *ret;
} Defs;

static bool index_stmt(Visitor *v, Stmt *s) {
  Defs *d = v->ctx;
  if (s->kind == STMT_ASSIGN) map_set(&d->value, s->u.assign.var, s);
  if (s->kind == STMT_RETURN) d->ret = s;
  return true;
}

static void find_stores(Loops *ls) {
  Defs d = {0};
  Visitor v = {.ctx = &d, .stmt = index_stmt};
  visit_block(&v, ls->func->body);
  for (int i = 0; i < ls->func->nparams; i++)
    if (ls->func->dirs[i] == PARAM_OUT) map_set(&d.outs, ls->func->params[i], map_int(1));
  for (int i = 0; d.ret && i < d.ret->u.ret.len; i++) {
    const Stmt *def = map_get(&d.value, d.ret->u.ret.values[i]);
    const Expr *store = def ? def->u.assign.value : NULL;
    if (store && expr_is_op(store, OP_TILE_STORE) && map_has(&d.outs, store->u.call.args[2]))
      map_set(&ls->by_tile, store->u.call.args[0], (void *)def);
  }
  map_free(&d.value);
  map_free(&d.outs);
}

static Function *rewrite_one(void *ctx, Function *f) {
  Ir *ir = ctx;
  if (f->type != FUNC_INCORE) return f;
  Loops ls = {.ir = ir, .func = f};
  find_stores(&ls);
  if (ls.by_tile.count) {
    Visitor v = {.ctx = &ls, .stmt_end = match_loop};
    visit_block(&v, f->body);
  }
  if (ls.found.count) {
    Rewriter r;
    rewriter_init(&r, ir, &ls);
    r.stmt = on_stmt;
    f = rewrite_func(&r, f);
    rewriter_free(&r);
  }
  map_free(&ls.by_tile);
  map_free(&ls.found);
  map_free(&ls.dead);
  map_free(&ls.returned);
  return f;
}

Program *store_in_assembling_loops(Ir *ir, Program *p) {
  return rewrite_program(ir, p, rewrite_one, ir);
}
