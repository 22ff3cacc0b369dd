/* loops.c -- rule 3: a loop that assembles a tile which is then stored, stores the parts instead. */
#include "arith/analyzer.h"
#include "ir/rewrite.h"
#include "ir/view.h"
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
  Map defs;     /* variable -> its assignment */
  Map uses;     /* variable -> how often it is used */
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

/* ---------------------------------------------------------------- what the loop writes */

enum { MAX_ROUNDS = 256, MAX_EXTENT = 1 << 16 };

/* The parts that the rounds of a loop put into a tile. */
typedef struct Parts {
  Ir *ir;
  Analyzer *an;
  Expr *var;       /* counts the rounds */
  Expr *const *at; /* where the part of a round comes to lie */
  int64_t start, step, rounds;
} Parts;

/* A known extent, all of it valid. */
static bool whole_extent(const Type *t, int dim, int64_t *extent) {
  int n;
  Expr *const *valid = type_valid_shape(t, &n);
  return expr_const_int(t->shape[dim], extent) && dim < n && dim_equal(valid[dim], t->shape[dim]);
}

static bool offset_in_round(const Parts *p, int dim, int64_t round, int64_t *out) {
  analyzer_bind(p->an, p->var, expr_index(p->ir, p->start + round * p->step));
  bool ok = expr_const_int(analyzer_simplify(p->an, p->at[dim]), out);
  analyzer_unbind(p->an, p->var);
  return ok;
}

/* Do parts of `size` elements, one a round, leave none of `whole` out? */
static bool fills_dim(const Parts *p, int dim, int64_t size, int64_t whole) {
  if (whole > MAX_EXTENT) return false;
  bool *filled = NEW_ARRAY(p->ir->arena, bool, whole);
  int64_t at, left = whole;
  for (int64_t k = 0; k < p->rounds; k++) {
    if (!offset_in_round(p, dim, k, &at) || at < 0 || at > whole - size) return false;
    for (int64_t i = at; i < at + size; i++) {
      left -= !filled[i];
      filled[i] = true;
    }
  }
  return left == 0;
}

/* Parts that move along one dimension and reach from end to end in the others. */
static bool parts_fill(const Parts *p, const Type *part, const Type *tile) {
  int64_t size, whole, at;
  bool moves = false;
  if (part->rank != tile->rank || p->rounds == 0) return false;
  for (int i = 0; i < tile->rank; i++) {
    if (!whole_extent(part, i, &size) || !whole_extent(tile, i, &whole)) return false;
    if (expr_const_int(p->at[i], &at) && at == 0 && size == whole) continue;
    if (moves || !fills_dim(p, i, size, whole)) return false;
    moves = true;
  }
  return true;
}

/* Is every element of the tile assembled, whatever the loop begins with? */
static bool fills_tile(Ir *ir, const Stmt *loop, const Expr *assemble) {
  Parts p = {.ir = ir, .var = loop->u.loop.var};
  const Expr *at = assemble->u.call.args[2];
  int64_t stop;
  if (at->kind != EXPR_TUPLE || at->u.tuple.len != assemble->type->rank) return false;
  if (!expr_const_int(loop->u.loop.start, &p.start) || !expr_const_int(loop->u.loop.stop, &stop) ||
      !expr_const_int(loop->u.loop.step, &p.step) || p.step <= 0)
    return false;
  p.at = at->u.tuple.elems;
  p.rounds = stop > p.start ? (stop - p.start + p.step - 1) / p.step : 0;
  if (p.rounds > MAX_ROUNDS) return false;
  p.an = analyzer_new(ir);
  bool fills = parts_fill(&p, assemble->u.call.args[1]->type, assemble->type);
  analyzer_free(p.an);
  return fills;
}

/* ---------------------------------------------------------------- loops that match */

static bool is_used_once(const Loops *ls, const Expr *var) {
  return map_get_int(&ls->uses, var) == 1;
}

