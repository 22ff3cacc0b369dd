/* form_remote.c -- memory of other cards, signals, prefetching. */
#include <inttypes.h>

#include "codegen/pto/forms.h"

/* The communication context, in 64-bit words: one word holds the rank and, above it, the number of
 * ranks; a row of words holds where each rank's window begins. */
enum { CTX_RANKS = 2, CTX_WINDOWS = 4 };

/* ---- where a peer's memory is ---- */

/* The context of a distributed tensor; NULL after an error. */
static Name need_ctx(PtoFn *f, const Expr *call, const Expr *tensor) {
  if (!expr_is_var(tensor) || tensor->type->kind != TYPE_DIST_TENSOR) {
    pto_error(f, call->span, "'%s' needs a distributed tensor", expr_op(call)->name);
    return NULL;
  }
  Name ctx = pto_ctx(f, tensor);
  if (!ctx)
    pto_error(f, call->span, "distributed tensor '%s' has no communication context in this kernel",
              tensor->u.var.name);
  return ctx;
}

static Name load_word(PtoFn *f, Name ctx, Name word) {
  Name r = pto_new(f);
  pto_line(f, "%s = pto.load_scalar %s[%s] : !pto.ptr<i64> -> i64", r, ctx, word);
  return r;
}

/* A number computed from others. */
static Name compute(PtoFn *f, const char *inst, Name a, Name b, const char *type) {
  Name r = pto_new(f);
  pto_line(f, "%s = %s %s, %s : %s", r, inst, a, b, type);
  return r;
}

static Name convert(PtoFn *f, const char *inst, Name a, const char *from, const char *to) {
  Name r = pto_new(f);
  pto_line(f, "%s = %s %s : %s to %s", r, inst, a, from, to);
  return r;
}

/* Elements from this card's window to the peer's. */
static Name peer_offset(PtoFn *f, Name ctx, Name peer, DType t) {
  if (dtype_bits(t) < 8) {
    pto_error(f, NO_SPAN, "elements of type %s have no address of their own on another card",
              dtype_name(t));
    return peer;
  }
  Name ranks = pto_const_index(f, CTX_RANKS), windows = pto_const_index(f, CTX_WINDOWS);
  Name both = load_word(f, ctx, ranks);
  Name rank = convert(f, "arith.index_cast", convert(f, "arith.trunci", both, "i64", "i32"), "i32",
                      "index");
  Name here = load_word(f, ctx, compute(f, "arith.addi", windows, rank, "index"));
  Name there = load_word(f, ctx, compute(f, "arith.addi", windows, peer, "index"));
  Name bytes = compute(f, "arith.subi", there, here, "i64");
  Name size = pto_const(f, dtype_bits(t) / 8, DT_INT64);
  return convert(f, "arith.index_cast", compute(f, "arith.divsi", bytes, size, "i64"), "i64",
                 "index");
}

/* A view of `tensor` as it lies on card `peer`; NULL after an error. */
static Name peer_view(PtoFn *f, const Expr *call, const Expr *tensor, Expr *peer) {
  Name ctx = need_ctx(f, call, tensor);
  if (!ctx) return NULL;
  const Type *t = tensor->type;
  Name local = pto_base_ptr(f, tensor);
  Name rank = pto_to_index(f, peer, pto_value(f, peer));
  Name offset = peer_offset(f, ctx, rank, t->dtype), ptr = pto_new(f),
       type = pto_dtype(f, t->dtype);
  pto_line(f, "%s = pto.addptr %s, %s : !pto.ptr<%s> -> !pto.ptr<%s>", ptr, local, offset, type,
           type);
  return pto_print_view(f, NULL, ptr, t, NULL, true);
}

/* ---- loads and stores ---- */

