/* allreduce.c -- allreduce over a mesh. */
#include "ir/calls.h"
#include "passes/composite/chunks.h"

/* One `for peer` loop that reduces what `load` gives for each other rank into `acc`. */
typedef Expr *LoadPeer(Emit *e, const Chunks *c, Expr *peer, Expr *offsets, Expr *cols);

static Expr *over_peers(Emit *e, const Chunks *c, Expr *first, LoadPeer *load, Expr *offsets,
                        Expr *cols) {
  Open loop, branch;
  Expr *acc;
  Expr *peer = comp_carry(e, &loop, "peer", e->nranks, first, &acc);
  comp_if_other(e, &branch, peer);
  Expr *other = load(e, c, peer, offsets, cols);
  Expr *next = e->failed ? NULL : composite_reduce(e, c->call, acc, other);
  comp_else(e, &branch, comp_bind(e, "acc_next", next));
  return comp_end_carry(e, &loop, comp_end_else(e, &branch, acc));
}

/* ---------------------------------------------------------------- all valid: chunks of one row */

static Expr *load_chunk(Emit *e, const Chunks *c, Expr *peer, Expr *offsets, Expr *cols) {
  return chunks_load_peer(e, c, peer, offsets, cols, "recv");
}

static void reduce_chunk(Emit *e, const Chunks *c, Expr *col, int ready) {
  Expr *cols = comp_binary(e, EXPR_MIN, c->chunk, comp_binary(e, EXPR_SUB, c->columns, col));
  Expr *at = comp_pair(e, comp_index(e, 0), col);
  Expr *acc = chunks_load(e, c, at, cols, "acc_loaded", "acc_initial");
  acc = over_peers(e, c, acc, load_chunk, at, cols);
  Expr *expected = comp_binary(e, EXPR_FLOOR_DIV, col, c->chunk);
  expected = comp_cast(e, comp_binary(e, EXPR_ADD, expected, comp_index(e, ready + 1)), DT_INT32);
  comp_meet(e, NULL, comp_bind(e, "chunk_expected", expected), "_chunk");
  chunks_store(e, c, acc, col, cols, "store_value", "store_ret");
}

static void mesh_of_chunks(Emit *e, Chunks *c) {
  const Type *t = c->target->type;
  c->columns = chunks_product(e, t->shape, t->rank);
  chunks_size(e, c, c->columns);
  c->row = chunks_view(e, c->target, comp_index(e, 1), c->columns, NULL, NULL);
  comp_barrier(e, "");
  int ready = e->barriers;
  Open loop;
  Expr *col = comp_for(e, &loop, "col", comp_index(e, 0), c->columns, c->chunk);
  reduce_chunk(e, c, col, ready);
  comp_end_for(e, &loop);
  Expr *total = chunks_round_up(e, c->columns, c->chunk, false);
  total = comp_binary(e, EXPR_ADD, comp_index(e, ready), total);
  comp_reset(e, NULL, comp_bind(e, "allreduce_reset_total", comp_cast(e, total, DT_INT32)));
}

/* ---------------------------------------------------------------- partly valid: one rectangle */

static void rows_and_cols(Emit *e, Expr *const *dims, int rank, Expr *out[2]) {
  out[0] = rank == 1 ? comp_index(e, 1) : chunks_product(e, dims, rank - 1);
  out[1] = dims[rank - 1];
}

static Expr *load_rectangle(Emit *e, const Chunks *c, Expr *peer, Expr *offsets, Expr *valid) {
  Expr *tile = comp_call(e, OP_PLD_TILE_REMOTE_LOAD, (AttrList){0}, 5, c->row, peer, offsets,
                         c->shape, valid);
  return comp_bind(e, "recv", tile);
}

static void mesh_of_rectangle(Emit *e, Chunks *c, Expr *const *valid) {
  const Type *t = c->target->type;
  Expr *all[2], *part[2];
  int64_t rows, cols, n;
  if (!chunks_is_prefix(valid, t->shape, t->rank - 1)) {
    composite_error(e, c->call,
                    "the valid part of the target of %s is not one rectangle of rows and columns",
                    expr_op(c->call)->name);
    return;
  }
  rows_and_cols(e, t->shape, t->rank, all);
  rows_and_cols(e, valid, t->rank, part);
  bool known = expr_const_int(part[0], &rows) && expr_const_int(part[1], &cols);
  Expr **tile = known ? part : all;
  if (!expr_const_int(tile[0], &rows) || !expr_const_int(tile[1], &cols) ||
      __builtin_mul_overflow(rows, cols, &n) || n > CHUNK_BYTES / dtype_get_byte(t->dtype)) {
    composite_error(
        e, c->call,
        "a partly valid target of %s must surely fit %d bytes: it is reduced as one tile",
        expr_op(c->call)->name, CHUNK_BYTES);
    return;
  }
  c->shape = comp_pair(e, tile[0], tile[1]);
  c->row = chunks_view(e, c->target, all[0], all[1], part[0], part[1]);
  comp_barrier(e, "");
  Expr *at = comp_pair(e, comp_index(e, 0), comp_index(e, 0)),
       *box = comp_pair(e, part[0], part[1]);
  Expr *acc = comp_bind(e, "acc_initial", comp_load(e, c->row, at, c->shape, box));
  acc = over_peers(e, c, acc, load_rectangle, at, box);
  comp_barrier(e, "2");
  comp_bind(e, "store_ret", comp_call(e, OP_TILE_STORE, (AttrList){0}, 3, acc, at, c->row));
  comp_reset_barriers(e);
}

/* ---------------------------------------------------------------- */

static bool check(Emit *e, const Expr *call) {
  const char *name = expr_op(call)->name;
  const Type *t = call->u.call.args[0]->type;
  if (call->u.call.nargs != 2)
    composite_error(e, call, "%s needs a signal, except in a host orchestrator", name);
  else if (key_int(call->u.call.kwargs, KEY_CORE_NUM, 1) != 1)
    composite_error(
        e, call,
        "core_num of %s may be more than 1 only in a host orchestrator; use pl.spmd around it",
        name);
  else if (t->kind != TYPE_DIST_TENSOR || !t->rank)
    composite_error(e, call, "the target of %s must be a window", name);
  else if (BLOCK_BYTES % (dtype_get_byte(t->dtype) ? dtype_get_byte(t->dtype) : BLOCK_BYTES + 1) !=
           0)
    composite_error(e, call, "%s cannot reduce elements of %s", name, dtype_name(t->dtype));
  return !e->failed && chunks_check_target(e, call);
}

Expr *composite_allreduce(Emit *e, const Expr *call) {
  if (!check(e, call)) return NULL;
  Expr *target = call->u.call.args[0], *signal = call->u.call.args[1];
  if (call_is_ring_allreduce(e->ir, call)) return composite_ring(e, call);
  if (!composite_check_signal(e, call, signal)) return NULL;
  comp_ranks(e, target, signal);
  Chunks c = {.call = call, .target = target};
  Expr *const *valid = chunks_partial(target->type);
  if (valid)
    mesh_of_rectangle(e, &c, valid);
  else
    mesh_of_chunks(e, &c);
  return target;
}
