/* author_loop.c -- loops over K that an author wrote around an accumulator larger than Acc: one such loop per
 * piece of the result. */
#include "passes/l0_tiling/author_loop.h"

#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/l0_tiling/tiling.h"

/* The statements that make up such a sum. */
typedef struct Sum {
  Stmt *begin, *loop, *store;
  Stmt *load[2];      /* of the left and the right operand */
  Stmt *first, *more; /* the product that begins the sum, and the one that adds to it */
  Expr *chosen;       /* what the `if` around both gives */
} Sum;

typedef struct Cutter {
  PassCtx *ctx;
  Map uses; /* variable -> number of uses in the function */
  bool failed;
} Cutter;

/* ---------------------------------------------------------------- recognizing */

static bool count_use(Visitor *v, Expr *e) {
  Cutter *c = v->ctx;
  if (expr_is_var(e)) ++*(intptr_t *)(void *)map_at(&c->uses, e);
  return true;
}

static Expr *value_of(const Stmt *s, OpId id, int nargs) {
  Expr *call = s && s->kind == STMT_ASSIGN ? s->u.assign.value : NULL;
  return call && expr_is_op(call, id) && call->u.call.nargs == nargs ? call : NULL;
}

static bool is_pair(const Expr *e) { return e->kind == EXPR_TUPLE && e->u.tuple.len == 2; }

static bool is_pair_of(const Expr *e, const Expr *rows, const Expr *cols) {
  int64_t want[2], have[2];
  return is_pair(e) && expr_const_int(rows, &want[0]) && expr_const_int(cols, &want[1]) &&
         expr_const_int(e->u.tuple.elems[0], &have[0]) &&
         expr_const_int(e->u.tuple.elems[1], &have[1]) && have[0] == want[0] && have[1] == want[1];
}

/* The product that a branch consists of. */
static Stmt *only_product(Block b, OpId id, int nargs) {
  if (b.len != 2 || !value_of(b.items[0], id, nargs) || b.items[1]->kind != STMT_YIELD) return NULL;
  const Stmt *y = b.items[1];
  return y->u.ret.len == 1 && y->u.ret.values[0] == b.items[0]->u.assign.var ? b.items[0] : NULL;
}

static bool match_branches(const Stmt *choice, const Expr *carried, Sum *sum) {
  if (choice->kind != STMT_IF || !choice->u.if_.has_else || choice->u.if_.nresults != 1)
    return false;
  Block yes = choice->u.if_.then_body, no = choice->u.if_.else_body;
  if (!(sum->first = only_product(yes, OP_TILE_MATMUL, 2))) {
    Block swap = yes;
    yes = no;
    no = swap;
    sum->first = only_product(yes, OP_TILE_MATMUL, 2);
  }
  sum->more = only_product(no, OP_TILE_MATMUL_ACC, 3);
  if (!sum->first || !sum->more) return false;
  Expr **a = sum->first->u.assign.value->u.call.args, **b = sum->more->u.assign.value->u.call.args;
  sum->chosen = choice->u.if_.results[0];
  return b[0] == carried && a[0] == b[1] && a[1] == b[2] && expr_is_var(a[0]) &&
         expr_is_var(a[1]) && a[0] != a[1];
}

/* A load of a whole matrix into Mat. */
static bool is_whole_load(const Stmt *s) {
  const Expr *load = value_of(s, OP_TILE_LOAD, 4);
  const Type *t = load ? s->u.assign.var->type : NULL;
  if (!t || !type_is_tile(t) || t->rank != 2 || t->space != MEM_MAT ||
      !is_pair(load->u.call.args[1]))
    return false;
  return is_pair_of(load->u.call.args[2], t->shape[0], t->shape[1]) &&
         is_pair_of(load->u.call.args[3], t->shape[0], t->shape[1]);
}

/* Besides the two loads the body computes nothing but numbers. */
static bool match_loads(Block body, Sum *sum) {
  Expr **operands = sum->first->u.assign.value->u.call.args;
  for (int i = 0; i < body.len - 2; i++) {
    Stmt *s = body.items[i];
    if (s->kind != STMT_ASSIGN) return false;
    if (s->u.assign.var == operands[0])
      sum->load[0] = s;
    else if (s->u.assign.var == operands[1])
      sum->load[1] = s;
    else if (expr_is_call(s->u.assign.value) || !type_is_scalar(s->u.assign.var->type))
      return false;
  }
  return is_whole_load(sum->load[0]) && is_whole_load(sum->load[1]);
}

