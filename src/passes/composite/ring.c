/* ring.c -- allreduce over a ring: R - 1 rounds reduce segment by segment, R - 1 rounds pass the sums on. */
#include "passes/composite/chunks.h"

typedef struct Ring {
  Chunks c;
  Expr *ranks;    /* as the signal's type says */
  Expr *longest;  /* elements of the largest segment */
  Expr *my_index; /* my_rank as INDEX */
  Expr *steps;    /* R - 1 */
} Ring;

/* One round, as its chunks see it. */
typedef struct Round {
  bool reduces;         /* else it passes on */
  const char *tag;      /* "rs" or "ag", in names */
  Expr *number;         /* its row of the signal */
  Expr *left;           /* the neighbour that is read */
  Expr *begin, *length; /* of the segment */
} Round;

static const char *tagged(Emit *e, const char *fmt, const Round *r) {
  const char *hole = fmt;
  while (*hole != '%') hole++;
  return arena_printf(e->ir->arena, "%.*s%s%s", (int)(hole - fmt), fmt, r->tag, hole + 1);
}

static Expr *binary(Emit *e, ExprKind k, Expr *a, Expr *b) { return comp_binary(e, k, a, b); }
static Expr *add(Emit *e, Expr *a, Expr *b) { return comp_binary(e, EXPR_ADD, a, b); }
static Expr *sub(Emit *e, Expr *a, Expr *b) { return comp_binary(e, EXPR_SUB, a, b); }

/* ---------------------------------------------------------------- segments */

/* Where segment `i` begins. */
static Expr *boundary(Emit *e, const Ring *g, Expr *i) {
  Expr *n = binary(e, EXPR_MUL, i, g->c.columns);
  if (!g->c.whole_blocks) return binary(e, EXPR_FLOOR_DIV, n, g->ranks);
  Expr *block = comp_index(e, g->c.block);
  Expr *up = chunks_round_up(e, n, binary(e, EXPR_MUL, g->ranks, block), false);
  return binary(e, EXPR_MIN, binary(e, EXPR_MUL, up, block), g->c.columns);
}

static Expr *longest_segment(Emit *e, Expr *columns, Expr *ranks, int64_t block) {
  int64_t n, r, more = block - 1; /* rounding up may add to a segment */
  if (expr_const_int(columns, &n) && expr_const_int(ranks, &r) && r > 0) {
    int64_t most = n / r + (n % r != 0);
    if (more > 0) most = most + more < n ? most + more : n;
    return comp_index(e, most);
  }
  Expr *most = binary(e, EXPR_FLOOR_DIV, add(e, columns, sub(e, ranks, comp_index(e, 1))), ranks);
  return more > 0 ? binary(e, EXPR_MIN, columns, add(e, most, comp_index(e, more))) : most;
}

/* (value - less + R) mod R; `further` one more. */
static Expr *around(Emit *e, Expr *value, Expr *less, bool further) {
  Expr *x = sub(e, value, less);
  if (further) x = sub(e, x, comp_index(e, 1));
  return binary(e, EXPR_FLOOR_MOD, add(e, x, e->nranks), e->nranks);
}

/* ---------------------------------------------------------------- one chunk of one round */

typedef struct Part {
  Expr *col;    /* in the segment */
  Expr *active; /* does the segment reach so far? */
  Expr *cols;   /* elements of it here; at least 1 where they are loaded */
  Expr *loaded;
} Part;

static Expr *take(Emit *e, const Ring *g, const Round *r, const Part *p) {
  Expr *at = comp_pair(e, comp_index(e, 0), add(e, r->begin, p->col));
  Open branch;
  comp_if(e, &branch, p->active);
  Expr *value = chunks_load_peer(e, &g->c, r->left, at, p->loaded, tagged(e, "recv_%", r));
  if (r->reduces) {
    Expr *mine = chunks_load(e, &g->c, at, p->loaded, "acc_rs_loaded", "acc_rs");
    value =
        comp_bind(e, "acc_rs_next", e->failed ? NULL : composite_reduce(e, g->c.call, mine, value));
  }
  comp_else(e, &branch, value);
  Expr *start = comp_pair(e, comp_index(e, 0), comp_index(e, 0));
  const char *name = r->reduces ? "acc_rs_placeholder" : "recv_ag_placeholder";
  const char *loaded = arena_printf(e->ir->arena, "%s_loaded", name);
  return comp_end_else(e, &branch, chunks_load(e, &g->c, start, p->loaded, loaded, name));
}

/* min(x, N), in the form that keeps the result in 0 .. N for the analysis of ranges. */
static Expr *at_most_columns(Emit *e, const Ring *g, Expr *x) {
  Expr *n = g->c.columns;
  return sub(e, n, binary(e, EXPR_MAX, comp_index(e, 0), sub(e, n, x)));
}

static void put_back(Emit *e, const Ring *g, const Round *r, const Part *p, Expr *tile) {
  Open branch;
  comp_if(e, &branch, p->active);
  Expr *col = at_most_columns(e, g, add(e, r->begin, p->col));
  Expr *end = at_most_columns(e, g, add(e, col, p->cols));
  const char *narrowed = r->reduces ? "acc_rs_valid" : "recv_ag_valid";
  chunks_store(e, &g->c, tile, col, sub(e, end, col), narrowed, tagged(e, "store_%", r));
  comp_end_if(e, &branch);
}

