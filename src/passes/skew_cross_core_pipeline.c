/* skew_cross_core_pipeline.c -- runs one half of a loop that talks to the other core ahead of the other half; see
 * docs/passes/skew-cross-core-pipeline.md. */
#include "arith/fold.h"
#include "ir/calls.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/pass.h"
#include "passes/util/loop_copies.h"

enum { FIRST_GROUP = 1 << 20 }; /* no region of LowerPipelineLoops has such a number */

enum { MAX_AHEAD = 1 << 20 }; /* copies would be too many */

typedef struct Skew {
  Name stages;
  int groups; /* made so far */
  int64_t copies;
  bool failed;
} Skew;

/* A loop that talks to the other core; inner loops are done. */
typedef struct Loop {
  Ir *ir;
  Skew *state;
  const Stmt *s;
  int64_t start, step, trips, ahead;
  bool *lead, *follow; /* for each statement of the body: in which halves it stands */
  StageTag tag;
} Loop;

static bool is_push(const Stmt *s) {
  const Expr *call = stmt_call(s);
  return call && (expr_is_op(call, OP_TILE_TPUSH_TO_AIV) || expr_is_op(call, OP_TILE_TPUSH_TO_AIC));
}

static bool is_pop(const Stmt *s) {
  const Expr *call = stmt_call(s);
  return call &&
         (expr_is_op(call, OP_TILE_TPOP_FROM_AIV) || expr_is_op(call, OP_TILE_TPOP_FROM_AIC));
}

static bool skips_pop(const StageTag *tag, const Stmt *s) {
  (void)tag;
  return is_pop(s);
}

/* ---------------------------------------------------------------- who uses what */

enum { CARRIED = -1 };

typedef struct Uses {
  Map defs;     /* variable -> number of the statement that binds it, from 1; or CARRIED */
  bool *marked; /* statements that bind what is used */
  bool carried; /* a carried value is used */
  bool rebound; /* a variable is bound more than once */
  int binding;  /* statement whose variables are being collected, from 1 */
} Uses;

static void on_def(Visitor *v, Expr *var) {
  Uses *u = v->ctx;
  if (!map_set(&u->defs, var, map_int(u->binding))) u->rebound = true;
}

static bool on_use(Visitor *v, Expr *e) {
  Uses *u = v->ctx;
  if (!expr_is_var(e)) return true;
  intptr_t at = map_get_int(&u->defs, e);
  if (at == CARRIED) u->carried = true;
  if (at > 0) u->marked[at - 1] = true;
  visit_type(v, e->type);
  return true;
}

static void collect_defs(Uses *u, const Stmt *s) {
  Block b = s->u.loop.body;
  for (int i = 0; i < s->u.loop.ncarried; i++)
    map_set(&u->defs, s->u.loop.iter_args[i], map_int(CARRIED));
  Visitor v = {.ctx = u, .def = on_def};
  for (int i = 0; i < b.len; i++) {
    u->binding = i + 1;
    visit_stmt(&v, b.items[i]);
  }
}

/* Marks in `marked` what the statement uses; false if that is a carried value. */
static bool mark_uses(Uses *u, Stmt *s, bool *marked) {
  Visitor v = {.ctx = u, .expr = on_use, .types = true};
  u->marked = marked;
  u->carried = false;
  visit_stmt(&v, s);
  return !u->carried;
}

/* ---------------------------------------------------------------- the halves */

/* The first push or pop, and what it needs.  Definitions precede uses, so one way up finds all. */
static bool find_lead(Loop *l, Uses *u) {
  Block b = l->s->u.loop.body;
  int first = 0, size = 0;
  while (!is_push(b.items[first]) && !is_pop(b.items[first])) first++;
  l->lead[first] = true;
  for (int i = first; i >= 0; i--) {
    if (!l->lead[i]) continue;
    size++;
    if (!mark_uses(u, b.items[i], l->lead)) return false;
  }
  return size < b.len - (block_yield(b) != NULL);
}

/* The rest, and scalars of the lead that it needs; false if it needs something else of the lead. */
static bool find_follow(Loop *l, Uses *u) {
  Block b = l->s->u.loop.body;
  for (int i = b.len - 1; i >= 0; i--) {
    Stmt *s = b.items[i];
    if (!l->lead[i]) {
      l->follow[i] = true;
    } else if (!l->follow[i]) {
      continue;
    } else if (s->kind != STMT_ASSIGN || !type_is_scalar(s->u.assign.var->type) || stmt_call(s)) {
      return false;
    }
    mark_uses(u, s, l->follow);
  }
  return true;
}