static bool match_frame(Cutter *c, const Sum *sum) {
  const Stmt *loop = sum->loop;
  const Expr *store = value_of(sum->store, OP_TILE_STORE, 3);
  if (!store || sum->begin->kind != STMT_ASSIGN ||
      !expr_is_op(sum->begin->u.assign.value, OP_TILE_CREATE))
    return false;
  if (loop->kind != STMT_FOR || loop->u.loop.kind != FOR_PIPELINE || loop->u.loop.ncarried != 1 ||
      loop->u.loop.nresults != 1)
    return false;
  const Expr *begin = sum->begin->u.assign.var, *result = loop->u.loop.results[0];
  return loop->u.loop.iter_args[0]->u.var.init == begin && store->u.call.args[0] == result &&
         is_pair(store->u.call.args[1]) && expr_is_var(store->u.call.args[2]) &&
         begin->type->rank == 2 && map_get_int(&c->uses, begin) == 1 &&
         map_get_int(&c->uses, result) == 1;
}

/* Do three statements from `s` on compute such a sum? */
static bool match_sum(Cutter *c, Stmt *const *s, Sum *sum) {
  *sum = (Sum){.begin = s[0], .loop = s[1], .store = s[2]};
  if (!match_frame(c, sum)) return false;
  Block body = sum->loop->u.loop.body;
  const Stmt *yield = block_yield(body);
  if (body.len < 2 || !yield ||
      !match_branches(body.items[body.len - 2], sum->loop->u.loop.iter_args[0], sum))
    return false;
  if (yield->u.ret.len != 1 || yield->u.ret.values[0] != sum->chosen || !match_loads(body, sum))
    return false;
  const Type *l = sum->load[0]->u.assign.var->type, *r = sum->load[1]->u.assign.var->type;
  Expr *const *shape = sum->begin->u.assign.var->type->shape;
  int64_t want[2], have[2];
  return expr_const_int(l->shape[0], &want[0]) && expr_const_int(r->shape[1], &want[1]) &&
         expr_const_int(shape[0], &have[0]) && expr_const_int(shape[1], &have[1]) &&
         want[0] == have[0] && want[1] == have[1];
}

/* ---------------------------------------------------------------- one piece */

typedef struct Window {
  const Sum *sum;
  int64_t at[2], valid[2], extent[2]; /* rows, columns; extents are whole boxes */
  int64_t k;
  Expr *init;
  const char *suffix; /* of the names of what has another shape now */
  bool failed;
} Window;

static Name name_in(const Window *w, Ir *ir, const Expr *var) {
  return ir_name(ir, arena_printf(ir->arena, "%s%s", var->u.var.name, w->suffix));
}

static Expr *replace(Rewriter *r, Expr *var, Expr *n) {
  map_set(&r->subst, var, n);
  return n;
}

/* Every copy of the loop binds variables of its own. */
static Expr *new_def(Rewriter *r, Expr *var) {
  const Window *w = r->ctx;
  const Stmt *loop = w->sum->loop;
  const Type *acc = w->init->type;
  if (var == loop->u.loop.iter_args[0])
    return replace(r, var, expr_iter_arg(r->ir, name_in(w, r->ir, var), acc, w->init, var->span));
  if (var == loop->u.loop.results[0] || var == w->sum->chosen)
    return replace(r, var, expr_var(r->ir, name_in(w, r->ir, var), acc, var->span));
  return replace(r, var, expr_var(r->ir, var->u.var.name, rewrite_type(r, var->type), var->span));
}

static Expr *numbers(Ir *ir, int64_t a, int64_t b, Span at) {
  Expr *both[] = {expr_int(ir, a, DT_INDEX, at), expr_int(ir, b, DT_INDEX, at)};
  return expr_tuple(ir, both, 2, at);
}

/* `side` 0: the rows of the left operand; 1: the columns of the right one. */
static void narrow_load(Ir *ir, const Window *w, int side, Expr **args, Span span) {
  Expr *at[] = {args[1]->u.tuple.elems[0], args[1]->u.tuple.elems[1]};
  at[side] = add_offset(ir, at[side], expr_int(ir, w->at[side], DT_INDEX, span), span);
  args[1] = expr_tuple(ir, at, 2, span);
  int64_t e = w->extent[side], v = w->valid[side];
  args[2] = side ? numbers(ir, w->k, e, span) : numbers(ir, e, w->k, span);
  args[3] = side ? numbers(ir, w->k, v, span) : numbers(ir, v, w->k, span);
}

static void cut_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Window *w = r->ctx;
  const Sum *sum = w->sum;
  bool left = s == sum->load[0], right = s == sum->load[1];
  if (!left && !right && s != sum->first && s != sum->more) {
    vec_push(out, rewrite_stmt_children(r, s));
    return;
  }
  const Expr *call = rewrite_expr(r, s->u.assign.value);
  int n = call->u.call.nargs;
  Expr *args[4];
  for (int i = 0; i < n; i++) args[i] = call->u.call.args[i];
  if (left || right) narrow_load(r->ir, w, right, args, call->span);
  Expr *cut = op_call_id(r->ir, call->u.call.op->id, args, n, call->u.call.kwargs, call->span),
       *var = s->u.assign.var;
  if (!cut) {
    w->failed = true;
    return;
  }
  cut->u.call.attrs = call->u.call.attrs;
  Stmt *copy = stmt_copy(r->ir, s);
  copy->u.assign.value = cut;
  copy->u.assign.var =
      replace(r, var, expr_var(r->ir, name_in(w, r->ir, var), cut->type, var->span));
  vec_push(out, copy);
}