void form_remote_load(PtoFn *f, const PtoOp *op, Expr *call) {
  const Expr *tensor = call->u.call.args[0];
  int n;
  Expr **offsets = pto_tuple(f, call, 2, &n);
  if (!offsets || !f->res_tile) return;
  TileView v = tile_view_of(f->ir, f->res_tile);
  Name view = peer_view(f, call, tensor, call->u.call.args[1]);
  if (!view) return;
  if (v.nvalid != n) {
    pto_error(f, call->span, "%d offsets for %d sizes", n, v.nvalid);
    return;
  }
  Name *o = NEW_ARRAY(f->ir->arena, Name, n), *s = NEW_ARRAY(f->ir->arena, Name, n);
  pto_dims(f, v.valid_shape, n, s);
  pto_offsets(f, offsets, n, o);
  PtoArg p = {.type = pto_partition_type(f, v.valid_shape, n, tensor->type->dtype)};
  p.value = pto_partition(f, pto_name(f, "%s_peer", tensor->u.var.name), view,
                          pto_view_type(f, tensor->type), p.type, o, s, n);
  pto_ins_outs(f, op->inst, &p, 1, NULL, NULL);
}

static void clean_lines(PtoFn *f, const PtoArg *p) {
  pto_line(f, "pto.cmo.cacheinvalid %s single_cache_line : %s", p->value, p->type);
}

void form_remote_store(PtoFn *f, const PtoOp *op, Expr *call) {
  if (!pto_need_var(f, call, 0)) return;
  Expr *tile = call->u.call.args[0];
  const Expr *tensor = call->u.call.args[1];
  int n, rank = tensor->type->rank;
  Expr **offsets = pto_tuple(f, call, 3, &n);
  if (!offsets) return;
  bool add = pto_kwarg_int(f, call, "atomic", ATOMIC_NONE) == ATOMIC_ADD;
  if (!pto_can_store(f, call, tile->type, tensor->type, add)) return;
  Name view = peer_view(f, call, tensor, call->u.call.args[2]);
  if (!view) return;
  TileView v = tile_view_of(f->ir, tile->type);
  if (v.nvalid != 2 || rank < 2 || n != rank) {
    pto_error(f, call->span, "'%s' stores a two-dimensional tile at as many offsets as dimensions",
              expr_op(call)->name);
    return;
  }
  Expr **dims = NEW_ARRAY(f->ir->arena, Expr *, rank);
  Name *o = NEW_ARRAY(f->ir->arena, Name, rank), *s = NEW_ARRAY(f->ir->arena, Name, rank);
  Name one = pto_const_index(f, 1);
  for (int i = 0; i < rank - 2; i++) {
    dims[i] = expr_index(f->ir, 1);
    s[i] = one;
  }
  for (int i = 0; i < 2; i++) {
    dims[rank - 2 + i] = v.valid_shape[i];
    s[rank - 2 + i] = pto_value(f, v.valid_shape[i]);
  }
  pto_offsets(f, offsets, n, o);
  PtoArg p = {.type = pto_partition_type(f, dims, rank, tensor->type->dtype)};
  p.value = pto_partition(f, pto_name(f, "%s_peer", tensor->u.var.name), view,
                          pto_view_type(f, tensor->type), p.type, o, s, rank);
  PtoArg t = {pto_var_value(f, tile), pto_type_of(f, tile)};
  pto_line(f, "%s ins(%s%s%s) outs(%s : %s)%s", op->inst, t.value, t.type ? " : " : "",
           t.type ? t.type : "", p.value, p.type,
           add ? " {atomicType = #pto<atomic_type atomic_add>}" : "");
  clean_lines(f, &p); /* the data must be out before a signal says so */
}

/* ---- signals ---- */

/* One element of a signal tensor as a partition of `view`. */
static PtoArg one_cell(PtoFn *f, const Expr *tensor, const char *where, Name view,
                       Expr *const *offsets) {
  int rank = tensor->type->rank;
  Name *o = NEW_ARRAY(f->ir->arena, Name, rank), *s = NEW_ARRAY(f->ir->arena, Name, rank);
  Expr **ones = NEW_ARRAY(f->ir->arena, Expr *, rank);
  for (int i = 0; i < rank; i++) {
    s[i] = pto_const_index(f, 1);
    ones[i] = expr_index(f->ir, 1);
  }
  pto_offsets(f, offsets, rank, o);
  PtoArg p = {.type = pto_partition_type(f, ones, rank, tensor->type->dtype)};
  p.value = pto_partition(f, pto_name(f, "%s_%s", tensor->u.var.name, where), view,
                          pto_view_type(f, tensor->type), p.type, o, s, rank);
  return p;
}

