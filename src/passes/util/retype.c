#include "passes/util/retype.h"

#include "ir/visit.h"

void retype_assign(Rewriter *r, Stmt *s, Expr *value, StmtList *out) {
  Expr *var = s->u.assign.var;
  if (value == s->u.assign.value) {
    map_remove(&r->subst, var);
    vec_push(out, s);
    return;
  }
  Stmt *n = stmt_copy(r->ir, s);
  n->u.assign.value = value;
  if (value->type != s->u.assign.value->type) {
    n->u.assign.var = expr_var(r->ir, var->u.var.name, value->type, var->span);
    map_set(&r->subst, var, n->u.assign.var);
  } else {
    map_remove(&r->subst, var);
  }
  vec_push(out, n);
}

/* Results get the given types, one each. */
static Expr **retype_results(Rewriter *r, Expr **results, int n, Expr *const *like, int nlike) {
  Expr **out = results;
  for (int i = 0; i < n; i++) {
    if (i >= nlike || like[i]->type == results[i]->type) continue;
    if (out == results) out = COPY_ARRAY(r->ir->arena, Expr *, results, n);
    out[i] = expr_var(r->ir, results[i]->u.var.name, like[i]->type, results[i]->span);
    map_set(&r->subst, results[i], out[i]);
  }
  return out;
}

/* The first yield at the top of a block or in a scope there, or NULL. */
static const Stmt *find_yield(Block b) {
  for (int i = 0; i < b.len; i++) {
    if (b.items[i]->kind == STMT_YIELD) return b.items[i];
    const Stmt *inner =
        b.items[i]->kind == STMT_SCOPE ? find_yield(b.items[i]->u.scope.body) : NULL;
    if (inner) return inner;
  }
  return NULL;
}

static Stmt *changed_copy(Rewriter *r, Stmt *s, Stmt *n) {
  return n == s ? stmt_copy(r->ir, s) : n;
}

/* What variables stood for before a branch; only those that it binds. */
typedef struct Saved {
  Rewriter *r;
  VEC(Expr *) vars;
  VEC(Expr *) was;
} Saved;

static void save_def(Visitor *v, Expr *var) {
  Saved *s = v->ctx;
  vec_push(&s->vars, var);
  vec_push(&s->was, map_get(&s->r->subst, var));
}

static Block rewrite_branch(Rewriter *r, Block b) {
  Saved saved = {.r = r};
  Visitor v = {.ctx = &saved, .def = save_def};
  visit_block(&v, b);
  Block n = rewrite_block(r, b);
  for (size_t i = 0; i < saved.vars.len; i++) {
    if (saved.was.data[i])
      map_set(&r->subst, saved.vars.data[i], saved.was.data[i]);
    else
      map_remove(&r->subst, saved.vars.data[i]);
  }
  vec_free(&saved.vars);
  vec_free(&saved.was);
  return n;
}

/* Each branch knows only what stood before it: before SSA form both may bind one variable. */
static Stmt *rewrite_if(Rewriter *r, Stmt *s) {
  Expr *cond = rewrite_expr(r, s->u.if_.cond);
  Block then_body = rewrite_branch(r, s->u.if_.then_body);
  Block else_body = s->u.if_.has_else ? rewrite_branch(r, s->u.if_.else_body) : s->u.if_.else_body;
  if (cond == s->u.if_.cond && then_body.items == s->u.if_.then_body.items &&
      else_body.items == s->u.if_.else_body.items)
    return s;
  Stmt *n = stmt_copy(r->ir, s);
  n->u.if_.cond = cond;
  n->u.if_.then_body = then_body;
  n->u.if_.else_body = else_body;
  return n;
}

void retype_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  if (s->kind == STMT_ASSIGN) {
    retype_assign(r, s, rewrite_expr(r, s->u.assign.value), out);
    return;
  }
  Stmt *n = s->kind == STMT_IF ? rewrite_if(r, s) : rewrite_stmt_children(r, s);
  if (stmt_is_loop(s)) {
    Expr **results = retype_results(r, n->u.loop.results, n->u.loop.nresults, n->u.loop.iter_args,
                                    n->u.loop.ncarried);
    if (results != n->u.loop.results) {
      n = changed_copy(r, s, n);
      n->u.loop.results = results;
    }
  } else if (s->kind == STMT_IF) {
    const Stmt *yield = find_yield(n->u.if_.then_body);
    if (!yield && n->u.if_.has_else) yield = find_yield(n->u.if_.else_body);
    Expr **results = n->u.if_.results;
    if (yield)
      results =
          retype_results(r, results, n->u.if_.nresults, yield->u.ret.values, yield->u.ret.len);
    if (results != n->u.if_.results) {
      n = changed_copy(r, s, n);
      n->u.if_.results = results;
    }
  }
  vec_push(out, n);
}

/* A carried variable takes the type of its first value; others are kept unless their types mention a
 * replaced variable. */
static Expr *retype_def(Rewriter *r, Expr *var) {
  if (!var->u.var.is_iter_arg) return rewrite_def_default(r, var);
  Expr *init = rewrite_expr(r, var->u.var.init);
  if (init == var->u.var.init) return var;
  Expr *n = expr_iter_arg(r->ir, var->u.var.name, init->type, init, var->span);
  map_set(&r->subst, var, n);
  return n;
}

void retype_init(Rewriter *r, Ir *ir, void *ctx) {
  rewriter_init(r, ir, ctx);
  r->stmt = retype_stmt;
  r->def = retype_def;
}
