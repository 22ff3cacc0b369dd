/* lower_pipeline_loops.c -- copies the bodies of pipeline loops, once per stage; see
 * docs/passes/lower-pipeline-loops.md. */
#include "arith/fold.h"
#include "ir/calls.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "passes/pass.h"
#include "passes/util/loop_copies.h"

enum {
  MAX_DYNAMIC_STAGES = 64
}; /* each is a level of nesting, and the copies grow with the square */

typedef struct Names {
  Name stages, double_c;
} Names;

typedef struct Lower {
  Names names;
  int regions; /* made so far */
  int64_t copies;
  int depth; /* pipeline loops around */
  bool failed;
} Lower;

/* A loop being lowered. */
typedef struct Loop {
  Rewriter *r;
  Lower *state;
  const Stmt *s;
  Block body;   /* inner loops lowered */
  int64_t size; /* statements in the body, at any depth */
  int64_t factor, step;
} Loop;

static void *failed(Loop *l) {
  l->state->failed = true;
  return NULL;
}

/* ---------------------------------------------------------------- which stage a call belongs to */

/* The stages of a pipeline share one accumulator, unless they are told to have two. */
static bool shares_acc(const StageTag *tag, const Stmt *s) {
  const bool *double_c = tag->ctx;
  const Op *op = expr_op(s->u.assign.value);
  return op && op_is_matmul(op) && s->u.assign.var->type->space == MEM_ACC && !*double_c;
}

/* ---------------------------------------------------------------- regions */

/* Counts `n` more copies before they are made; false, with an error, if they are too many. */
static bool may_copy_body(Loop *l, int64_t n) {
  return may_copy(l->r->ir, &l->state->copies, n, l->size, l->s->span) || failed(l);
}

/* Appends `n` copies from the iteration `base` on; `carried` are the values on entry, then those at the end. */
static bool push_region(Loop *l, int64_t n, Expr *base, Expr **carried, StmtList *out) {
  const Stmt *s = l->s;
  Ir *ir = l->r->ir;
  bool double_c = attr_bool(s->u.loop.attrs, l->state->names.double_c, false);
  StageTag tag = {.region = l->state->regions++, .skips = shares_acc, .ctx = &double_c};
  for (int64_t k = 0; k < n; k++) {
    tag.stage = (int)k;
    int yields =
        push_copy(ir, s, l->body, index_behind(ir, base, k * l->step, s->span), carried, &tag, out);
    if (yields == s->u.loop.ncarried) continue;
    diag_error(ir->diag, s->span, "the loop carries %d values, but its body yields %d",
               s->u.loop.ncarried, yields);
    return failed(l);
  }
  return true;
}

static Expr **first_values(Loop *l) {
  Expr **out = NEW_ARRAY(l->r->ir->arena, Expr *, l->s->u.loop.ncarried);
  for (int i = 0; i < l->s->u.loop.ncarried; i++) out[i] = l->s->u.loop.iter_args[i]->u.var.init;
  return out;
}

/* New variables for the loop's results, named NAME followed by `suffix`. */
static Expr **named_results(Loop *l, const char *suffix) {
  Ir *ir = l->r->ir;
  Expr **out = NEW_ARRAY(ir->arena, Expr *, l->s->u.loop.nresults);
  for (int i = 0; i < l->s->u.loop.nresults; i++) {
    const Expr *v = l->s->u.loop.results[i];
    Name name = ir_name(ir, arena_printf(ir->arena, "%s%s", v->u.var.name, suffix));
    out[i] = expr_var(ir, name, v->type, v->span);
  }
  return out;
}

/* The values that follow the main loop; its results, as many as are carried. */
static Expr **after_main(Loop *l, Expr **results) {
  Expr **out = first_values(l);
  for (int i = 0; i < l->s->u.loop.nresults; i++) out[i] = results[i];
  return out;
}

