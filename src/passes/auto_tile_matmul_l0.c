/* auto_tile_matmul_l0.c -- matrix products in pieces that fit the matrix unit; see
 * docs/passes/auto-tile-matmul-l0.md. */
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/l0_tiling/author_loop.h"
#include "passes/l0_tiling/double_acc.h"
#include "passes/l0_tiling/tiling.h"
#include "passes/pass.h"

/* How the statements of a block use a variable. */
typedef struct Use {
  int all, as_operand; /* of a product */
  Stmt *store, *cast;  /* of this block, the first */
  Stmt *
      bias_load; /* of this block; nothing but loads stands between it and the product that adds it */
  Stmt *
      next_effect; /* after the product of this block that gives it: the first statement that is no load */
} Use;

typedef struct Tile {
  PassCtx *ctx;
  Ir *ir;
  Map uses;     /* variable -> Use*, of the block at hand */
  Map pending;  /* store -> Product*, to be emitted in its place */
  Map dropped;  /* statements whose work is done elsewhere */
  Map unloaded; /* biases whose load, already emitted, nobody needs: variable -> itself */
  Map doubled;  /* loops that get a second accumulator */
  bool failed;
} Tile;

/* ---------------------------------------------------------------- uses */

static Use *use_of(Tile *t, const Expr *var) {
  void **at = map_at(&t->uses, var);
  if (!*at) *at = NEW(t->ir->arena, Use);
  return *at;
}

static bool is_operand(const Expr *call, int i) {
  const Op *op = expr_op(call);
  if (!op) return false;
  if (op->id == OP_TILE_MATMUL || op->id == OP_TILE_MATMUL_BIAS) return i < 2;
  return op->id == OP_TILE_MATMUL_ACC && (i == 1 || i == 2);
}

static bool count_expr(Visitor *v, Expr *e) {
  Tile *t = v->ctx;
  if (expr_is_var(e)) use_of(t, e)->all++;
  if (!expr_is_call(e)) return true;
  for (int i = 0; i < e->u.call.nargs; i++)
    if (is_operand(e, i) && expr_is_var(e->u.call.args[i]))
      use_of(t, e->u.call.args[i])->as_operand++;
  return true;
}

static void count_uses(Tile *t, Block b) {
  Visitor v = {.ctx = t, .expr = count_expr};
  visit_block(&v, b);
  for (int i = 0; i < b.len; i++) {
    const Expr *call = b.items[i]->kind == STMT_ASSIGN ? b.items[i]->u.assign.value : NULL;
    if (!call || !expr_op(call) || call->u.call.nargs == 0 || !expr_is_var(call->u.call.args[0]))
      continue;
    Use *u = use_of(t, call->u.call.args[0]);
    if (expr_is_op(call, OP_TILE_STORE) && call->u.call.nargs == 3 && !u->store)
      u->store = b.items[i];
    if (expr_is_op(call, OP_TILE_CAST) && !u->cast) u->cast = b.items[i];
  }
}

/* Which loads of biases can be repeated where the product stands, and what comes after the products. */
static void find_bias_loads(Tile *t, Block b) {
  Map loads = {0};      /* variable -> 1 + position of the load that gives it */
  int run = 0;          /* from here on there are only loads */
  Stmt *product = NULL; /* with a bias, after which only loads have come */
  for (int i = 0; i < b.len; i++) {
    Stmt *s = b.items[i];
    const Expr *call = s->kind == STMT_ASSIGN ? s->u.assign.value : NULL;
    if (call && expr_is_op(call, OP_TILE_LOAD)) {
      map_set(&loads, s->u.assign.var, map_int(i + 1));
      continue;
    }
    if (product) use_of(t, product->u.assign.var)->next_effect = s;
    product = call && expr_is_op(call, OP_TILE_MATMUL_BIAS) && call->u.call.nargs == 3 ? s : NULL;
    const Expr *bias = product ? call->u.call.args[2] : NULL;
    int64_t at = bias ? map_get_int(&loads, bias) - 1 : -1;
    if (at >= run && use_of(t, bias)->all == 1 && is_row_load(b.items[at]->u.assign.value))
      use_of(t, product->u.assign.var)->bias_load = b.items[at];
    run = i + 1;
  }
  map_free(&loads);
}

