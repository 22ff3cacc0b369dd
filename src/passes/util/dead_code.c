#include "passes/util/dead_code.h"

#include "base/map.h"
#include "base/vec.h"
#include "ir/rewrite.h"
#include "ir/visit.h"

/* ---- dead assignments ---- */

/* A removable assignment; several of one variable are chained. */
typedef struct Def Def;
struct Def {
  const Stmt *stmt;
  Def *next;
};

typedef struct Liveness {
  bool (*removable)(const Stmt *);
  Arena arena;
  Map live;          /* set of variables */
  VEC(Expr *) fresh; /* live ones whose definitions were not looked at yet */
  Map defs;          /* variable -> Def* */
} Liveness;

static void make_live(Liveness *l, Expr *var) {
  if (map_set(&l->live, var, map_int(1))) vec_push(&l->fresh, var);
}

static bool live_expr(Visitor *v, Expr *e) {
  if (e->kind == EXPR_VAR) make_live(v->ctx, e);
  return true;
}

static void live_value(Liveness *l, Expr *e) {
  Visitor v = {.ctx = l, .expr = live_expr};
  visit_expr(&v, e);
}

static void live_type(Liveness *l, const Type *t) {
  Visitor v = {.ctx = l, .expr = live_expr};
  visit_type(&v, t);
}

static bool root_stmt(Visitor *v, Stmt *s) {
  Liveness *l = v->ctx;
  if (s->kind == STMT_ASSIGN && l->removable(s)) {
    void **defs = map_at(&l->defs, s->u.assign.var);
    Def *def = NEW(&l->arena, Def);
    *def = (Def){s, *defs};
    *defs = def;
    return false;
  }
  if (s->kind == STMT_ASSIGN) live_type(l, s->u.assign.var->type);
  if (s->kind == STMT_IF)
    for (int i = 0; i < s->u.if_.nresults; i++) live_type(l, s->u.if_.results[i]->type);
  if (stmt_is_loop(s)) {
    for (int i = 0; i < s->u.loop.ncarried; i++) live_type(l, s->u.loop.iter_args[i]->type);
    for (int i = 0; i < s->u.loop.nresults; i++) live_type(l, s->u.loop.results[i]->type);
  }
  return true;
}

static void find_live(Liveness *l, Block b) {
  Visitor v = {.ctx = l, .expr = live_expr, .stmt = root_stmt};
  visit_block(&v, b);
  while (l->fresh.len > 0) {
    Expr *var = vec_pop(&l->fresh);
    for (const Def *d = map_get(&l->defs, var); d; d = d->next) {
      live_value(l, d->stmt->u.assign.value);
      live_type(l, var->type);
    }
  }
}

static void drop_dead(Rewriter *r, Stmt *s, StmtList *out) {
  Liveness *l = r->ctx;
  if (s->kind != STMT_ASSIGN) {
    vec_push(out, rewrite_stmt_children(r, s));
  } else if (!l->removable(s) || map_has(&l->live, s->u.assign.var)) {
    vec_push(out, s);
  }
}

static Expr *same_expr(Rewriter *r, Expr *e) {
  (void)r;
  return e;
}

static const Type *same_type(Rewriter *r, const Type *t) {
  (void)r;
  return t;
}

/* A rewriter that only looks at statements. */
static void statement_rewriter(Rewriter *r, Ir *ir, void *ctx,
                               void (*stmt)(Rewriter *, Stmt *, StmtList *)) {
  rewriter_init(r, ir, ctx);
  r->expr = same_expr;
  r->def = same_expr;
  r->type = same_type;
  r->stmt = stmt;
}

Block remove_dead(Ir *ir, Block b, bool (*removable)(const Stmt *)) {
  Liveness l = {.removable = removable};
  arena_init(&l.arena);
  find_live(&l, b);
  if (l.defs.count > 0) {
    Rewriter r;
    statement_rewriter(&r, ir, &l, drop_dead);
    b = rewrite_block(&r, b);
    rewriter_free(&r);
  }
  map_free(&l.live);
  map_free(&l.defs);
  vec_free(&l.fresh);
  arena_free(&l.arena);
  return b;
}

static bool note_call(Visitor *v, Expr *e) {
  if (expr_is_call(e)) *(bool *)v->ctx = true;
  return true;
}

static bool contains_call(Expr *e) {
  bool found = false;
  Visitor v = {.ctx = &found, .expr = note_call};
  visit_expr(&v, e);
  return found;
}

/* The last element of a task's results says who produced them; manual dependencies are found by it. */
static bool is_task_id(const Expr *e) {
  if (e->kind != EXPR_TUPLE_GET || e->u.get.tuple->kind != EXPR_VAR) return false;
  const Type *t = e->u.get.tuple->type;
  return t->kind == TYPE_TUPLE && e->u.get.index == t->nelems - 1 && e->type->kind == TYPE_SCALAR &&
         e->type->dtype == DT_TASK_ID;
}