/* Offsets of a cell: as many as the tensor has dimensions; NULL after an error. */
static Expr **cell_offsets(PtoFn *f, const Expr *call, const Expr *tensor, int arg) {
  int n;
  Expr **offsets = pto_tuple(f, call, arg, &n);
  if (!offsets || n == tensor->type->rank) return offsets;
  pto_error(f, call->span, "%d offsets for a tensor of %d dimensions", n, tensor->type->rank);
  return NULL;
}

void form_notify(PtoFn *f, const PtoOp *op, Expr *call) {
  const Expr *tensor = call->u.call.args[0];
  Expr **offsets = cell_offsets(f, call, tensor, 2), *value = call->u.call.args[3];
  Name view = offsets ? peer_view(f, call, tensor, call->u.call.args[1]) : NULL;
  if (!view) return;
  PtoArg p = one_cell(f, tensor, "peer", view, offsets);
  Name v = pto_to_i32(f, value, pto_value(f, value));
  bool set = pto_kwarg_int(f, call, "op", NOTIFY_ATOMIC_ADD) == NOTIFY_SET;
  pto_line(f, "pto.barrier <PIPE_ALL>"); /* all work that the signal speaks of is done */
  pto_line(f, "%s(%s, %s : %s, i32) {notifyOp = #pto<notify_op %s>}", op->inst, p.value, v, p.type,
           set ? "set" : "atomic_add");
}

void form_wait(PtoFn *f, const PtoOp *op, Expr *call) {
  if (!pto_need_var(f, call, 0)) return;
  const Expr *tensor = call->u.call.args[0];
  if (tensor->type->kind != TYPE_DIST_TENSOR) {
    pto_error(f, call->span, "the signal of '%s' must be a distributed tensor",
              expr_op(call)->name);
    return;
  }
  Expr **offsets = cell_offsets(f, call, tensor, 1), *expected = call->u.call.args[2];
  if (!offsets) return;
  PtoArg p = one_cell(f, tensor, "local", pto_tensor_view(f, tensor), offsets);
  Name v = pto_to_i32(f, expected, pto_value(f, expected));
  pto_line(f, "%s(%s, %s : %s, i32) {cmp = #pto<wait_cmp %s>}", op->inst, p.value, v, p.type,
           pto_kwarg_int(f, call, "cmp", WAIT_EQ) == WAIT_GE ? "ge" : "eq");
}

/* ---- deferred completion ---- */

/* An index from a coordinate that may be unsigned: widened without its sign. */
static Name coordinate(PtoFn *f, Expr *e) {
  Name value = pto_value(f, e);
  DType t = e->type->dtype;
  if (!dtype_is_unsigned(t)) return pto_to_index(f, e, value);
  Name type = pto_dtype(f, t);
  const char *plain = type + 1;
  value = convert(f, "builtin.unrealized_conversion_cast", value, type, plain);
  if (dtype_bits(t) < 64) value = convert(f, "arith.extui", value, plain, "i64");
  return convert(f, "arith.index_cast", value, "i64", "index");
}

/* The expected value as i64. */
static Name as_i64(PtoFn *f, Expr *e) {
  Name value = pto_value(f, e);
  DType t = e->type->dtype;
  const char *type = pto_dtype(f, t);
  if (t == DT_INT64) return value;
  if (t == DT_INDEX) return convert(f, "arith.index_cast", value, "index", "i64");
  if (t == DT_UINT64) return convert(f, "builtin.unrealized_conversion_cast", value, "ui64", "i64");
  if (!dtype_is_unsigned(t)) return convert(f, "arith.extsi", value, type, "i64");
  value = convert(f, "builtin.unrealized_conversion_cast", value, type, type + 1);
  return convert(f, "arith.extui", value, type + 1, "i64");
}

