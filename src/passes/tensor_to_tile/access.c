#include "passes/tensor_to_tile/access.h"

#include "base/map.h"
#include "ir/op.h"

typedef struct Access {
  Ir *ir;
  int nparams, words;
  Map origin; /* variable -> uint64_t* bits of the parameters it may be */
  uint64_t *read, *written, *dma, *scalar;
  Span *scalar_at; /* first scalar write of each parameter */
} Access;

static uint64_t *new_set(Access *a) { return NEW_ARRAY(a->ir->arena, uint64_t, a->words); }

static void add(Access *a, uint64_t *to, const uint64_t *from) {
  if (from)
    for (int i = 0; i < a->words; i++) to[i] |= from[i];
}

static bool covers(const Access *a, const uint64_t *all, const uint64_t *part) {
  if (!part) return true;
  for (int i = 0; i < a->words; i++)
    if (part[i] & ~(all ? all[i] : 0)) return false;
  return true;
}

static bool has(const uint64_t *set, int i) { return set[i / 64] >> (i % 64) & 1; }

/* ---------------------------------------------------------------- what a call writes */

/* The operand that an operator's result is another name of, because it is written there; -1: none. */
static int written_operand(const Expr *call) {
  const Op *op = call->u.call.op;
  switch (op ? op->id : OP_NONE) {
    case OP_TENSOR_WRITE:
    case OP_TENSOR_ASSEMBLE:
    case OP_PLD_TILE_PUT:
    case OP_PLD_TILE_GET:
    case OP_PLD_SYSTEM_NOTIFY:
    case OP_PLD_TENSOR_ALLREDUCE:
    case OP_PLD_TENSOR_REDUCE_SCATTER:
    case OP_PLD_TENSOR_BARRIER:
    case OP_PLD_TENSOR_BROADCAST: return 0;
    case OP_PLD_TILE_REMOTE_STORE:
    case OP_PLD_TENSOR_ALLGATHER:
    case OP_PLD_TENSOR_ALL_TO_ALL:
    case OP_PLD_TENSOR_ALL_TO_ALL_V: return 1;
    case OP_TILE_STORE: return 2;
    default: return -1;
  }
}

/* The parameters that a value may be another name of; NULL: none. */
static const uint64_t *alias_of(Access *a, const Expr *e) {
  if (e->kind == EXPR_VAR) return map_get(&a->origin, e);
  if (e->kind == EXPR_TUPLE_GET && e->u.get.tuple->kind == EXPR_TUPLE)
    return alias_of(a, e->u.get.tuple->u.tuple.elems[e->u.get.index]);
  if (e->kind != EXPR_CALL) return NULL;
  int i = written_operand(e);
  if (i >= 0) return i < e->u.call.nargs ? alias_of(a, e->u.call.args[i]) : NULL;
  bool view = expr_is_op(e, OP_TENSOR_SLICE) || expr_is_op(e, OP_TENSOR_VIEW);
  return view ? alias_of(a, e->u.call.args[0]) : NULL;
}

/* Adds the parameters that stand anywhere in a value. */
static void add_mentioned(Access *a, uint64_t *to, const Expr *e) {
  switch (e->kind) {
    case EXPR_VAR: add(a, to, map_get(&a->origin, e)); break;
    case EXPR_TUPLE:
      for (int i = 0; i < e->u.tuple.len; i++) add_mentioned(a, to, e->u.tuple.elems[i]);
      break;
    case EXPR_TUPLE_GET: add_mentioned(a, to, e->u.get.tuple); break;
    case EXPR_CALL:
      for (int i = 0; i < e->u.call.nargs; i++) add_mentioned(a, to, e->u.call.args[i]);
      break;
    default: break;
  }
}

static void read_operands(Access *a, const Expr *call, int from, int except) {
  for (int i = from; i < call->u.call.nargs; i++)
    if (i != except) add_mentioned(a, a->read, call->u.call.args[i]);
}