bool is_removable_scalar(const Stmt *s) {
  return type_is_scalar(s->u.assign.var->type) && !is_task_id(s->u.assign.value) &&
         !contains_call(s->u.assign.value);
}

/* ---- dead results of branches ---- */

typedef struct Result {
  const Stmt *branch;
  int index;
  bool dead;
} Result;

typedef struct Results {
  Arena arena;
  Map uses;    /* variable -> how often it is read */
  Map results; /* variable -> Result* */
  VEC(Result *) dead;
} Results;

static bool count_use(Visitor *v, Expr *e) {
  Results *r = v->ctx;
  if (e->kind == EXPR_VAR) {
    void **n = map_at(&r->uses, e);
    *n = map_int((intptr_t)*n + 1);
  }
  return true;
}

static bool note_results(Visitor *v, Stmt *s) {
  Results *r = v->ctx;
  if (s->kind != STMT_IF) return true;
  for (int i = 0; i < s->u.if_.nresults; i++) {
    Result *res = NEW(&r->arena, Result);
    *res = (Result){s, i, false};
    map_set(&r->results, s->u.if_.results[i], res);
  }
  return true;
}

static void kill_result(Results *r, Expr *var) {
  Result *res = map_get(&r->results, var);
  if (!res || res->dead || map_get_int(&r->uses, var) > 0) return;
  res->dead = true;
  vec_push(&r->dead, res);
}

static bool drop_use(Visitor *v, Expr *e) {
  Results *r = v->ctx;
  if (e->kind == EXPR_VAR) {
    map_set(&r->uses, e, map_int(map_get_int(&r->uses, e) - 1));
    kill_result(r, e);
  }
  return true;
}

static void drop_yielded(Results *r, Block branch, int index) {
  const Stmt *y = block_yield(branch);
  if (!y || index >= y->u.ret.len) return;
  Visitor v = {.ctx = r, .expr = drop_use};
  visit_expr(&v, y->u.ret.values[index]);
}

/* The list without the values of dead results. */
static int keep_live(Ir *ir, const Results *r, const Stmt *branch, Expr ***list, int n) {
  Expr **kept = NEW_ARRAY(ir->arena, Expr *, n);
  int len = 0;
  for (int i = 0; i < n; i++) {
    const Result *res =
        i < branch->u.if_.nresults ? map_get(&r->results, branch->u.if_.results[i]) : NULL;
    if (!res || !res->dead) kept[len++] = (*list)[i];
  }
  *list = kept;
  return len;
}

static Block trim_yield(Ir *ir, const Results *r, const Stmt *branch, Block b) {
  Stmt *y = block_yield(b);
  if (!y) return b;
  Stmt *n = stmt_copy(ir, y);
  n->u.ret.len = keep_live(ir, r, branch, &n->u.ret.values, y->u.ret.len);
  Block out = block_of(ir, b.items, b.len);
  if (n->u.ret.len == 0)
    out.len--;
  else
    out.items[b.len - 1] = n;
  return out;
}

static void trim_branch(Rewriter *rw, Stmt *s, StmtList *out) {
  const Results *r = rw->ctx;
  Stmt *n = rewrite_stmt_children(rw, s);
  bool any_dead = false;
  for (int i = 0; s->kind == STMT_IF && i < s->u.if_.nresults; i++)
    any_dead |= ((Result *)map_get(&r->results, s->u.if_.results[i]))->dead;
  if (any_dead) {
    if (n == s) n = stmt_copy(rw->ir, s);
    n->u.if_.then_body = trim_yield(rw->ir, r, s, n->u.if_.then_body);
    n->u.if_.else_body = trim_yield(rw->ir, r, s, n->u.if_.else_body);
    n->u.if_.nresults = keep_live(rw->ir, r, s, &n->u.if_.results, s->u.if_.nresults);
  }
  vec_push(out, n);
}

Block remove_dead_results(Ir *ir, Block b) {
  Results r = {0};
  arena_init(&r.arena);
  Visitor v = {.ctx = &r, .expr = count_use, .stmt = note_results};
  visit_block(&v, b);
  for (MapEntry *m = NULL; (m = map_next(&r.results, m));) kill_result(&r, (Expr *)m->key);
  bool any = r.dead.len > 0;
  while (r.dead.len > 0) {
    const Result *res = vec_pop(&r.dead);
    drop_yielded(&r, res->branch->u.if_.then_body, res->index);
    drop_yielded(&r, res->branch->u.if_.else_body, res->index);
  }
  if (any) {
    Rewriter rw;
    statement_rewriter(&rw, ir, &r, trim_branch);
    b = rewrite_block(&rw, b);
    rewriter_free(&rw);
  }
  map_free(&r.uses);
  map_free(&r.results);
  vec_free(&r.dead);
  arena_free(&r.arena);
  return b;
}