static bool push_main(Loop *l, Expr *stop, int64_t stride, Expr **results, StmtList *out) {
  Ir *ir = l->r->ir;
  const Stmt *s = l->s;
  int n = s->u.loop.ncarried;
  Stmt *main = stmt_copy(ir, s);
  Expr **carried = NEW_ARRAY(ir->arena, Expr *, n);
  main->u.loop.iter_args = NEW_ARRAY(ir->arena, Expr *, n);
  for (int i = 0; i < n; i++) {
    const Expr *old = s->u.loop.iter_args[i];
    carried[i] = expr_iter_arg(ir, old->u.var.name, old->type, old->u.var.init, old->span);
    main->u.loop.iter_args[i] = carried[i];
  }
  main->u.loop.var =
      expr_var(ir, s->u.loop.var->u.var.name, s->u.loop.var->type, s->u.loop.var->span);
  StmtList body = {0};
  if (!push_region(l, l->factor, main->u.loop.var, carried, &body)) {
    vec_free(&body);
    return false;
  }
  if (n > 0) vec_push(&body, stmt_yield(ir, carried, n, s->span));
  main->u.loop.body = block_take(ir, &body);
  main->u.loop.stop = stop;
  main->u.loop.step = expr_int(ir, stride, DT_INDEX, s->span);
  main->u.loop.results = results;
  AttrList rest = attr_without(ir, s->u.loop.attrs, l->state->names.stages);
  main->u.loop.attrs = attr_with(ir, rest, l->state->names.stages, attr_of_int(1));
  vec_push(out, main);
  return true;
}

/* ---------------------------------------------------------------- constant bounds */

static void push_sequential(Loop *l, StmtList *out) {
  Stmt *plain = stmt_copy(l->r->ir, l->s);
  plain->u.loop.body = l->body;
  plain->u.loop.kind = FOR_RANGE;
  plain->u.loop.attrs = attr_without(l->r->ir, l->s->u.loop.attrs, l->state->names.stages);
  vec_push(out, plain);
}

static bool lower_static(Loop *l, int64_t start, int64_t trips, StmtList *out) {
  Ir *ir = l->r->ir;
  const Stmt *s = l->s;
  int64_t rounds = trips / l->factor, rest = trips % l->factor;
  if (trips == 0) {
    push_sequential(l, out);
    return true;
  }
  if (!may_copy_body(l, (rounds > 0 ? l->factor : 0) + rest)) return false;
  int64_t stride, width, end;
  if (__builtin_mul_overflow(l->factor, l->step, &stride) ||
      __builtin_mul_overflow(rounds, stride, &width) ||
      __builtin_add_overflow(start, width, &end)) {
    diag_error(ir->diag, s->span, "the bounds of this pipeline loop are too large for its stages");
    return failed(l);
  }
  Expr **results = rest ? named_results(l, "_main") : s->u.loop.results;
  Expr *stop = expr_int(ir, end, DT_INDEX, s->span);
  if (rounds > 0 && !push_main(l, stop, stride, results, out)) return false;
  if (rest == 0) return true;
  Expr **carried = rounds > 0 ? after_main(l, results) : first_values(l);
  if (!push_region(l, rest, expr_int(ir, end, DT_INDEX, s->span), carried, out)) return false;
  for (int i = 0; i < s->u.loop.nresults; i++)
    vec_push(out, stmt_assign(ir, s->u.loop.results[i], carried[i], s->span));
  return true;
}

/* ---------------------------------------------------------------- bounds known when it runs */

typedef struct Dynamic {
  Loop *l;
  Expr *main_end, *rem;
  Expr **main_results;
} Dynamic;

static Expr *arith(Loop *l, ExprKind kind, Expr *a, Expr *b) {
  return make_binary(l->r->ir, kind, a, b, l->s->span);
}
static Expr *number(Loop *l, int64_t n) { return expr_int(l->r->ir, n, DT_INDEX, l->s->span); }

/* Assigns a new index variable; NULL if the value has no type. */
static Expr *assign_index(Loop *l, const char *name, Expr *value, StmtList *out) {
  Ir *ir = l->r->ir;
  if (!value) return NULL;
  Expr *var = expr_var(ir, ir_name(ir, name), type_scalar(ir, DT_INDEX), l->s->span);
  vec_push(out, stmt_assign(ir, var, value, l->s->span));
  return var;
}

/* `if rem == k`, around the tests for the larger remainders `inner`; NULL after an error. */
static Stmt *remainder_test(Dynamic *d, int64_t k, Stmt *inner) {
  Loop *l = d->l;
  Ir *ir = l->r->ir;
  int n = l->s->u.loop.ncarried;
  Stmt *s = stmt_new(ir, STMT_IF, l->s->span);
  s->u.if_.cond = expr_binary(ir, EXPR_EQ, d->rem, number(l, k), DT_BOOL, l->s->span);
  Expr **carried = after_main(l, d->main_results);
  StmtList body = {0};
  if (!push_region(l, k, d->main_end, carried, &body)) {
    vec_free(&body);
    return NULL;
  }
  if (n > 0) vec_push(&body, stmt_yield(ir, carried, n, l->s->span));
  s->u.if_.then_body = block_take(ir, &body);
  if (inner) vec_push(&body, inner);
  if (n > 0) {
    Expr **values = inner ? inner->u.if_.results : d->main_results;
    vec_push(&body, stmt_yield(ir, values, n, l->s->span));
    const char *suffix = arena_printf(ir->arena, "_rem%lld", (long long)k);
    s->u.if_.results = k == 1 ? l->s->u.loop.results : named_results(l, suffix);
    s->u.if_.nresults = l->s->u.loop.nresults;
  }
  s->u.if_.has_else = body.len > 0;
  s->u.if_.else_body = block_take(ir, &body);
  return s;
}