static void note_store(Access *a, const Expr *call, uint64_t *channel) {
  const uint64_t *to = alias_of(a, call->u.call.args[written_operand(call)]);
  if (!to) return;
  for (int i = 0; channel == a->scalar && i < a->nparams; i++)
    if (has(to, i) && !has(channel, i)) a->scalar_at[i] = call->span;
  add(a, channel, to);
  add(a, a->written, to);
}

/* Operands `first` .. `last` are read and written. */
static void read_write(Access *a, const Expr *call, int first, int last) {
  for (int i = first; i <= last && i < call->u.call.nargs; i++) {
    add_mentioned(a, a->read, call->u.call.args[i]);
    add_mentioned(a, a->written, call->u.call.args[i]);
  }
}

static void note_notify(Access *a, const Expr *call) {
  read_operands(a, call, 1, -1);
  const uint64_t *to = alias_of(a, call->u.call.args[0]);
  int64_t op = key_int(call->u.call.kwargs, KEY_OP, NOTIFY_ATOMIC_ADD);
  if (to && op == NOTIFY_ATOMIC_ADD) add(a, a->read, to);
  if (to) add(a, a->written, to);
}

static bool is_soft_syncall(Access *a, const Expr *call) {
  const AttrValue *mode = key_get(call->u.call.kwargs, KEY_MODE);
  return mode && mode->kind == ATTR_STR && mode->u.str == ir_name(a->ir, "soft");
}

static void note_call(Access *a, const Expr *e) {
  if (e->kind != EXPR_CALL) return;
  const Op *op = e->u.call.op;
  int n = e->u.call.nargs;
  switch (op ? op->id : OP_NONE) {
    case OP_TILE_STORE:
      read_operands(a, e, 0, n > 2 ? n - 1 : -1);
      if (n > 2) note_store(a, e, a->dma);
      break;
    case OP_TENSOR_ASSEMBLE:
      read_operands(a, e, 1, -1);
      note_store(a, e, a->dma);
      break;
    case OP_TENSOR_WRITE:
      read_operands(a, e, 1, -1);
      note_store(a, e, a->scalar);
      break;
    case OP_PLD_TILE_REMOTE_STORE:
    case OP_PLD_TILE_PUT:
    case OP_PLD_TILE_GET: {
      int to = written_operand(e);
      read_operands(a, e, 0, to);
      add(a, a->written, alias_of(a, e->u.call.args[to]));
      break;
    }
    case OP_PLD_SYSTEM_NOTIFY: note_notify(a, e); break;
    case OP_PLD_TENSOR_ALLREDUCE:
    case OP_PLD_TENSOR_REDUCE_SCATTER:
    case OP_PLD_TENSOR_BROADCAST: read_write(a, e, 0, 1); break;
    case OP_PLD_TENSOR_BARRIER: read_write(a, e, 0, 0); break;
    case OP_PLD_TENSOR_ALLGATHER:
      read_operands(a, e, 0, -1);
      read_write(a, e, 1, n);
      break;
    case OP_PLD_TENSOR_ALL_TO_ALL:
    case OP_PLD_TENSOR_ALL_TO_ALL_V:
      read_operands(a, e, 0, -1);
      read_write(a, e, 1, 2);
      read_write(a, e, 4, 4);
      break;
    case OP_TENSOR_SLICE:
    case OP_TENSOR_CREATE:
    case OP_TENSOR_FULL: read_operands(a, e, 1, -1); break;
    case OP_SYSTEM_SYNCALL:
      read_operands(a, e, 0, -1);
      if (is_soft_syncall(a, e) && n) add(a, a->written, alias_of(a, e->u.call.args[0]));
      break;
    default: read_operands(a, e, 0, -1);
  }
}

/* ---------------------------------------------------------------- statements */

static void bind(Access *a, const Expr *var, const uint64_t *from) {
  if (!type_is_tensor(var->type)) return;
  if (from)
    map_set(&a->origin, var, (void *)from);
  else
    map_remove(&a->origin, var);
}

static const Stmt *note_block(Access *a, Block b);

/* Carried values may be what they start as or what the body yields; one more round covers what the
 * first one adds. */