static bool only_operands(const Use *u) { return u->all >= 1 && u->all == u->as_operand; }

/* ---------------------------------------------------------------- casts that the way to Mat does */

static bool is_free_cast(Ir *ir, const Expr *cast, DType from, DType to) {
  const AttrValue *mode = key_get(cast->u.call.kwargs, KEY_MODE);
  return from == DT_FP32 && (to == DT_BF16 || to == DT_FP16) && mode && mode->kind == ATTR_STR &&
         mode->u.str == ir_name(ir, "rint");
}

/* A cast of an accumulator that only products read: its value goes to Mat directly. */
static bool move_cast_to_mat(Rewriter *r, const Stmt *s, StmtList *out) {
  Tile *t = r->ctx;
  const Expr *cast = s->kind == STMT_ASSIGN ? s->u.assign.value : NULL;
  const Target *target = t->ctx->opts->target;
  if (!cast || !expr_is_op(cast, OP_TILE_CAST) || !expr_is_var(cast->u.call.args[0])) return false;
  Expr *src = cast->u.call.args[0], *var = s->u.assign.var;
  if (src->type->space != MEM_ACC || !type_is_tile(var->type) || !only_operands(use_of(t, var)))
    return false;
  int64_t bytes = acc_tile_bytes(target, src->type);
  if (bytes < 0 || bytes > target->spaces[MEM_ACC].capacity || var->type->rank != 2) return false;
  Place place = {.in_scratch = true, .dtype = var->type->dtype, .at = s->span};
  place.base = ir_name(t->ir, arena_printf(t->ir->arena, "%s_mat", src->u.var.name));
  if (!expr_const_int(var->type->shape[0], &place.rows) ||
      !expr_const_int(var->type->shape[1], &place.cols))
    return false;
  if (!is_free_cast(t->ir, cast, src->type->dtype, var->type->dtype)) {
    diag_hint(t->ir->diag, s->span, "PH-AT-010",
              "this cast of an accumulator between two products goes through the vector core; only "
              "FP32 to BF16 or FP16 "
              "with mode=\"rint\" is done on the way to Mat");
    return false;
  }
  Expr *zero = expr_int(t->ir, 0, DT_INDEX, s->span);
  Expr *scratch = place_begin(t->ir, &place, out);
  Expr *whole = place_put(t->ir, &place, (Patch){src, zero, zero, 0}, scratch, out);
  if (!whole)
    t->failed = true;
  else
    map_set(&r->subst, var, whole);
  return true;
}

/* ---------------------------------------------------------------- products */

/* A bias that is loaded piece by piece need not be loaded as a whole. */
static void forget_bias(Tile *t, const Product *p) {
  if (product_cuts_bias(p)) map_set(&t->unloaded, p->bias, p->bias);
}

static Block without_loads(Tile *t, Block b) {
  StmtList out = {0};
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    if (s->kind != STMT_ASSIGN || !map_has(&t->unloaded, s->u.assign.var))
      vec_push(&out, b.items[i]);
  }
  return block_take(t->ir, &out);
}

/* What stands for the result of a product in Mat. */
typedef struct Scratch {
  Expr *var;  /* the result, or its cast that the way to Mat does */
  Stmt *cast; /* that cast; NULL: none */
} Scratch;

static Scratch scratch_of(Tile *t, const Product *p) {
  Expr *result = p->s->u.assign.var;
  const Use *u = use_of(t, result);
  Stmt *cast = u->cast;
  Scratch s = {result, NULL};
  if (cast && u->all == 1 && only_operands(use_of(t, cast->u.assign.var)) &&
      is_free_cast(t->ir, cast->u.assign.value, result->type->dtype,
                   cast->u.assign.var->type->dtype))
    s = (Scratch){cast->u.assign.var, cast};
  return s;
}

