/* deduce_collective.c -- collectives over all ranks, as written and as dispatched to the chips. */
#include <string.h>

#include "ir/ops/deduce.h"
#include "ir/ops/deduce_common.h"

enum { RING_RANKS = 16 };

static const DType reducible[] = {DT_FP16, DT_FP32, DT_NONE};
static const DType fp32_only[] = {DT_FP32, DT_NONE};
static const DType int32_only[] = {DT_INT32, DT_NONE};

/* The dtype= of a dispatch is the element type of operand `arg`, one of `set`. */
static bool check_dispatch(OpCall *c, int arg, const DType *set) {
  DType said = kwarg_dtype(c, "dtype"), is = c->args[arg]->type->dtype;
  if (said == is) return check_dtype(c, arg, set);
  op_error(c, "'dtype' is %s, '%s' has %s", dtype_name(said), arg_name(c, arg), dtype_name(is));
  return false;
}

static bool check_two_dims(OpCall *c, int arg) {
  int rank = c->args[arg]->type->rank;
  if (rank == 2) return true;
  op_error(c, "'%s' must have two dimensions, not %d", arg_name(c, arg), rank);
  return false;
}

/* [NR], or [NR, 1]; `column`: only the latter. */
static bool check_ranks_vector(OpCall *c, int arg, bool column) {
  const Type *t = c->args[arg]->type;
  if (!check_dtype(c, arg, int32_only)) return false;
  if (t->rank == 1 && !column) return true;
  if (t->rank == 2 && extent_is_const(t->shape[1], 1)) return true;
  op_error(c, "'%s' must be %s[NR, 1], not %s", arg_name(c, arg), column ? "" : "[NR] or ",
           dims_str(c->ir, dims_of(t)));
  return false;
}

static bool check_signal_line(OpCall *c, int arg) {
  const Type *t = c->args[arg]->type;
  if (!check_dtype(c, arg, int32_only)) return false;
  if (t->rank == 1) return true;
  op_error(c, "'%s' must have one dimension, not %d", arg_name(c, arg), t->rank);
  return false;
}

static bool check_first_dims(OpCall *c, int a, int b) {
  int64_t x, y;
  if (!expr_const_int(c->args[a]->type->shape[0], &x) ||
      !expr_const_int(c->args[b]->type->shape[0], &y) || x == y)
    return true;
  op_error(c, "the first dimensions of '%s' and '%s' differ: %lld and %lld", arg_name(c, a),
           arg_name(c, b), (long long)x, (long long)y);
  return false;
}

static bool want_sum(OpCall *c) {
  if (kwarg_int(c, "op", REDUCE_SUM) == REDUCE_SUM) return true;
  op_error(c, "only op=pld.ReduceOp.Sum is possible");
  return false;
}

/* ---------------------------------------------------------------- as written */

const Type *deduce_pld_allreduce(OpCall *c) {
  const AttrValue *mode = op_kwarg(c, "mode");
  int64_t cores = kwarg_int(c, "core_num", 1);
  if (!check_dtype(c, 0, reducible)) return NULL;
  if (c->nargs == 2 && !check_dtype(c, 1, int32_only)) return NULL;
  if (cores <= 0) return op_error(c, "'core_num' must be positive, it is %lld", (long long)cores);
  if (c->nargs == 1 && mode && strcmp(mode->u.str, "mesh") != 0)
    return op_error(c, "mode='%s' needs a signal; only for 'mesh' one is made", mode->u.str);
  return c->args[0]->type;
}

const Type *deduce_pld_barrier(OpCall *c) {
  return check_dtype(c, 0, int32_only) ? c->args[0]->type : NULL;
}

const Type *deduce_pld_broadcast(OpCall *c) {
  int64_t root = kwarg_int(c, "root", 0);
  if (!check_dtype(c, 1, int32_only)) return NULL;
  if (root < 0) return op_error(c, "'root' must not be negative, it is %lld", (long long)root);
  return c->args[0]->type;
}

const Type *deduce_pld_reduce_scatter(OpCall *c) {
  return check_two_dims(c, 0) && check_dtype(c, 1, int32_only) && want_sum(c) ? c->args[0]->type
                                                                              : NULL;
}

/* What allgather and all_to_all have in common: rows of one size and type go to a window that is
 * not where they come from. */
static bool check_exchange(OpCall *c) {
  if (c->args[0] == c->args[1])
    return op_error(c, "'%s' and '%s' must differ", arg_name(c, 0), arg_name(c, 1)), false;
  if (!check_two_dims(c, 0) || !check_two_dims(c, 1)) return false;
  if (!dim_equal(c->args[0]->type->shape[1], c->args[1]->type->shape[1]))
    return op_error(c, "'%s' and '%s' differ in their second dimension", arg_name(c, 0),
                    arg_name(c, 1)),
           false;
  return check_same_dtype(c, 0, 1);
}