/* The cell's element number, -1 if a coordinate is out of bounds. */
static Name checked_cell(PtoFn *f, const Type *t, Expr *const *offsets, Expr *const *strides) {
  int nvalid;
  Expr *const *bounds = type_valid_shape(t, &nvalid);
  Name zero = pto_const_index(f, 0), sum = zero, bad = NULL;
  for (int i = 0; i < t->rank; i++) {
    Name at = coordinate(f, offsets[i]), limit = pto_dim(f, bounds[i]);
    Name below = compute(f, "arith.cmpi slt,", at, zero, "index");
    Name above = compute(f, "arith.cmpi sge,", at, limit, "index");
    Name out = compute(f, "arith.ori", below, above, "i1");
    bad = bad ? compute(f, "arith.ori", bad, out, "i1") : out;
    Name stride = pto_dim(f, strides[i]);
    sum = compute(f, "arith.addi", sum, compute(f, "arith.muli", at, stride, "index"), "index");
  }
  Name invalid = pto_const_index(f, -1), cell = pto_new(f);
  pto_line(f, "%s = arith.select %s, %s, %s : index", cell, bad, invalid, sum);
  return convert(f, "arith.index_cast", cell, "index", "i64");
}

void form_defer_wait(PtoFn *f, const PtoOp *op, Expr *call) {
  (void)op;
  if (!pto_need_var(f, call, 0)) return;
  const Expr *tensor = call->u.call.args[0];
  const Type *t = tensor->type;
  Name base = pto_base_ptr(f, tensor);
  if (t->kind != TYPE_DIST_TENSOR || t->dtype != DT_INT32 || t->rank < 1 ||
      base != pto_var_value(f, tensor)) {
    pto_error(f, call->span,
              "the signal of '%s' must be an INT32 distributed tensor that is a parameter "
              "itself, not a part or another name of one",
              expr_op(call)->name);
    return;
  }
  Expr **offsets = cell_offsets(f, call, tensor, 1);
  if (!offsets) return;
  const TensorView *tv = t->tensor_view;
  Expr *const *strides = tv && tv->nstride == t->rank ? tv->stride
                                                      : packed_strides(f->ir, t->shape, t->rank,
                                                                       tv ? tv->layout : LAYOUT_ND);
  if (!strides) {
    pto_error(f, call->span, "a signal in layout %s has no element numbers",
              enum_name(ENUM_LAYOUT, tv ? tv->layout : LAYOUT_ND));
    return;
  }
  Name cell = checked_cell(f, t, offsets, strides), expected = as_i64(f, call->u.call.args[2]);
  pto_line(f,
           "func.call @pypto_register_counter_completion(%s, %s, %s, %s) : (!pto.ptr<i64>, "
           "!pto.ptr<i32>, i64, i64) -> ()",
           f->raw_args, base, cell, expected);
}

/* ---- bulk transfers ---- */

/* A transfer between a peer's tensor and one of this card, through staging tiles. */
typedef struct Transfer {
  const Expr *remote, *local;
  Expr *peer;
  Name *remote_at, *local_at, *size;
  int rank;
  Name type; /* of both partitions */
  PtoArg stages[2];
  int nstages;
} Transfer;

