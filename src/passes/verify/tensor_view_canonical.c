/* The view of every tensor is canonical: shape, strides and layout agree. */
#include "base/map.h"
#include "ir/print.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  Map seen;
  bool materialized, ok;
} Check;

static void check_type(Check *c, const Type *t, Span at) {
  if (!map_set(&c->seen, t, map_int(1))) return;
  const char *problem = type_is_tensor(t) ? tensor_view_problem(c->ir, t, c->materialized) : NULL;
  if (problem) {
    diag_error(c->ir->diag, at, "the view of %s is not canonical: %s", type_str(c->ir, t), problem);
    c->ok = false;
  }
  for (int i = 0; i < t->nelems; i++) check_type(c, t->elems[i], at);
}

static bool check_expr(Visitor *v, Expr *e) {
  check_type(v->ctx, e->type, e->span);
  return true;
}

static void check_def(Visitor *v, Expr *var) { check_type(v->ctx, var->type, var->span); }

static bool verify(PassCtx *ctx, const Program *p, bool materialized) {
  Check c = {.ir = ctx->ir, .materialized = materialized, .ok = true};
  Visitor v = {.ctx = &c, .expr = check_expr, .def = check_def};
  visit_program(&v, p);
  for (int i = 0; i < p->nfuncs; i++)
    for (int k = 0; k < p->funcs[i]->nreturns; k++) check_type(&c, p->funcs[i]->returns[k], p->funcs[i]->span);
  map_free(&c.seen);
  return c.ok;
}

bool verify_tensor_view_canonical(PassCtx *ctx, const Program *p) { return verify(ctx, p, false); }
bool verify_tensor_strides_written(PassCtx *ctx, const Program *p) { return verify(ctx, p, true); }