static bool find_halves(Loop *l) {
  Block b = l->s->u.loop.body;
  const Stmt *yield = block_yield(b);
  int n = l->s->u.loop.ncarried, pushes = 0, pops = 0;
  for (int i = 0; i < b.len; i++) {
    pushes += is_push(b.items[i]);
    pops += is_pop(b.items[i]);
  }
  if (pushes != 1 || pops != 1 || l->s->u.loop.nresults != n || (yield ? yield->u.ret.len : 0) != n)
    return false;
  l->lead = NEW_ARRAY(l->ir->arena, bool, b.len);
  l->follow = NEW_ARRAY(l->ir->arena, bool, b.len);
  Uses u = {0};
  collect_defs(&u, l->s);
  bool ok = !u.rebound && find_lead(l, &u) && find_follow(l, &u);
  map_free(&u.defs);
  return ok;
}

/* ---------------------------------------------------------------- copies */

/* Appends one half for the iteration `index`; `carried`, read and replaced by a follower, are the loop's. */
static void push_half(Loop *l, const bool *half, int stage, Expr *index, Expr **carried,
                      StmtList *out) {
  const Stmt *s = l->s;
  StmtList list = {0};
  for (int i = 0; i < s->u.loop.body.len; i++)
    if (half[i]) vec_push(&list, s->u.loop.body.items[i]);
  l->tag.stage = stage;
  push_copy(l->ir, s, block_take(l->ir, &list), index, carried, &l->tag, out);
}

static Expr *number(Loop *l, int64_t n) { return expr_int(l->ir, n, DT_INDEX, l->s->span); }
static Expr *iteration(Loop *l, int64_t k) { return number(l, l->start + k * l->step); }

static Expr *index_before(Loop *l, Expr *var, int64_t k) {
  return make_binary(l->ir, EXPR_SUB, var, number(l, k * l->step), l->s->span);
}

static Block steady_body(Loop *l, Expr *var, Expr **carried) {
  StmtList body = {0};
  for (int64_t k = 0; k < l->ahead; k++)
    push_half(l, l->lead, (int)k, index_behind(l->ir, var, k * l->step, l->s->span), carried,
              &body);
  for (int64_t k = 0; k < l->ahead; k++)
    push_half(l, l->follow, (int)k, index_before(l, var, l->ahead - k), carried, &body);
  int n = l->s->u.loop.ncarried;
  if (n > 0) vec_push(&body, stmt_yield(l->ir, carried, n, l->s->span));
  return block_take(l->ir, &body);
}

/* The loop over both halves; `carried` become its results. */
static Stmt *steady_loop(Loop *l, Expr **carried) {
  Ir *ir = l->ir;
  Stmt *loop = stmt_copy(ir, l->s);
  int n = loop->u.loop.ncarried;
  Expr *var = l->s->u.loop.var;
  loop->u.loop.kind = FOR_RANGE;
  loop->u.loop.attrs = attr_without(ir, l->s->u.loop.attrs, l->state->stages);
  loop->u.loop.var = expr_var(ir, var->u.var.name, var->type, var->span);
  loop->u.loop.start = iteration(l, l->ahead);
  loop->u.loop.stop = iteration(l, l->trips);
  loop->u.loop.step = number(l, l->ahead * l->step);
  loop->u.loop.iter_args = NEW_ARRAY(ir->arena, Expr *, n);
  loop->u.loop.results = NEW_ARRAY(ir->arena, Expr *, n);
  for (int i = 0; i < n; i++) {
    const Expr *arg = l->s->u.loop.iter_args[i], *result = l->s->u.loop.results[i];
    carried[i] = loop->u.loop.iter_args[i] =
        expr_iter_arg(ir, arg->u.var.name, arg->type, arg->u.var.init, arg->span);
    Name name = ir_name(ir, arena_printf(ir->arena, "%s_swp", result->u.var.name));
    loop->u.loop.results[i] = expr_var(ir, name, result->type, result->span);
  }
  loop->u.loop.body = steady_body(l, loop->u.loop.var, carried);
  for (int i = 0; i < n; i++) carried[i] = loop->u.loop.results[i];
  return loop;
}