/* Sizes and offsets: the lists after the staging tiles, or the whole of the first operand. */
static bool transfer_region(PtoFn *f, const Expr *call, Transfer *t) {
  const Type *whole = call->u.call.args[0]->type;
  int first = 3 + t->nstages;
  bool region = call->u.call.nargs > first;
  bool remote_first = t->remote == call->u.call.args[0];
  t->rank = whole->rank;
  Name *at[2] = {NEW_ARRAY(f->ir->arena, Name, t->rank), NEW_ARRAY(f->ir->arena, Name, t->rank)};
  t->remote_at = at[remote_first ? 0 : 1];
  t->local_at = at[remote_first ? 1 : 0];
  t->size = NEW_ARRAY(f->ir->arena, Name, t->rank);
  Expr *const *shape = whole->shape;
  if (!region) {
    for (int i = 0; i < t->rank; i++) at[0][i] = at[1][i] = pto_const_index(f, 0);
  } else {
    for (int k = 0; k < 3; k++) {
      int n;
      Expr **list = pto_tuple(f, call, first + k, &n);
      if (!list) return false;
      if (n != t->rank) {
        pto_error(f, call->span, "a list of %d for a tensor of %d dimensions", n, t->rank);
        return false;
      }
      if (k < 2)
        pto_offsets(f, list, n, at[k]);
      else
        shape = list;
    }
  }
  pto_dims(f, shape, t->rank, t->size);
  t->type = pto_partition_type(f, shape, t->rank, whole->dtype);
  return true;
}

static bool count_stages(PtoFn *f, const Expr *call, Transfer *t) {
  int n = call->u.call.nargs;
  t->nstages = n == 5 || n == 8 ? 2 : 1;
  if (n == 4 || n == 5 || n == 7 || n == 8) return true;
  pto_error(f, call->span, "'%s' takes one or two staging tiles, and a region or none",
            expr_op(call)->name);
  return false;
}

static PtoArg remote_part(PtoFn *f, const Expr *call, const Transfer *t) {
  PtoArg p = {.type = t->type};
  Name view = peer_view(f, call, t->remote, t->peer);
  if (view)
    p.value =
        pto_partition(f, pto_name(f, "%s_peer", t->remote->u.var.name), view,
                      pto_view_type(f, t->remote->type), t->type, t->remote_at, t->size, t->rank);
  return p;
}

static PtoArg local_part(PtoFn *f, const Transfer *t) {
  PtoArg p = {.type = t->type};
  p.value =
      pto_partition(f, pto_name(f, "%s_local", t->local->u.var.name), pto_tensor_view(f, t->local),
                    pto_view_type(f, t->local->type), t->type, t->local_at, t->size, t->rank);
  return p;
}

static void print_transfer(PtoFn *f, const PtoOp *op, const Transfer *t, Name dst, Name src,
                           const char *attr) {
  Buf values = {0}, types = {0};
  for (int i = 0; i < t->nstages; i++) {
    buf_printf(&values, "%s%s", i ? ", " : "", t->stages[i].value);
    buf_printf(&types, ", %s", t->stages[i].type ? t->stages[i].type : "");
  }
  /* The pipes are drained before, so that the transfer reads what was stored, and after, since it
   * does not wait for its own last piece. */
  pto_line(f, "pto.barrier <PIPE_ALL>");
  pto_line(f, "%s(%s, %s, buf(%s) : %s, %s%s)%s", op->inst, dst, src, buf_str(&values), t->type,
           t->type, buf_str(&types), attr);
  pto_line(f, "pto.barrier <PIPE_ALL>");
  buf_free(&values);
  buf_free(&types);
}

static void read_stages(PtoFn *f, const Expr *call, Transfer *t) {
  for (int i = 0; i < t->nstages; i++) t->stages[i] = pto_arg(f, call->u.call.args[3 + i]);
}

void form_put(PtoFn *f, const PtoOp *op, Expr *call) {
  if (!pto_need_var(f, call, 0) || !pto_need_var(f, call, 2)) return;
  Expr **args = call->u.call.args;
  Transfer t = {.remote = args[0], .local = args[2], .peer = args[1]};
  if (!need_ctx(f, call, t.remote) || !count_stages(f, call, &t) || !transfer_region(f, call, &t))
    return;
  PtoArg dst = remote_part(f, call, &t);
  if (!dst.value) return;
  PtoArg src = local_part(f, &t);
  read_stages(f, call, &t);
  bool add = pto_kwarg_int(f, call, "atomic", ATOMIC_NONE) == ATOMIC_ADD;
  print_transfer(f, op, &t, dst.value, src.value,
                 add ? " {atomicType = #pto<atomic_type atomic_add>}"
                     : " {atomicType = #pto<atomic_type atomic_none>}");
  clean_lines(f, &dst);
}

