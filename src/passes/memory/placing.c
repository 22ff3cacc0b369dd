#include "passes/memory/placing.h"

#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/memory/memref.h"

void placing_init(Placing *p, Ir *ir, const Target *target) {
  *p = (Placing){.ir = ir, .target = target};
}

void placing_free(Placing *p) {
  map_free(&p->types);
  map_free(&p->yields);
}

const Type *placing_type(const Placing *p, const Expr *var) {
  const Type *t = map_get(&p->types, var);
  return t ? t : var->type;
}

void placing_set(Placing *p, Expr *var, const Type *type) { map_set(&p->types, var, (void *)type); }

void placing_move(Placing *p, Expr *var, const MemRef *m, MemSpace space) {
  placing_set(p, var, type_placed(p->ir, placing_type(p, var), m, space));
}

Expr *placing_yielded(const Placing *p, const Stmt *yield, int i) {
  if (!yield || i >= yield->u.ret.len) return NULL;
  const YieldEdit *e = map_get(&p->yields, yield);
  return e ? e->values[i] : yield->u.ret.values[i];
}

/* ---------------------------------------------------------------- rewriting */

static Expr *apply_def(Rewriter *r, Expr *var) {
  const Placing *p = r->ctx;
  const Type *t = map_get(&p->types, var);
  if (!t || t == var->type) return rewrite_def_default(r, var);
  Expr *n = expr_var(r->ir, var->u.var.name, rewrite_type(r, t), var->span);
  n->u.var.is_iter_arg = var->u.var.is_iter_arg;
  if (var->u.var.is_iter_arg) n->u.var.init = rewrite_expr(r, var->u.var.init);
  map_set(&r->subst, var, n);
  return n;
}

static Expr *apply_expr(Rewriter *r, Expr *e) {
  const Placing *p = r->ctx;
  Expr *n = rewrite_expr_children(r, e);
  if (!p->strip_stages || n->kind != EXPR_CALL) return n;
  Name key = key_name(KEY_PIPELINE_MEMBERSHIP);
  if (!attr_get(n->u.call.attrs, key)) return n;
  n = expr_copy(r->ir, n);
  n->u.call.attrs = attr_without(r->ir, n->u.call.attrs, key);
  return n;
}

static void apply_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  const Placing *p = r->ctx;
  const YieldEdit *e = s->kind == STMT_YIELD ? map_get(&p->yields, s) : NULL;
  if (!e) {
    vec_push(out, rewrite_stmt_children(r, s));
    return;
  }
  for (int i = 0; i < e->ncopies; i++) vec_push(out, rewrite_stmt_children(r, e->copies[i]));
  Stmt *n = stmt_copy(r->ir, s);
  n->u.ret.values = e->values;
  vec_push(out, rewrite_stmt_children(r, n));
}

Function *placing_apply(Placing *p, Function *f) {
  if (!p->types.count && !p->yields.count && !p->strip_stages) return f;
  Rewriter r;
  rewriter_init(&r, p->ir, p);
  r.def = apply_def;
  r.expr = apply_expr;
  r.stmt = apply_stmt;
  Function *g = rewrite_func(&r, f);
  rewriter_free(&r);
  return g;
}

/* ---------------------------------------------------------------- loop-carried tiles */

static bool align_stmt(Visitor *v, Stmt *s) {
  Placing *p = v->ctx;
  if (!stmt_is_loop(s)) return true;
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    Expr *arg = s->u.loop.iter_args[i], *init = arg->u.var.init;
    const Type *at = expr_is_var(init) ? placing_type(p, init) : NULL;
    if (!at || !tile_base(at)) continue;
    Expr *base = tile_base(placing_type(p, arg));
    if (base && base != at->memref->base) placing_move(p, arg, at->memref, at->space);
    if (i >= s->u.loop.nresults) continue;
    base = tile_base(placing_type(p, s->u.loop.results[i]));
    if (base && base != at->memref->base)
      placing_move(p, s->u.loop.results[i], at->memref, at->space);
  }
  return true;
}

static bool no_exprs(Visitor *v, Expr *e) {
  (void)v;
  (void)e;
  return false;
}

void align_carried(Placing *p, const Function *f) {
  Visitor v = {.ctx = p, .stmt = align_stmt, .expr = no_exprs};
  visit_block(&v, f->body);
}

/* ---------------------------------------------------------------- plain copies */

typedef struct Follow {
  Placing *p;
  Map before; /* variable moved here -> the allocation it lay in */
} Follow;

static void follow_move(Follow *c, Expr *var, const Type *to) {
  Placing *p = c->p;
  map_set(&c->before, var, tile_base(placing_type(p, var)));
  placing_set(p, var, to);
}

static bool follow_stmt(Visitor *v, Stmt *s) {
  Follow *c = v->ctx;
  if (s->kind != STMT_ASSIGN) return true;
  Expr *var = s->u.assign.var, *value = s->u.assign.value;
  Expr *base = tile_base(placing_type(c->p, var));
  if (!base) return false;
  if (expr_is_var(value)) {
    const Type *from = placing_type(c->p, value);
    if (tile_base(from) && tile_base(from) != base) follow_move(c, var, from);
    return false;
  }
  const Op *op = expr_op(value);
  int i = op ? op_written_arg(op) : -1;
  if (i < 0 || i >= value->u.call.nargs) return false;
  const Expr *arg = value->u.call.args[i];
  const Expr *old = map_get(&c->before, arg);
  const Type *now = expr_is_var(arg) ? placing_type(c->p, arg) : NULL;
  if (old != base || !now || tile_base(now) == base) return false;
  follow_move(c, var, type_placed(c->p->ir, placing_type(c->p, var), now->memref, now->space));
  return false;
}

void follow_copies(Placing *p, const Function *f) {
  Follow c = {.p = p};
  Visitor v = {.ctx = &c, .stmt = follow_stmt, .expr = no_exprs};
  visit_block(&v, f->body);
  map_free(&c.before);
}