static void push_skewed(Loop *l, StmtList *out) {
  const Stmt *s = l->s;
  Expr **carried = NEW_ARRAY(l->ir->arena, Expr *, s->u.loop.ncarried);
  for (int i = 0; i < s->u.loop.ncarried; i++) carried[i] = s->u.loop.iter_args[i]->u.var.init;
  l->tag = (StageTag){.region = FIRST_GROUP + l->state->groups++, .skips = skips_pop};
  for (int64_t k = 0; k < l->ahead; k++)
    push_half(l, l->lead, (int)k, iteration(l, k), carried, out);
  vec_push(out, steady_loop(l, carried));
  for (int64_t k = 0; k < l->ahead; k++)
    push_half(l, l->follow, (int)k, iteration(l, l->trips - l->ahead + k), carried, out);
  for (int i = 0; i < s->u.loop.nresults; i++)
    vec_push(out, stmt_assign(l->ir, s->u.loop.results[i], carried[i], s->span));
}

/* ---------------------------------------------------------------- loops */

static bool fail(Loop *l, const char *what) {
  diag_error(l->ir->diag, l->s->span, "%s", what);
  l->state->failed = true;
  return false;
}

/* How many iterations the lead is ahead, and whether that many copies are allowed. */
static bool set_ahead(Loop *l, int64_t stages) {
  int64_t d = stages - 1 > 2 ? stages - 1 : 2, width, end;
  if (__builtin_mul_overflow(l->trips, l->step, &width) ||
      __builtin_add_overflow(l->start, width, &end))
    return fail(l, "the bounds of this pipeline loop are too large for its stages");
  if (d > l->trips / 2) d = l->trips / 2;
  if (d > MAX_AHEAD) d = MAX_AHEAD;
  int64_t each = 2 * block_size(l->s->u.loop.body);
  while (l->trips % d != 0) d--;
  l->ahead = d;
  if (may_copy(l->ir, &l->state->copies, d, each, l->s->span)) return true;
  l->state->failed = true;
  return false;
}

/* Skews the loop if it can be; false if it stays, or after an error. */
static bool skew(Loop *l, int64_t stages, StmtList *out) {
  const Stmt *s = l->s;
  if (!expr_known_int(s->u.loop.step, &l->step))
    return fail(l, "the step of a pipeline loop must be a constant");
  if (l->step == 0) return fail(l, "the step of a pipeline loop is zero");
  if (!expr_known_int(s->u.loop.start, &l->start) || !loop_trip_count(s, &l->trips) || l->trips < 2)
    return false;
  if (!find_halves(l) || !set_ahead(l, stages)) return false;
  push_skewed(l, out);
  return true;
}

static bool talks_both_ways(Block b) {
  bool push = false, pop = false;
  for (int i = 0; i < b.len; i++) {
    push |= is_push(b.items[i]);
    pop |= is_pop(b.items[i]);
  }
  return push && pop;
}

static void on_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Skew *state = r->ctx;
  Stmt *done = rewrite_stmt_children(r, s);
  bool staged = s->kind == STMT_FOR && s->u.loop.kind == FOR_PIPELINE &&
                attr_get(s->u.loop.attrs, state->stages);
  if (!staged || state->failed || !talks_both_ways(done->u.loop.body)) {
    vec_push(out, done);
    return;
  }
  Loop l = {.ir = r->ir, .state = state, .s = done};
  int64_t stages = attr_int(s->u.loop.attrs, state->stages, 1);
  if (stages < 1) {
    fail(&l, "a pipeline loop has at least one stage");
    return;
  }
  if (stages > 1 && skew(&l, stages, out)) return;
  Stmt *plain = stmt_copy(r->ir, done);
  plain->u.loop.kind = FOR_RANGE;
  plain->u.loop.attrs = attr_without(r->ir, done->u.loop.attrs, state->stages);
  vec_push(out, plain);
}

static Function *on_func(void *ctx, Function *f) {
  Ir *ir = ctx;
  Skew state = {.stages = key_name(KEY_PIPELINE_STAGES)};
  Function *out = rewrite_func_stmts(ir, f, on_stmt, &state);
  return state.failed ? NULL : out;
}

Program *skew_cross_core_pipeline(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, on_func, ctx->ir);
}
