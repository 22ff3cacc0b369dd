/* A tile type keeps no view that says no more than its shape and space imply: one tile has one type. */
#include "base/map.h"
#include "ir/print.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  Map seen;
  bool ok;
} Check;

static void check_type(Check *c, const Type *t, Span at) {
  if (!map_set(&c->seen, t, map_int(1))) return;
  if (type_is_tile(t) && t->tile_view &&
      tile_view_is_implied(c->ir, t->tile_view, t->shape, t->rank, t->dtype, t->space)) {
    diag_error(c->ir->diag, at, "the type %s has a view that is implied", type_str(c->ir, t));
    c->ok = false;
  }
  for (int i = 0; i < t->nelems; i++) check_type(c, t->elems[i], at);
}

static bool check_expr(Visitor *v, Expr *e) {
  check_type(v->ctx, e->type, e->span);
  return true;
}

static void check_def(Visitor *v, Expr *var) { check_type(v->ctx, var->type, var->span); }

bool verify_tile_type_coherence(PassCtx *ctx, const Program *p) {
  Check c = {.ir = ctx->ir, .ok = true};
  Visitor v = {.ctx = &c, .expr = check_expr, .def = check_def};
  visit_program(&v, p);
  for (int i = 0; i < p->nfuncs; i++)
    for (int k = 0; k < p->funcs[i]->nreturns; k++) check_type(&c, p->funcs[i]->returns[k], p->funcs[i]->span);
  map_free(&c.seen);
  return c.ok;
}