void form_get(PtoFn *f, const PtoOp *op, Expr *call) {
  if (!pto_need_var(f, call, 0) || !pto_need_var(f, call, 2)) return;
  Expr **args = call->u.call.args;
  Transfer t = {.remote = args[2], .local = args[0], .peer = args[1]};
  if (!need_ctx(f, call, t.remote) || !count_stages(f, call, &t) || !transfer_region(f, call, &t))
    return;
  PtoArg dst = local_part(f, &t), src = remote_part(f, call, &t);
  if (!src.value) return;
  read_stages(f, call, &t);
  print_transfer(f, op, &t, dst.value, src.value, "");
}

/* ---- who am I ---- */

void form_comm_ctx(PtoFn *f, const PtoOp *op, Expr *call) {
  (void)op;
  Name ctx = need_ctx(f, call, call->u.call.args[0]);
  if (!ctx) return;
  if (f->res_var) pto_bind(f, f->res_var, ctx);
  f->expr_value = ctx;
}

void form_rank(PtoFn *f, const PtoOp *op, Expr *call) {
  Name ctx = pto_value(f, call->u.call.args[0]);
  Name both = load_word(f, ctx, pto_const_index(f, CTX_RANKS));
  if (op->param) both = compute(f, "arith.shrui", both, pto_const(f, op->param, DT_INT64), "i64");
  Name r = f->res ? f->res : pto_new(f);
  pto_line(f, "%s = arith.trunci %s : i64 to i32", r, both);
  f->expr_value = r;
}

/* ---- prefetching ---- */

#define CONTEXT "!pto.prefetch_async_context"
#define EVENT "!pto.async_event"
#define SESSION "!pto.async_session"

static Name result(PtoFn *f) { return f->expr_value = f->res ? f->res : pto_new(f); }

void form_prefetch_context(PtoFn *f, const PtoOp *op, Expr *call) {
  (void)call;
  Name r = result(f);
  pto_line(f, "%s = %s(%s : !pto.ptr<i8>) -> " CONTEXT, r, op->inst, f->sdma_arg);
}

void form_prefetch(PtoFn *f, const PtoOp *op, Expr *call) {
  if (!pto_need_var(f, call, 0)) return;
  const Expr *src = call->u.call.args[0];
  const Type *t = src->type;
  Name view = pto_tensor_view(f, src);
  Name *s = NEW_ARRAY(f->ir->arena, Name, t->rank), *o = NEW_ARRAY(f->ir->arena, Name, t->rank);
  pto_dims(f, t->shape, t->rank, s);
  for (int i = 0; i < t->rank; i++) o[i] = pto_const_index(f, 0);
  PtoArg p = {.type = pto_partition_type(f, t->shape, t->rank, t->dtype)};
  p.value = pto_partition(f, src->u.var.name, view, pto_view_type(f, t), p.type, o, s, t->rank);
  Name ctx = pto_value(f, call->u.call.args[1]), r = result(f);
  pto_line(f, "%s = %s(%s, %s : %s, " CONTEXT ") -> " EVENT, r, op->inst, p.value, ctx, p.type);
}

void form_prefetch_session(PtoFn *f, const PtoOp *op, Expr *call) {
  Name ctx = pto_value(f, call->u.call.args[0]), r = result(f);
  pto_line(f, "%s = %s %s : " CONTEXT " -> " SESSION, r, op->inst, ctx);
}

void form_prefetch_wait(PtoFn *f, const PtoOp *op, Expr *call) {
  Name event = pto_value(f, call->u.call.args[0]), session = pto_value(f, call->u.call.args[1]);
  Name r = result(f);
  pto_line(f, "%s = %s(%s, %s : " EVENT ", " SESSION ") -> i1", r, op->inst, event, session);
}
