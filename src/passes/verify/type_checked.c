/* Conditions are BOOL scalars, bounds are scalars, and a value that loops and branches hand over keeps its
 * type on the way: initial value, carried variable, yielded value, result. */
#include "arith/analyzer.h"
#include "ir/print.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  Analyzer *facts; /* NULL: passes have run */
  bool ok;
} Check;

static void fault(Check *c, Span at, const char *text) {
  diag_error(c->ir->diag, at, "%s", text);
  c->ok = false;
}

static void check_scalar(Check *c, const Expr *e, const char *text) {
  if (e && !type_is_scalar(e->type)) fault(c, e->span, text);
}

static void check_cond(Check *c, const Expr *e) {
  if (!type_is_scalar(e->type) || e->type->dtype != DT_BOOL)
    fault(c, e->span, "a condition must be a BOOL scalar");
}

/* In what the author wrote, extents must be the same provably.  Later, symbols are taken on trust: an inlined
 * function's may be another's value. */
static bool same_dims(const Check *c, Expr *const *a, int na, Expr *const *b, int nb) {
  int64_t x, y;
  if (na != nb) return false;
  for (int i = 0; i < na; i++) {
    bool numbers = expr_const_int(a[i], &x) && expr_const_int(b[i], &y);
    if (numbers
            ? x != y
            : c->facts && !dim_equal(a[i], b[i]) && !analyzer_proves_equal(c->facts, a[i], b[i]))
      return false;
  }
  return true;
}

static PadValue tensor_pad(const Type *t) {
  return t->tensor_view ? t->tensor_view->pad : PAD_NULL;
}

/* Spaces of tiles, and views that only one of them has, are settled by passes. */
static bool same_tile(const Check *c, const Type *a, const Type *b) {
  int na, nb;
  Expr *const *va = type_valid_shape(a, &na), *const *vb = type_valid_shape(b, &nb);
  if (!c->facts) return true;
  if (!same_dims(c, va, na, vb, nb)) return false;
  if (!a->tile_view || !b->tile_view) return true;
  TileView v = tile_view_of(c->ir, a), w = tile_view_of(c->ir, b);
  return v.blayout == w.blayout && v.slayout == w.slayout && v.fractal == w.fractal &&
         v.pad == w.pad && v.compact == w.compact;
}

static bool same_type(const Check *c, const Type *a, const Type *b) {
  if (a == b) return true;
  if (a->kind != b->kind || a->dtype != b->dtype || a->nelems != b->nelems) return false;
  for (int i = 0; i < a->nelems; i++)
    if (!same_type(c, a->elems[i], b->elems[i])) return false;
  if (!same_dims(c, a->shape, a->rank, b->shape, b->rank)) return false;
  if (!type_is_tensor(a)) return same_tile(c, a, b);
  int na, nb;
  Expr *const *va = type_valid_shape(a, &na), *const *vb = type_valid_shape(b, &nb);
  return same_dims(c, va, na, vb, nb) && tensor_pad(a) == tensor_pad(b) && a->window == b->window;
}

static bool hand_over(Check *c, const Expr *from, const Expr *to, Span at, const char *text) {
  if (same_type(c, from->type, to->type)) return true;
  diag_error(c->ir->diag, at, "%s '%s' changes its type from %s to %s", text, to->u.var.name,
             type_str(c->ir, to->type), type_str(c->ir, from->type));
  c->ok = false;
  return false;
}

static void check_loop(Check *c, const Stmt *s) {
  check_scalar(c, s->u.loop.start, "a loop's start must be a scalar");
  check_scalar(c, s->u.loop.stop, "a loop's end must be a scalar");
  check_scalar(c, s->u.loop.step, "a loop's step must be a scalar");
  if (s->kind == STMT_WHILE) check_cond(c, s->u.loop.cond);
  const Stmt *yield = block_yield(s->u.loop.body);
  for (int i = 0; i < s->u.loop.ncarried; i++) {
    const Expr *arg = s->u.loop.iter_args[i];
    hand_over(c, arg->u.var.init, arg, s->span, "the initial value of");
    if (!yield || i >= yield->u.ret.len) continue;
    if (hand_over(c, yield->u.ret.values[i], arg, yield->span, "the value yielded for") &&
        i < s->u.loop.nresults)
      hand_over(c, yield->u.ret.values[i], s->u.loop.results[i], yield->span, "the result");
  }
}

static void check_if(Check *c, const Stmt *s) {
  check_cond(c, s->u.if_.cond);
  const Stmt *a = block_yield(s->u.if_.then_body), *b = block_yield(s->u.if_.else_body);
  for (int i = 0; i < s->u.if_.nresults; i++) {
    if (a && i < a->u.ret.len)
      hand_over(c, a->u.ret.values[i], s->u.if_.results[i], a->span, "the result");
    if (b && i < b->u.ret.len)
      hand_over(c, b->u.ret.values[i], s->u.if_.results[i], b->span, "the result");
  }
}

static bool check_stmt(Visitor *v, Stmt *s) {
  if (s->kind == STMT_IF) check_if(v->ctx, s);
  if (stmt_is_loop(s)) check_loop(v->ctx, s);
  return true;
}

bool verify_type_checked(PassCtx *ctx, const Program *p) {
  Check c = {.ir = ctx->ir, .facts = ctx->as_read ? analyzer_new(ctx->ir) : NULL, .ok = true};
  Visitor v = {.ctx = &c, .stmt = check_stmt};
  visit_program(&v, p);
  if (c.facts) analyzer_free(c.facts);
  return c.ok;
}