/* The loop for one piece; gives its sum, NULL after an error. */
static Expr *cut_loop(Ir *ir, Window *w, StmtList *out) {
  const Expr *begin = w->sum->begin->u.assign.var;
  Span at = w->sum->begin->span;
  AccTile acc = {.name = name_in(w, ir, begin),
                 .dtype = w->sum->first->u.assign.var->type->dtype,
                 .extent = {w->extent[0], w->extent[1]},
                 .valid_rows = expr_int(ir, w->valid[0], DT_INDEX, at),
                 .valid_cols = expr_int(ir, w->valid[1], DT_INDEX, at),
                 .at = at};
  w->init = acc_begin(ir, &acc, out);
  if (!w->init) return NULL;
  Rewriter r;
  rewriter_init(&r, ir, w);
  r.stmt = cut_stmt;
  r.def = new_def;
  Stmt *loop = rewrite_stmt_children(&r, w->sum->loop);
  rewriter_free(&r);
  vec_push(out, loop);
  return w->failed ? NULL : loop->u.loop.results[0];
}

/* ---------------------------------------------------------------- all pieces */

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t boxes(int64_t n, int64_t box) { return (n + box - 1) / box * box; }

/* Gives the tensor with all pieces stored, NULL after an error. */
static Expr *cut_sum(Ir *ir, const Sum *sum, const Product *p, StmtList *out) {
  const Expr *store = sum->store->u.assign.value;
  Expr **at = store->u.call.args[1]->u.tuple.elems;
  Place place = {.target = store->u.call.args[2],
                 .row = at[0],
                 .col = at[1],
                 .kwargs = store->u.call.kwargs,
                 .attrs = store->u.call.attrs,
                 .at = sum->store->span};
  place.base = place.target->u.var.name;
  Expr *whole = place_begin(ir, &place, out);
  int step = 0;
  for (int64_t col = 0; whole && col < p->N; col += p->t.n) {
    for (int64_t row = 0; whole && row < p->M; row += p->t.m, step++) {
      Window w = {.sum = sum,
                  .at = {row, col},
                  .k = p->K,
                  .valid = {least(p->t.m, p->M - row), least(p->t.n, p->N - col)}};
      w.extent[0] = boxes(w.valid[0], p->box_m);
      w.extent[1] = boxes(w.valid[1], p->box_n);
      w.suffix = arena_printf(ir->arena, "_mn%d", step);
      Patch patch = {.value = cut_loop(ir, &w, out),
                     .row = expr_int(ir, row, DT_INDEX, place.at),
                     .col = expr_int(ir, col, DT_INDEX, place.at),
                     .step = step};
      whole = place_put(ir, &place, patch, whole, out);
    }
  }
  return whole;
}

/* Is the sum at `s` one that must be cut?  Then it is, into `out`. */
static bool try_cut(Rewriter *r, Stmt *const *s, StmtList *out) {
  Cutter *c = r->ctx;
  Sum sum;
  Product p;
  if (!match_sum(c, s, &sum) ||
      product_analyze(r->ir, c->ctx->opts, sum.first, ANALYZE_AUTHOR_LOOP, NULL, &p) !=
          PRODUCT_CUT ||
      !product_in_grid(&p))
    return false;
  Stmt *now[3];
  for (int i = 0; i < 3; i++) now[i] = rewrite_stmt_children(r, s[i]);
  if (!match_sum(c, now, &sum)) return false;
  Expr *whole = cut_sum(r->ir, &sum, &p, out);
  if (whole)
    map_set(&r->subst, s[2]->u.assign.var, whole);
  else
    c->failed = true;
  return true;
}

static Block on_block(Rewriter *r, Block b) {
  StmtList out = {0};
  bool changed = false;
  for (int i = 0; i < b.len; i++) {
    if (i + 2 < b.len && try_cut(r, b.items + i, &out)) {
      changed = true;
      i += 2;
      continue;
    }
    Stmt *n = rewrite_stmt_children(r, b.items[i]);
    changed |= n != b.items[i];
    vec_push(&out, n);
  }
  Block n = block_take(r->ir, &out);
  return changed ? n : b;
}

Function *cut_author_loops(PassCtx *ctx, Function *f) {
  Cutter c = {.ctx = ctx};
  Visitor v = {.ctx = &c, .expr = count_use};
  visit_block(&v, f->body);
  Rewriter r;
  rewriter_init(&r, ctx->ir, &c);
  r.block = on_block;
  f = rewrite_func(&r, f);
  rewriter_free(&r);
  map_free(&c.uses);
  return c.failed ? NULL : f;
}