const Type *deduce_pld_exchange(OpCall *c) {
  bool gather = c->op->param & PLD_ALLGATHER, builtin = c->op->param & PLD_BUILTIN;
  if (!check_exchange(c)) return NULL;
  Expr *rows = c->args[0]->type->shape[0];
  if (gather && rows->kind == EXPR_INT && !extent_is_const(rows, 1))
    return op_error(c, "'%s' must be one row, not %s", arg_name(c, 0),
                    dims_str(c->ir, dims_of(c->args[0]->type)));
  if (!gather && !check_first_dims(c, 1, 0)) return NULL;
  if (!check_ranks_vector(c, 2, false)) return NULL;
  if (!builtin && !check_first_dims(c, 2, gather ? 1 : 0)) return NULL;
  if (builtin && !check_dispatch(c, 1, fp32_only)) return NULL;
  return c->args[1]->type;
}

/* A constant number of ranks in operand `arg`, which is that of the signal. */
static bool check_nr(OpCall *c, int arg, int64_t nr) {
  int64_t n;
  if (expr_const_int(c->args[arg]->type->shape[0], &n) && n == nr) return true;
  op_error(c, "the first dimension of '%s' must be the constant %lld, as that of 'signal'",
           arg_name(c, arg), (long long)nr);
  return false;
}

const Type *deduce_pld_exchange_v(OpCall *c) {
  int64_t rows, nr;
  if (!check_exchange(c) || !check_first_dims(c, 1, 0) || !check_ranks_vector(c, 2, true))
    return NULL;
  if (!expr_const_int(c->args[1]->type->shape[0], &rows) ||
      !expr_const_int(c->args[2]->type->shape[0], &nr))
    return op_error(c, "the first dimensions of 'target' and 'signal' must be constants");
  if (nr <= 0 || rows % nr)
    return op_error(c, "%lld rows of 'target' do not divide among %lld ranks", (long long)rows,
                    (long long)nr);
  if (!check_ranks_vector(c, 3, false) || !check_nr(c, 3, nr) || !check_ranks_vector(c, 4, true) ||
      !check_nr(c, 4, nr))
    return NULL;
  if (c->op->param & PLD_BUILTIN && !check_dispatch(c, 1, fp32_only)) return NULL;
  return c->args[1]->type;
}

/* ---------------------------------------------------------------- as dispatched */

const Type *deduce_builtin_allreduce(OpCall *c) {
  const Type *s = c->args[1]->type;
  int64_t cores = kwarg_int(c, "core_num", 0), stride;
  if (!check_dtype(c, 1, int32_only)) return NULL;
  if (s->rank != 1 && s->rank != 2)
    return op_error(c, "'signal' must have one or two dimensions, not %d", s->rank);
  if (cores <= 0) return op_error(c, "'core_num' must be positive, it is %lld", (long long)cores);
  if (s->rank == 1 && cores != 1)
    return op_error(c, "a signal [NR] is for one core, not %lld", (long long)cores);
  if (s->rank == 2 && (!expr_const_int(s->shape[1], &stride) || stride < cores))
    return op_error(c, "the second dimension of 'signal' must be a constant of at least %lld",
                    (long long)cores);
  return check_dispatch(c, 0, reducible) ? c->args[0]->type : NULL;
}

const Type *deduce_builtin_ring(OpCall *c) {
  const Type *t = c->args[0]->type, *s = c->args[1]->type;
  int64_t steps, nr;
  if (!check_dtype(c, 1, int32_only) || !check_two_dims(c, 1)) return NULL;
  if (expr_const_int(s->shape[1], &nr) && nr > 0) {
    if (nr > RING_RANKS)
      return op_error(c, "a ring has at most %d ranks, not %lld", RING_RANKS, (long long)nr);
    if (expr_const_int(s->shape[0], &steps) && steps != 2 * (nr - 1) + 1)
      return op_error(c, "the first dimension of 'signal' must be %lld for %lld ranks, not %lld",
                      (long long)(2 * (nr - 1) + 1), (long long)nr, (long long)steps);
    int64_t n = type_num_elements(t);
    if (n < 0 || n % nr)
      return op_error(c, "the elements of 'src' must be a constant number that %lld ranks divide",
                      (long long)nr);
  }
  return want_sum(c) && check_dispatch(c, 0, fp32_only) ? t : NULL;
}

const Type *deduce_builtin_barrier(OpCall *c) {
  return check_signal_line(c, 0) ? c->args[0]->type : NULL;
}

const Type *deduce_builtin_broadcast(OpCall *c) {
  int64_t root = kwarg_int(c, "root", -1);
  if (!check_signal_line(c, 1)) return NULL;
  if (root < 0) return op_error(c, "'root' must not be negative, it is %lld", (long long)root);
  return check_dispatch(c, 0, fp32_only) ? c->args[0]->type : NULL;
}

const Type *deduce_builtin_reduce_scatter(OpCall *c) {
  if (!check_two_dims(c, 0) || !check_signal_line(c, 1) || !want_sum(c)) return NULL;
  return check_dispatch(c, 0, fp32_only) ? c->args[0]->type : NULL;
}