static void note_loop(Access *a, const Stmt *s) {
  if (s->kind == STMT_FOR) {
    note_call(a, s->u.loop.start);
    note_call(a, s->u.loop.stop);
    note_call(a, s->u.loop.step);
  } else {
    note_call(a, s->u.loop.cond);
  }
  int n = s->u.loop.ncarried;
  uint64_t **carried = NEW_ARRAY(a->ir->arena, uint64_t *, n + 1);
  for (int i = 0; i < n; i++) {
    carried[i] = new_set(a);
    add(a, carried[i], alias_of(a, s->u.loop.iter_args[i]->u.var.init));
  }
  for (int round = 0, grew = 1; round < 2 && grew; round++) {
    grew = 0;
    for (int i = 0; i < n; i++) bind(a, s->u.loop.iter_args[i], carried[i]);
    const Stmt *yield = note_block(a, s->u.loop.body);
    for (int i = 0; yield && i < n && i < yield->u.ret.len; i++) {
      const uint64_t *from = alias_of(a, yield->u.ret.values[i]);
      grew |= !covers(a, carried[i], from);
      add(a, carried[i], from);
    }
  }
  for (int i = 0; i < s->u.loop.nresults; i++)
    bind(a, s->u.loop.results[i], i < n ? carried[i] : NULL);
}

static void note_if(Access *a, const Stmt *s) {
  note_call(a, s->u.if_.cond);
  const Stmt *yields[2] = {note_block(a, s->u.if_.then_body),
                           s->u.if_.has_else ? note_block(a, s->u.if_.else_body) : NULL};
  for (int i = 0; i < s->u.if_.nresults; i++) {
    uint64_t *either = new_set(a);
    for (int k = 0; k < 2; k++)
      if (yields[k] && i < yields[k]->u.ret.len)
        add(a, either, alias_of(a, yields[k]->u.ret.values[i]));
    bind(a, s->u.if_.results[i], either);
  }
}

/* Gives the block's yield, or NULL. */
static const Stmt *note_block(Access *a, Block b) {
  const Stmt *yield = NULL;
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    switch (s->kind) {
      case STMT_ASSIGN:
        note_call(a, s->u.assign.value);
        bind(a, s->u.assign.var, alias_of(a, s->u.assign.value));
        break;
      case STMT_EVAL: note_call(a, s->u.eval); break;
      case STMT_IF: note_if(a, s); break;
      case STMT_FOR:
      case STMT_WHILE: note_loop(a, s); break;
      case STMT_SCOPE: {
        const Stmt *inner = note_block(a, s->u.scope.body);
        if (inner) yield = inner;
        break;
      }
      case STMT_YIELD: yield = s; break;
      default: break;
    }
  }
  return yield;
}

bool raise_param_directions(Ir *ir, Block body, Expr *const *params, ParamDir *dirs, int n) {
  Access a = {.ir = ir, .nparams = n, .words = n / 64 + 1};
  a.read = new_set(&a);
  a.written = new_set(&a);
  a.dma = new_set(&a);
  a.scalar = new_set(&a);
  a.scalar_at = NEW_ARRAY(ir->arena, Span, n + 1);
  for (int i = 0; i < n; i++) {
    if (!type_is_tensor(params[i]->type)) continue;
    uint64_t *self = new_set(&a);
    self[i / 64] |= UINT64_C(1) << (i % 64);
    map_set(&a.origin, params[i], self);
  }
  note_block(&a, body);
  map_free(&a.origin);
  bool ok = true;
  for (int i = 0; i < n; i++) {
    if (has(a.dma, i) && has(a.scalar, i)) {
      diag_error(ir->diag, a.scalar_at[i],
                 "'%s' is written by DMA (tile.store, tensor.assemble) and by tensor.write in one "
                 "function; the two paths are not coherent",
                 params[i]->u.var.name);
      diag_note(ir->diag, NO_SPAN,
                "collect the elements in a tile with tile.write and store it once, or write every "
                "element with tensor.write");
      ok = false;
    }
    if (dirs[i] == PARAM_IN && has(a.written, i))
      dirs[i] = has(a.read, i) ? PARAM_INOUT : PARAM_OUT;
  }
  return ok;
}