/* Can a product that only other products read be put together in Mat? */
static bool fits_scratch(Tile *t, const Product *p, const Scratch *scratch) {
  const Target *target = t->ctx->opts->target;
  DType dtype = scratch->var->type->dtype;
  if (target->low_precision_mat_scratch && dtype != DT_BF16 && dtype != DT_FP16) {
    product_hint(p, "PH-AT-009",
                 "%s puts pieces together in Mat as BF16 or FP16 only, and this result of %lld by "
                 "%lld is %s; "
                 "cast it",
                 target->name, (long long)p->M, (long long)p->N, dtype_name(dtype));
    return false;
  }
  int64_t capacity = target->spaces[MEM_MAT].capacity,
          bytes = p->M * p->N * (dtype_bits(dtype) / 8);
  if (capacity == 0 || bytes <= capacity) return true;
  product_hint(p, "PH-AT-006", "its result takes %lld bytes of Mat, which has %lld",
               (long long)bytes, (long long)capacity);
  return false;
}

static void tile_to_scratch(Rewriter *r, Product *p, const Scratch *scratch, StmtList *out) {
  Tile *t = r->ctx;
  Expr *result = p->s->u.assign.var;
  Place place = {.in_scratch = true,
                 .dtype = scratch->var->type->dtype,
                 .rows = p->M,
                 .cols = p->N,
                 .at = p->s->span};
  place.base = ir_name(t->ir, arena_printf(t->ir->arena, "%s_mat", result->u.var.name));
  Expr *whole = product_grid(p, &place, out);
  if (!whole) {
    t->failed = true;
    return;
  }
  forget_bias(t, p);
  map_set(&r->subst, scratch->var, whole);
  map_set(&r->subst, result, whole);
  if (scratch->cast) map_set(&t->dropped, scratch->cast, scratch->cast);
}

/* The store that is all that reads a product, if the pieces can be stored in its place; else NULL. */
static Stmt *only_store(Tile *t, const Product *p) {
  const Use *u = use_of(t, p->s->u.assign.var);
  if (u->all != 1 || !u->store) {
    product_hint(p, "PH-AT-006",
                 "it must be cut in rows or columns, and neither one tile.store nor only other "
                 "products read it");
    return NULL;
  }
  const Expr *store = u->store->u.assign.value;
  /* The bias must not be read after something may have changed it, the pieces stored before included. */
  if (product_cuts_bias(p) &&
      (u->next_effect != u->store ||
       u->bias_load->u.assign.value->u.call.args[0] == store->u.call.args[2])) {
    product_hint(p, "PH-AT-011",
                 "its columns must be cut, and the bias may change before all pieces are stored");
    return NULL;
  }
  const Expr *at = store->u.call.args[1];
  if (at->kind == EXPR_TUPLE && at->u.tuple.len == 2 && expr_is_var(store->u.call.args[2]))
    return u->store;
  product_hint(p, "PH-AT-006",
               "it must be cut in rows or columns, and is stored at other than two offsets");
  return NULL;
}

/* A product that is stored, and nothing else, is stored piece by piece, where the store stands. */
static void tile_to_store(Tile *t, const Product *p, Stmt *store) {
  Product *kept = NEW(t->ir->arena, Product);
  *kept = *p;
  map_set(&t->pending, store, kept);
  forget_bias(t, p);
}

static void store_pieces(Rewriter *r, const Product *p, const Stmt *s, StmtList *out) {
  Tile *t = r->ctx;
  const Expr *store = rewrite_expr(r, s->u.assign.value);
  Expr **at = store->u.call.args[1]->u.tuple.elems;
  Place place = {.target = store->u.call.args[2],
                 .row = at[0],
                 .col = at[1],
                 .kwargs = store->u.call.kwargs,
                 .attrs = store->u.call.attrs,
                 .at = p->s->span};
  place.base = place.target->u.var.name;
  Expr *whole = product_grid(p, &place, out);
  if (whole)
    map_set(&r->subst, s->u.assign.var, whole);
  else
    t->failed = true;
}

/* In a grid the planner that places tiles itself lets scratch tiles hold the output only. */
static void hold_output(Tile *t, Product *p) {
  Product held;
  if (t->ctx->opts->planner == PLANNER_PYPTO && p->t.stationary != HOLD_OUTPUT &&
      product_analyze(t->ir, t->ctx->opts, p->s, ANALYZE_OUTPUT_HELD, p->bias_load, &held) ==
          PRODUCT_CUT)
    *p = held;
}

