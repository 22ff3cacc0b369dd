#include "passes/util/clone.h"

#include "ir/rewrite.h"

typedef struct Clone {
  CloneDefs defs;
  const Map *kept; /* variables that stay in types; NULL: none */
  int in_type;
} Clone;

static Expr *clone_def(Rewriter *r, Expr *var) {
  const Clone *c = r->ctx;
  Expr *known = map_get(&r->subst, var);
  if (known) return known;
  if (c->defs == CLONE_SAME_DEFS && !var->u.var.is_iter_arg) return var;
  const Type *type = rewrite_type(r, var->type);
  Expr *n = var->u.var.is_iter_arg ? expr_iter_arg(r->ir, var->u.var.name, type,
                                                   rewrite_expr(r, var->u.var.init), var->span)
                                   : expr_var(r->ir, var->u.var.name, type, var->span);
  map_set(&r->subst, var, n);
  return n;
}

static Expr *clone_expr(Rewriter *r, Expr *e) {
  const Clone *c = r->ctx;
  return c->in_type && map_has(c->kept, e) ? e : rewrite_expr_children(r, e);
}

static const Type *clone_type(Rewriter *r, const Type *t) {
  Clone *c = r->ctx;
  c->in_type++;
  t = rewrite_type_children(r, t);
  c->in_type--;
  return t;
}

static Block clone(Ir *ir, Block b, const Map *subst, Clone *c) {
  Rewriter r;
  rewriter_init(&r, ir, c);
  r.def = clone_def;
  if (c->kept && c->kept->count) {
    r.expr = clone_expr;
    r.type = clone_type;
  }
  for (MapEntry *m = NULL; (m = map_next(subst, m));) map_set(&r.subst, m->key, m->value);
  Block out = rewrite_block(&r, b);
  rewriter_free(&r);
  return out;
}

Block clone_block(Ir *ir, Block b, const Map *subst, CloneDefs defs) {
  return clone(ir, b, subst, &(Clone){.defs = defs});
}

Block clone_block_keeping(Ir *ir, Block b, const Map *subst, const Map *kept) {
  return clone(ir, b, subst, &(Clone){.defs = CLONE_FRESH_DEFS, .kept = kept});
}
