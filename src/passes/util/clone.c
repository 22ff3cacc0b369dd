#include "passes/util/clone.h"

#include "ir/rewrite.h"

static Expr *clone_def(Rewriter *r, Expr *var) {
  const CloneDefs *defs = r->ctx;
  Expr *known = map_get(&r->subst, var);
  if (known) return known;
  if (*defs == CLONE_SAME_DEFS && !var->u.var.is_iter_arg) return var;
  const Type *type = rewrite_type(r, var->type);
  Expr *n = var->u.var.is_iter_arg
                ? expr_iter_arg(r->ir, var->u.var.name, type, rewrite_expr(r, var->u.var.init), var->span)
                : expr_var(r->ir, var->u.var.name, type, var->span);
  map_set(&r->subst, var, n);
  return n;
}

Block clone_block(Ir *ir, Block b, const Map *subst, CloneDefs defs) {
  Rewriter r;
  rewriter_init(&r, ir, &defs);
  r.def = clone_def;
  for (MapEntry *m = NULL; (m = map_next(subst, m));) map_set(&r.subst, m->key, m->value);
  Block out = rewrite_block(&r, b);
  rewriter_free(&r);
  return out;
}
