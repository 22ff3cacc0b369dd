/* collectives.c -- all collectives but allreduce. */
#include <stdarg.h>

#include "passes/composite/rules.h"

void *composite_error(Emit *e, const Expr *call, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  diag_vreport(e->ir->diag, DIAG_ERROR, call->span, fmt, ap);
  va_end(ap);
  e->failed = true;
  return NULL;
}

bool composite_check_signal(Emit *e, const Expr *call, const Expr *signal) {
  const Type *t = signal->type;
  int64_t n;
  if (t->kind != TYPE_DIST_TENSOR || t->rank != 2)
    composite_error(e, call, "the signal of %s must be a window [ranks, 1]", expr_op(call)->name);
  else if (expr_const_int(t->shape[1], &n) && n != 1)
    composite_error(e, call,
                    "the signal of %s must be [ranks, 1], one cell for each rank, but has %lld "
                    "columns; a ring's "
                    "signal cannot be shared with it",
                    expr_op(call)->name, (long long)n);
  return !e->failed;
}

Expr *composite_reduce(Emit *e, const Expr *call, Expr *acc, Expr *other) {
  static const OpId ops[] = {[REDUCE_SUM] = OP_TILE_ADD,
                             [REDUCE_MAX] = OP_TILE_MAXIMUM,
                             [REDUCE_MIN] = OP_TILE_MINIMUM,
                             [REDUCE_PROD] = OP_TILE_MUL};
  int64_t op = key_int(call->u.call.kwargs, KEY_OP, REDUCE_SUM);
  if (op < REDUCE_SUM || op > REDUCE_PROD)
    return composite_error(e, call, "op=%lld is no reduction", (long long)op);
  return comp_call(e, ops[op], (AttrList){0}, 2, acc, other);
}

/* Is it a window of two dimensions? */
static bool check_rows(Emit *e, const Expr *call, const Expr *target) {
  if (target->type->kind != TYPE_DIST_TENSOR || target->type->rank != 2)
    composite_error(e, call, "the target of %s must be a window of two dimensions",
                    expr_op(call)->name);
  return !e->failed;
}

Expr *composite_barrier(Emit *e, const Expr *call) {
  Expr *signal = call->u.call.args[0];
  if (!composite_check_signal(e, call, signal)) return NULL;
  comp_ranks(e, signal, signal);
  comp_barrier(e, "");
  comp_reset_barriers(e);
  return signal;
}

Expr *composite_broadcast(Emit *e, const Expr *call) {
  Expr *target = call->u.call.args[0], *signal = call->u.call.args[1];
  const Type *t = target->type;
  int64_t rows = 1, n = 1;
  if (!composite_check_signal(e, call, signal)) return NULL;
  for (int i = 0; i < t->rank; i++) {
    if (!expr_const_int(t->shape[i], &n))
      return composite_error(e, call, "the target of %s must have a constant shape",
                             expr_op(call)->name);
    if (i + 1 < t->rank && __builtin_mul_overflow(rows, n, &rows))
      return composite_error(e, call, "the target of %s is too large", expr_op(call)->name);
  }
  comp_ranks(e, target, signal);
  Expr *root = comp_i32(e, key_int(call->u.call.kwargs, KEY_ROOT, 0));
  comp_barrier(e, "");
  Expr *shape = comp_pair(e, comp_index(e, rows), comp_index(e, n));
  Expr *stage = comp_bind(e, "bcast_stage", comp_create(e, shape, t->dtype));
  comp_bind(e, "get_ret",
            comp_call(e, OP_PLD_TILE_GET, (AttrList){0}, 4, target, root, target, stage));
  comp_reset_barriers(e);
  return target;
}

static Expr *row_start(Emit *e, Expr *row) { return comp_pair(e, row, comp_index(e, 0)); }

static AttrList not_atomic(Emit *e) {
  return comp_kw(e, (AttrList){0}, "atomic", attr_of_enum(ENUM_ATOMIC, ATOMIC_NONE));
}

/* Every rank gets a row of `source`: the only one, or that of its number. */
static Expr *send_rows(Emit *e, const Expr *call, bool own_row, const char *stage_name,
                       const char *var, const char *what) {
  Expr *source = call->u.call.args[0], *target = call->u.call.args[1],
       *signal = call->u.call.args[2];
  if (!composite_check_signal(e, call, signal) || !check_rows(e, call, target)) return NULL;
  if (!type_is_tensor(source->type))
    return composite_error(e, call, "the data of %s must be a tensor in a kernel",
                           expr_op(call)->name);
  comp_ranks(e, target, signal);
  Expr *shape = comp_pair(e, comp_index(e, 1), target->type->shape[1]);
  Expr *stage = comp_bind(e, stage_name, comp_create(e, shape, target->type->dtype));
  Open loop;
  Expr *peer = comp_for(e, &loop, var, comp_index(e, 0), e->nranks, comp_index(e, 1));
  Expr *from = row_start(e, own_row ? peer : comp_index(e, 0));
  Expr *put = comp_call(e, OP_PLD_TILE_PUT, not_atomic(e), 7, target, peer, source, stage,
                        row_start(e, e->my_rank), from, shape);
  comp_bind(e, what, put);
  comp_end_for(e, &loop);
  comp_barrier(e, "");
  comp_reset_barriers(e);
  return target;
}

