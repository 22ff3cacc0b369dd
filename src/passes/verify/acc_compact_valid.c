/* CompactMode.normal packs the valid region of a boxed tile; it means something only where tiles are boxes
 * of the matrix unit, in Left, Right and Acc. */
#include "base/map.h"
#include "ir/print.h"
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  Map seen;
  bool ok;
} Check;

static bool packs(MemSpace space) { return space == MEM_LEFT || space == MEM_RIGHT || space == MEM_ACC; }

static void check_type(Check *c, const Type *t, Span at) {
  if (!map_set(&c->seen, t, map_int(1))) return;
  if (type_is_tile(t) && t->tile_view && t->tile_view->compact != COMPACT_NULL && !packs(t->space)) {
    diag_error(c->ir->diag, at, "%s cannot be compact: only tiles in Left, Right and Acc are",
               type_str(c->ir, t));
    c->ok = false;
  }
  for (int i = 0; i < t->nelems; i++) check_type(c, t->elems[i], at);
}

static bool check_expr(Visitor *v, Expr *e) {
  check_type(v->ctx, e->type, e->span);
  return true;
}

static void check_def(Visitor *v, Expr *var) { check_type(v->ctx, var->type, var->span); }

bool verify_acc_compact_valid(PassCtx *ctx, const Program *p) {
  Check c = {.ir = ctx->ir, .ok = true};
  Visitor v = {.ctx = &c, .expr = check_expr, .def = check_def};
  visit_program(&v, p);
  map_free(&c.seen);
  return c.ok;
}