/* Rows or columns are cut, if the pieces can be put together; false if not. */
static bool tile_in_grid(Rewriter *r, Product *p, StmtList *out) {
  Tile *t = r->ctx;
  if (p->acc || p->left_in_vec) {
    product_hint(
        p, "PH-AT-006",
        p->acc ? "it must be cut in rows or columns, and what it adds to is not the sum of one "
                 "pipeline over K that begins with tile.create and ends in tile.store"
               : "it must be cut in rows or columns, and its left operand is in Vec");
    return false;
  }
  Scratch scratch = scratch_of(t, p);
  if (only_operands(use_of(t, scratch.var))) {
    if (!fits_scratch(t, p, &scratch)) return false;
    hold_output(t, p);
    tile_to_scratch(r, p, &scratch, out);
    return true;
  }
  Stmt *store = only_store(t, p);
  if (store) tile_to_store(t, p, store);
  return store;
}

/* True if the statement has been dealt with. */
static bool tile_product(Rewriter *r, Stmt *s, StmtList *out) {
  Tile *t = r->ctx;
  Product p;
  const Stmt *load = use_of(t, s->u.assign.var)->bias_load;
  const Expr *bias_load = load ? rewrite_expr(r, load->u.assign.value) : NULL;
  switch (product_analyze(t->ir, t->ctx->opts, s, ANALYZE_ALL, bias_load, &p)) {
    case PRODUCT_FINE: return false;
    case PRODUCT_WRONG: t->failed = true; return false;
    case PRODUCT_CUT: break;
  }
  if (product_in_grid(&p)) return tile_in_grid(r, &p, out);
  Expr *sum = product_loop(&p, out);
  if (sum)
    map_set(&r->subst, s->u.assign.var, sum);
  else
    t->failed = true;
  return true;
}

static void on_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Tile *t = r->ctx;
  const Product *pending = map_get(&t->pending, s);
  if (pending) {
    store_pieces(r, pending, s, out);
    return;
  }
  if (map_has(&t->dropped, s) || t->failed) return;
  if (s->kind != STMT_ASSIGN) {
    Stmt *n = rewrite_stmt_children(r, s);
    vec_push(out, map_has(&t->doubled, s) ? mark_double_acc(t->ir, n) : n);
    return;
  }
  s = rewrite_stmt_children(r, s);
  if (!move_cast_to_mat(r, s, out) && !tile_product(r, s, out)) vec_push(out, s);
}

/* Uses are counted block by block; a block inside another is done with when the outer one goes on. */
static Block on_block(Rewriter *r, Block b) {
  Tile *t = r->ctx;
  Map outer = t->uses, outer_unloaded = t->unloaded;
  t->uses = t->unloaded = (Map){0};
  count_uses(t, b);
  find_bias_loads(t, b);
  b = rewrite_block_children(r, b);
  if (t->unloaded.count) b = without_loads(t, b);
  map_free(&t->uses);
  map_free(&t->unloaded);
  t->uses = outer;
  t->unloaded = outer_unloaded;
  return b;
}

static bool note_product(Visitor *v, Stmt *s) {
  bool *found = v->ctx;
  *found = *found || stmt_is_product(s);
  return !*found;
}

static bool has_products(const Function *f) {
  bool found = false;
  Visitor v = {.ctx = &found, .stmt = note_product, .expr = visit_no_expr};
  visit_block(&v, f->body);
  return found;
}

static Function *on_func(void *ctx, Function *f) {
  Tile t = {.ctx = ctx, .ir = ((PassCtx *)ctx)->ir};
  if (!func_is_incore(f->type) || !has_products(f)) return f;
  if (!(f = cut_author_loops(t.ctx, f))) return NULL;
  plan_double_acc(t.ir, t.ctx->opts, f, &t.doubled);
  Rewriter r;
  rewriter_init(&r, t.ir, &t);
  r.stmt = on_stmt;
  r.block = on_block;
  f = rewrite_func(&r, f);
  rewriter_free(&r);
  map_free(&t.pending);
  map_free(&t.dropped);
  map_free(&t.doubled);
  return t.failed ? NULL : f;
}

Program *auto_tile_matmul_l0(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, on_func, ctx);
}