Expr *composite_allgather(Emit *e, const Expr *call) {
  return send_rows(e, call, false, "ag_stage", "peer", "push");
}

Expr *composite_all_to_all(Emit *e, const Expr *call) {
  return send_rows(e, call, true, "aa_stage", "dest", "aa_put");
}

/* Sends the number of rows for `dest`, cut to `most`, and these rows. */
static void send_counted(Emit *e, const Expr *call, Expr *dest, Expr *stage, int64_t most) {
  Expr *const *args = call->u.call.args, *target = args[1], *counts = args[3];
  Expr *limit = comp_index(e, most);
  Expr *from = comp_binary(e, EXPR_MUL, dest, limit),
       *to = comp_binary(e, EXPR_MUL, e->my_rank, limit);
  Expr *index[] = {dest, comp_index(e, 0)};
  Expr *at = expr_tuple(e->ir, index, counts->type->rank == 2 ? 2 : 1, e->at);
  Expr *count =
      comp_bind(e, "aav_count", comp_call(e, OP_TENSOR_READ, (AttrList){0}, 2, counts, at));
  count = comp_binary(e, EXPR_MIN, comp_cast(e, count, DT_INDEX), limit);
  count = comp_bind(e, "aav_rows", count);
  count = comp_bind(e, "aav_count_i32", comp_cast(e, count, DT_INT32));
  AttrList set = comp_kw(e, (AttrList){0}, "op", attr_of_int(NOTIFY_SET));
  Expr *cell = row_start(e, e->my_rank);
  comp_bind(e, "aav_count_notify",
            comp_call(e, OP_PLD_SYSTEM_NOTIFY, set, 4, args[4], dest, cell, count));
  Expr *shape = comp_pair(e, limit, target->type->shape[1]);
  comp_bind(e, "aav_put",
            comp_call(e, OP_PLD_TILE_PUT, not_atomic(e), 7, target, dest, args[0], stage,
                      row_start(e, to), row_start(e, from), shape));
}

Expr *composite_all_to_all_v(Emit *e, const Expr *call) {
  Expr *target = call->u.call.args[1], *signal = call->u.call.args[2];
  int64_t rows, ranks;
  if (!composite_check_signal(e, call, signal) || !check_rows(e, call, target)) return NULL;
  if (!expr_const_int(target->type->shape[0], &rows) ||
      !expr_const_int(signal->type->shape[0], &ranks) || ranks <= 0 || rows % ranks != 0)
    return composite_error(
        e, call, "the rows of the target of %s must be a constant multiple of those of its signal",
        expr_op(call)->name);
  comp_ranks(e, target, signal);
  Expr *shape = comp_pair(e, comp_index(e, 1), target->type->shape[1]);
  Expr *stage = comp_bind(e, "aav_stage", comp_create(e, shape, target->type->dtype));
  Open loop;
  Expr *dest = comp_for(e, &loop, "dest", comp_index(e, 0), e->nranks, comp_index(e, 1));
  send_counted(e, call, dest, stage, rows / ranks);
  comp_end_for(e, &loop);
  comp_barrier(e, "");
  comp_reset_barriers(e);
  return target;
}

Expr *composite_reduce_scatter(Emit *e, const Expr *call) {
  Expr *target = call->u.call.args[0], *signal = call->u.call.args[1], *acc;
  AttrList none = {0};
  if (!composite_check_signal(e, call, signal) || !check_rows(e, call, target)) return NULL;
  comp_ranks(e, target, signal);
  Expr *shape = comp_pair(e, comp_index(e, 1), target->type->shape[1]);
  Expr *mine = row_start(e, e->my_rank);
  comp_barrier(e, "");
  Expr *first = comp_bind(e, "acc_initial", comp_load(e, target, mine, shape, shape));
  Open loop, branch;
  Expr *peer = comp_carry(e, &loop, "peer", e->nranks, first, &acc);
  comp_if_other(e, &branch, peer);
  Expr *other = comp_bind(
      e, "recv", comp_call(e, OP_PLD_TILE_REMOTE_LOAD, none, 4, target, peer, mine, shape));
  comp_else(e, &branch, comp_bind(e, "acc_next", composite_reduce(e, call, acc, other)));
  acc = comp_end_carry(e, &loop, comp_end_else(e, &branch, acc));
  comp_barrier(e, "2");
  comp_bind(e, "store_ret", comp_call(e, OP_TILE_STORE, none, 3, acc, mine, target));
  comp_reset_barriers(e);
  return target;
}
