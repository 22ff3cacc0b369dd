#include "passes/verify/types.h"

#include "base/map.h"
#include "ir/visit.h"

typedef struct Check {
  Ir *ir;
  TypeRule rule;
  Map seen;
  bool ok;
} Check;

static void check_type(Check *c, const Type *t, Span at) {
  if (!map_set(&c->seen, t, map_int(1))) return;
  if (!c->rule(c->ir, t, at)) c->ok = false;
  for (int i = 0; i < t->nelems; i++) check_type(c, t->elems[i], at);
}

static bool check_expr(Visitor *v, Expr *e) {
  check_type(v->ctx, e->type, e->span);
  return true;
}

static void check_def(Visitor *v, Expr *var) { check_type(v->ctx, var->type, var->span); }

bool verify_types(PassCtx *ctx, const Program *p, TypeRule rule) {
  Check c = {.ir = ctx->ir, .rule = rule, .ok = true};
  Visitor v = {.ctx = &c, .expr = check_expr, .def = check_def};
  visit_program(&v, p);
  for (int i = 0; i < p->nfuncs; i++)
    for (int k = 0; k < p->funcs[i]->nreturns; k++)
      check_type(&c, p->funcs[i]->returns[k], p->funcs[i]->span);
  map_free(&c.seen);
  return c.ok;
}