static void chunk(Emit *e, const Ring *g, const Round *r) {
  Open loop;
  Expr *one = comp_index(e, 1);
  Part p = {0};
  p.col = comp_for(e, &loop, tagged(e, "%_col", r), comp_index(e, 0), g->longest, g->c.chunk);
  p.active = binary(e, EXPR_LT, p.col, r->length);
  p.cols = binary(e, EXPR_MIN, g->c.chunk, sub(e, r->length, p.col));
  p.loaded = binary(e, EXPR_MAX, one, p.cols);
  Expr *epoch = binary(e, EXPR_MUL, binary(e, EXPR_FLOOR_DIV, p.col, g->c.chunk), comp_index(e, 2));
  epoch = add(e, epoch, one);
  Expr *ready = comp_bind(e, tagged(e, "%_ready_epoch", r), comp_cast(e, epoch, DT_INT32));
  comp_meet(e, r->number, ready, tagged(e, "_%_ready", r));
  Expr *tile = take(e, g, r, &p);
  Expr *read = comp_cast(e, add(e, epoch, one), DT_INT32);
  read = comp_bind(e, tagged(e, "%_read_epoch", r), read);
  comp_meet(e, r->number, read, tagged(e, "_%_read", r));
  put_back(e, g, r, &p, tile);
  comp_end_for(e, &loop);
}

/* ---------------------------------------------------------------- the rounds */

static void rounds(Emit *e, const Ring *g, bool reduces) {
  Round r = {.reduces = reduces, .tag = reduces ? "rs" : "ag"};
  Open loop;
  Expr *one = comp_index(e, 1);
  Expr *var = comp_for(e, &loop, tagged(e, "%_step", &r), comp_index(e, 0), g->steps, one);
  Expr *step = comp_bind(e, reduces ? "step" : "ag_step_val", add(e, var, one));
  r.number = reduces ? var : comp_bind(e, "ag_round", add(e, var, g->steps));
  Expr *segment = comp_bind(e, reduces ? "recv_add_idx" : "ag_segment_idx",
                            around(e, g->my_index, step, reduces));
  r.left = comp_bind(e, reduces ? "left" : "ag_left", around(e, g->my_index, one, false));
  r.begin = comp_bind(e, tagged(e, "%_segment_begin", &r), boundary(e, g, segment));
  Expr *end = comp_bind(e, tagged(e, "%_segment_end", &r), boundary(e, g, add(e, segment, one)));
  r.length = comp_bind(e, tagged(e, "%_segment_cols", &r), sub(e, end, r.begin));
  chunk(e, g, &r);
  comp_end_for(e, &loop);
}

static bool check_signal(Emit *e, const Expr *call) {
  const Type *t = call->u.call.args[1]->type;
  const char *name = expr_op(call)->name;
  int64_t rows, ranks;
  if (t->kind != TYPE_DIST_TENSOR || t->rank != 2 || t->dtype != DT_INT32)
    composite_error(
        e, call, "the signal of %s over a ring must be a window [2 * (ranks - 1), ranks] of INT32",
        name);
  else if (expr_const_int(t->shape[0], &rows) && expr_const_int(t->shape[1], &ranks) && ranks > 0 &&
           (rows % 2 != 0 || rows / 2 != ranks - 1))
    composite_error(
        e, call,
        "the signal of %s over a ring of %lld ranks must have 2 * (ranks - 1) rows, but has %lld",
        name, (long long)ranks, (long long)rows);
  return !e->failed;
}

Expr *composite_ring(Emit *e, const Expr *call) {
  Expr *target = call->u.call.args[0], *signal = call->u.call.args[1], *one = comp_index(e, 1);
  const Type *t = target->type;
  Expr *const *valid = chunks_partial(t);
  if (!check_signal(e, call)) return NULL;
  if (valid && !chunks_is_prefix(valid, t->shape, t->rank))
    return composite_error(
        e, call, "the valid part of the target of %s over a ring must be a prefix of its elements",
        expr_op(call)->name);
  comp_ranks(e, target, signal);
  Ring g = {.c = {.call = call, .target = target}, .ranks = signal->type->shape[1]};
  g.my_index = comp_bind(e, "my_rank_idx", comp_cast(e, e->my_rank, DT_INDEX));
  Expr *all = chunks_product(e, t->shape, t->rank);
  g.c.columns = valid ? chunks_product(e, valid, t->rank) : all;
  g.longest = longest_segment(e, g.c.columns, g.ranks, t->dtype == DT_FP16 ? BLOCK_BYTES / 2 : 1);
  chunks_size(e, &g.c, g.longest);
  g.c.row = chunks_view(e, target, one, all, valid ? one : NULL, g.c.columns);
  g.steps = comp_bind(e, "nr_minus_one", sub(e, e->nranks, one));
  rounds(e, &g, true);
  rounds(e, &g, false);
  Expr *total =
      binary(e, EXPR_MUL, comp_index(e, 2), chunks_round_up(e, g.longest, g.c.chunk, false));
  total = comp_bind(e, "ring_reset_total", comp_cast(e, total, DT_INT32));
  comp_reset(e, signal->type->shape[0], total);
  return target;
}
