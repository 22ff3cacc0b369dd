/* unroll_loops.c -- expands `for i in pl.unroll(...)`; see docs/passes/unroll-loops.md. */
#include "ir/calls.h"
#include "ir/rewrite.h"
#include "passes/pass.h"
#include "passes/util/clone.h"

enum {
  MAX_ITERATIONS = 1024,
  MAX_COPIES = 1 << 22, /* of statements, in one function: nested loops multiply */
};

typedef struct Unroll {
  int64_t copies;
  bool failed;
} Unroll;

typedef struct Range {
  int64_t start, step;
  int64_t trips;
} Range;

static bool constant_bound(Ir *ir, const Expr *e, const char *what, int64_t *out) {
  if (expr_known_int(e, out)) return true;
  diag_error(ir->diag, e->span, "the %s of pl.unroll() is not a constant", what);
  diag_note(ir->diag, e->span, "write pl.range() for a loop whose bounds are known at run time");
  return false;
}

/* False after reporting what makes the loop impossible to unroll. */
static bool unroll_range(Ir *ir, const Stmt *s, Range *r) {
  int64_t stop;
  if (s->u.loop.ncarried > 0) {
    diag_error(ir->diag, s->span, "a pl.unroll() loop cannot carry values (init_values)");
    return false;
  }
  if (!constant_bound(ir, s->u.loop.start, "start", &r->start) ||
      !constant_bound(ir, s->u.loop.stop, "stop", &stop) ||
      !constant_bound(ir, s->u.loop.step, "step", &r->step))
    return false;
  if (r->step == 0) {
    diag_error(ir->diag, s->u.loop.step->span, "the step of pl.unroll() is zero");
    return false;
  }
  /* Unsigned: distances of 64-bit numbers need 64 bits without sign. */
  bool up = r->step > 0;
  uint64_t width = up ? (uint64_t)stop - (uint64_t)r->start : (uint64_t)r->start - (uint64_t)stop;
  uint64_t stride = up ? (uint64_t)r->step : -(uint64_t)r->step;
  bool empty = up ? r->start >= stop : r->start <= stop;
  uint64_t trips = empty ? 0 : (width - 1) / stride + 1;
  if (trips > MAX_ITERATIONS) {
    diag_error(ir->diag, s->span, "pl.unroll() of %llu iterations; at most %d are expanded",
               (unsigned long long)trips, MAX_ITERATIONS);
    diag_note(ir->diag, s->span, "write pl.range() to keep the loop");
    return false;
  }
  r->trips = (int64_t)trips;
  return true;
}

/* The comments of the loop, now above its first statement. */
static Stmt *with_comments_of(Ir *ir, const Stmt *loop, Stmt *first) {
  int n = loop->ncomments + first->ncomments;
  if (loop->ncomments == 0) return first;
  Stmt *copy = stmt_copy(ir, first);
  copy->comments = NEW_ARRAY(ir->arena, Name, n);
  for (int i = 0; i < n; i++)
    copy->comments[i] =
        i < loop->ncomments ? loop->comments[i] : first->comments[i - loop->ncomments];
  copy->ncomments = n;
  return copy;
}

static void unroll_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  if (s->kind != STMT_FOR || s->u.loop.kind != FOR_UNROLL) {
    vec_push(out, rewrite_stmt_children(r, s));
    return;
  }
  Unroll *u = r->ctx;
  Range range;
  if (u->failed || !unroll_range(r->ir, s, &range)) {
    u->failed = true;
    return;
  }
  u->copies += range.trips * s->u.loop.body.len;
  if (u->copies > MAX_COPIES) {
    diag_error(r->ir->diag, s->span,
               "pl.unroll() loops expand this function to more than %d statements", MAX_COPIES);
    u->failed = true;
    return;
  }
  size_t first = out->len;
  for (int64_t i = 0; i < range.trips; i++) {
    Map subst = {0};
    Expr *value =
        expr_int(r->ir, (int64_t)((uint64_t)range.start + (uint64_t)i * (uint64_t)range.step),
                 DT_INDEX, s->u.loop.var->span);
    map_set(&subst, s->u.loop.var, value);
    Block copy = clone_block(r->ir, s->u.loop.body, &subst, CLONE_SAME_DEFS);
    map_free(&subst);
    for (int k = 0; k < copy.len && !u->failed; k++) unroll_stmt(r, copy.items[k], out);
  }
  if (out->len > first) out->data[first] = with_comments_of(r->ir, s, out->data[first]);
}

static Function *unroll_func(void *ctx, Function *f) {
  Ir *ir = ctx;
  Unroll state = {0};
  Rewriter r;
  rewriter_init(&r, ir, &state);
  r.stmt = unroll_stmt;
  Block body = rewrite_block(&r, f->body);
  rewriter_free(&r);
  if (state.failed) return NULL;
  if (body.items == f->body.items && body.len == f->body.len) return f;
  Function *out = func_copy(ir, f);
  out->body = body;
  return out;
}

Program *unroll_loops(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, unroll_func, ctx->ir);
}