/* A plain store of the whole tile at the tensor's start, and nothing else has to do with either. */
static bool is_only_store(const Loops *ls, const Stmt *store, const Stmt *loop) {
  const Expr *call = store->u.assign.value, *at = call->u.call.args[1];
  int64_t n;
  if (call->u.call.nargs != 3 || call->u.call.kwargs.len || at->kind != EXPR_TUPLE) return false;
  for (int i = 0; i < at->u.tuple.len; i++)
    if (!expr_const_int(at->u.tuple.elems[i], &n) || n != 0) return false;
  const Expr *tile = loop->u.loop.results[0];
  for (int i = 0; i < tile->type->rank; i++)
    if (!whole_extent(tile->type, i, &n)) return false;
  return is_used_once(ls, tile) && is_used_once(ls, store->u.assign.var) &&
         is_used_once(ls, call->u.call.args[2]);
}

static bool is_unfilled(const Loops *ls, const Expr *tile) {
  const Stmt *def = map_get(&ls->defs, tile);
  return def && expr_is_op(def->u.assign.value, OP_TILE_CREATE);
}

static void match_loop(Visitor *v, Stmt *s) {
  Loops *ls = v->ctx;
  if (s->kind != STMT_FOR || s->u.loop.ncarried != 1 || s->u.loop.nresults != 1) return;
  const Stmt *store = map_get(&ls->by_tile, s->u.loop.results[0]);
  int at = store ? assembling_stmt(s) : -1;
  if (at < 0 || !only_assembles(s, at) || !is_only_store(ls, store, s)) return;
  Expr *init = s->u.loop.iter_args[0]->u.var.init;
  if (!is_unfilled(ls, init) && !fills_tile(ls->ir, s, s->u.loop.body.items[at]->u.assign.value))
    return;
  Expr *param = store->u.assign.value->u.call.args[2], *old = s->u.loop.results[0];
  Found *f = NEW(ls->ir->arena, Found);
  *f = (Found){s, param, expr_var(ls->ir, old->u.var.name, param->type, old->span), at,
               store->u.assign.var};
  map_set(&ls->found, s, f);
  if (is_used_once(ls, init)) map_set(&ls->dead, init, map_int(1));
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
typedef struct Index {
  Loops *ls;
  const Stmt *ret;
} Index;

static bool index_stmt(Visitor *v, Stmt *s) {
  Index *x = v->ctx;
  if (s->kind == STMT_ASSIGN) map_set(&x->ls->defs, s->u.assign.var, s);
  if (s->kind == STMT_RETURN) x->ret = s;
  return true;
}

static bool count_use(Visitor *v, Expr *e) {
  Map *uses = &((Index *)v->ctx)->ls->uses;
  if (expr_is_var(e)) map_set(uses, e, map_int(map_get_int(uses, e) + 1));
  return true;
}

static void find_stores(Loops *ls) {
  Index x = {.ls = ls};
  Map outs = {0};
  Visitor v = {.ctx = &x, .stmt = index_stmt, .expr = count_use};
  visit_block(&v, ls->func->body);
  for (int i = 0; i < ls->func->nparams; i++)
    if (ls->func->dirs[i] == PARAM_OUT) map_set(&outs, ls->func->params[i], map_int(1));
  for (int i = 0; x.ret && i < x.ret->u.ret.len; i++) {
    const Stmt *def = map_get(&ls->defs, x.ret->u.ret.values[i]);
    const Expr *store = def ? def->u.assign.value : NULL;
    if (store && expr_is_op(store, OP_TILE_STORE) && map_has(&outs, store->u.call.args[2]))
      map_set(&ls->by_tile, store->u.call.args[0], (void *)def);
  }
  map_free(&outs);
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
  map_free(&ls.defs);
  map_free(&ls.uses);
  map_free(&ls.found);
  map_free(&ls.dead);
  map_free(&ls.returned);
  return f;
}

Program *store_in_assembling_loops(Ir *ir, Program *p) {
  return rewrite_program(ir, p, rewrite_one, ir);
}