static bool lower_dynamic(Loop *l, StmtList *out) {
  Ir *ir = l->r->ir;
  const Stmt *s = l->s;
  int64_t stride;
  if (l->step < 0 || __builtin_mul_overflow(l->factor, l->step, &stride)) {
    diag_error(
        ir->diag, s->span,
        "the step of a pipeline loop whose bounds are not constant must be positive and small");
    return failed(l);
  }
  int64_t f = l->factor;
  if (f > MAX_DYNAMIC_STAGES) {
    diag_error(ir->diag, s->span,
               "a pipeline loop whose bounds are not constant has at most %d stages, not %lld",
               MAX_DYNAMIC_STAGES, (long long)f);
    return failed(l);
  }
  if (!may_copy_body(l, f + f * (f - 1) / 2)) return false;
  Expr *width = arith(l, EXPR_SUB, s->u.loop.stop, s->u.loop.start);
  Expr *trips = width;
  if (l->step != 1)
    trips = arith(l, EXPR_FLOOR_DIV, arith(l, EXPR_ADD, width, number(l, l->step - 1)),
                  number(l, l->step));
  Expr *rounds = arith(l, EXPR_FLOOR_DIV, trips, number(l, l->factor));
  Expr *covered = arith(l, EXPR_MUL, rounds, number(l, stride));
  Dynamic d = {.l = l, .main_results = named_results(l, "_main")};
  d.main_end =
      assign_index(l, "unroll_main_end", arith(l, EXPR_ADD, s->u.loop.start, covered), out);
  if (!push_main(l, d.main_end, stride, d.main_results, out)) return false;
  Expr *rem = l->step == 1
                  ? arith(l, EXPR_SUB, s->u.loop.stop, d.main_end)
                  : arith(l, EXPR_SUB, trips, arith(l, EXPR_MUL, rounds, number(l, l->factor)));
  d.rem = assign_index(l, "unroll_rem", rem, out);
  Stmt *test = NULL;
  for (int64_t k = l->factor - 1; k >= 1; k--)
    if (!(test = remainder_test(&d, k, test))) return false;
  vec_push(out, test);
  return true;
}

/* ---------------------------------------------------------------- loops */

static bool known_step(Loop *l) {
  Expr *step = l->s->u.loop.step;
  if (!expr_known_int(step, &l->step)) {
    diag_error(l->r->ir->diag, l->s->span, "the step of a pipeline loop must be a constant");
    return failed(l);
  }
  if (l->step != 0) return true;
  diag_error(l->r->ir->diag, l->s->span, "the step of a pipeline loop is zero");
  return failed(l);
}

static void on_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Lower *state = r->ctx;
  bool staged = s->kind == STMT_FOR && s->u.loop.kind == FOR_PIPELINE;
  int64_t factor = staged ? attr_int(s->u.loop.attrs, state->names.stages, 1) : 1;
  if (factor == 1 || state->failed) {
    vec_push(out, rewrite_stmt_children(r, s));
    return;
  }
  Loop l = {.r = r, .state = state, .s = s, .factor = factor};
  if (factor < 1) {
    diag_error(r->ir->diag, s->span, "a pipeline loop of %lld stages", (long long)factor);
    state->failed = true;
    return;
  }
  if (state->depth == 0 && !copies_may_fit(r->ir, s)) {
    state->failed = true;
    return;
  }
  state->depth++;
  l.body = rewrite_block(r, s->u.loop.body);
  state->depth--;
  l.size = block_size(l.body);
  int64_t start, trips;
  if (state->failed || !known_step(&l)) return;
  if (expr_known_int(s->u.loop.start, &start) && loop_trip_count(s, &trips))
    lower_static(&l, start, trips, out);
  else
    lower_dynamic(&l, out);
}

static Function *on_func(void *ctx, Function *f) {
  Ir *ir = ctx;
  Lower state = {.names = {key_name(KEY_PIPELINE_STAGES), key_name(KEY_PIPELINE_DOUBLE_BUFFER_C)}};
  Function *out = rewrite_func_stmts(ir, f, on_stmt, &state);
  return state.failed ? NULL : out;
}

Program *lower_pipeline_loops(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, on_func, ctx->ir);
}
