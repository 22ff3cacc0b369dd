#include "passes/composite/emit.h"

#include <stdarg.h>

#include "arith/fold.h"
#include "passes/util/auto_name.h"

/* ---------------------------------------------------------------- values */

static void *give_up(Emit *e) {
  e->failed = true;
  return NULL;
}

Name comp_name(Emit *e, const char *what) {
  return auto_name_build(e->ir, e->base, ir_name(e->ir, what), "tmp", (*e->temps)++);
}

Expr *comp_bind(Emit *e, const char *what, Expr *value) {
  if (!value) return give_up(e);
  Expr *var = expr_var(e->ir, comp_name(e, what), value->type, e->at);
  vec_push(e->out, stmt_assign(e->ir, var, value, e->at));
  return var;
}

Expr *comp_index(Emit *e, int64_t n) { return expr_int(e->ir, n, DT_INDEX, e->at); }
Expr *comp_i32(Emit *e, int64_t n) { return expr_int(e->ir, n, DT_INT32, e->at); }

Expr *comp_binary(Emit *e, ExprKind kind, Expr *a, Expr *b) {
  Expr *x = a && b ? make_binary(e->ir, kind, a, b, e->at) : NULL;
  return x ? x : give_up(e);
}

Expr *comp_cast(Emit *e, Expr *value, DType to) {
  return value ? expr_cast(e->ir, value, to, e->at) : give_up(e);
}

Expr *comp_pair(Emit *e, Expr *a, Expr *b) {
  Expr *both[] = {a, b};
  return a && b ? expr_tuple(e->ir, both, 2, e->at) : give_up(e);
}

enum { MAX_OPERANDS = 8 };

Expr *comp_call(Emit *e, OpId op, AttrList kwargs, int n, ...) {
  Expr *args[MAX_OPERANDS];
  va_list ap;
  va_start(ap, n);
  for (int i = 0; i < n; i++)
    if (!(args[i] = va_arg(ap, Expr *))) e->failed = true;
  va_end(ap);
  Expr *call = e->failed ? NULL : op_call_id(e->ir, op, args, n, kwargs, e->at);
  return call ? call : give_up(e);
}

AttrList comp_kw(Emit *e, AttrList list, const char *key, AttrValue v) {
  return attr_with(e->ir, list, ir_name(e->ir, key), v);
}

static AttrList to_vec(Emit *e, AttrList list) {
  return comp_kw(e, list, "target_memory", attr_of_enum(ENUM_MEM, MEM_VEC));
}

Expr *comp_load(Emit *e, Expr *tensor, Expr *offsets, Expr *shape, Expr *valid) {
  return comp_call(e, OP_TILE_LOAD, to_vec(e, (AttrList){0}), 4, tensor, offsets, shape, valid);
}

Expr *comp_create(Emit *e, Expr *shape, DType dtype) {
  AttrList kw = comp_kw(e, (AttrList){0}, "dtype", attr_of_dtype(dtype));
  return comp_call(e, OP_TILE_CREATE, to_vec(e, kw), 1, shape);
}

/* ---------------------------------------------------------------- bodies */

static void begin(Emit *e, Open *o, Stmt *s) {
  *o = (Open){.s = s, .outer = e->out};
  e->out = &o->body;
}

static Block end(Emit *e, Open *o) {
  e->out = o->outer;
  return block_take(e->ir, &o->body);
}

Expr *comp_for(Emit *e, Open *o, const char *var, Expr *start, Expr *stop, Expr *step) {
  Stmt *s = stmt_new(e->ir, STMT_FOR, e->at);
  if (!start || !stop || !step) e->failed = true;
  s->u.loop.var = expr_var(e->ir, comp_name(e, var), type_scalar(e->ir, DT_INDEX), e->at);
  s->u.loop.start = start;
  s->u.loop.stop = stop;
  s->u.loop.step = step;
  begin(e, o, s);
  return s->u.loop.var;
}

void comp_end_for(Emit *e, Open *o) {
  o->s->u.loop.body = end(e, o);
  vec_push(e->out, o->s);
}

Expr *comp_carry(Emit *e, Open *o, const char *var, Expr *stop, Expr *init, Expr **carried) {
  Expr *v = comp_for(e, o, var, comp_index(e, 0), stop, comp_index(e, 1));
  Stmt *s = o->s;
  o->what = ir_name(e->ir, arena_printf(e->ir->arena, "%s_final", var));
  *carried = NULL;
  if (!init) e->failed = true;
  if (e->failed) return v;
  Name name = comp_name(e, arena_printf(e->ir->arena, "%s_acc", var));
  s->u.loop.ncarried = s->u.loop.nresults = 1;
  s->u.loop.iter_args = NEW_ARRAY(e->ir->arena, Expr *, 1);
  s->u.loop.results = NEW_ARRAY(e->ir->arena, Expr *, 1);
  *carried = s->u.loop.iter_args[0] = expr_iter_arg(e->ir, name, init->type, init, e->at);
  return v;
}

static void yield(Emit *e, Expr *value) {
  if (!value)
    e->failed = true;
  else
    vec_push(e->out, stmt_yield(e->ir, &value, 1, e->at));
}

Expr *comp_end_carry(Emit *e, Open *o, Expr *next) {
  yield(e, next);
  comp_end_for(e, o);
  if (e->failed) return NULL;
  const Type *type = o->s->u.loop.iter_args[0]->type;
  return o->s->u.loop.results[0] = expr_var(e->ir, comp_name(e, o->what), type, e->at);
}

void comp_if(Emit *e, Open *o, Expr *cond) {
  Stmt *s = stmt_new(e->ir, STMT_IF, e->at);
  if (!cond) e->failed = true;
  s->u.if_.cond = cond;
  begin(e, o, s);
}

void comp_end_if(Emit *e, Open *o) {
  o->s->u.if_.then_body = end(e, o);
  vec_push(e->out, o->s);
}

void comp_else(Emit *e, Open *o, Expr *value) {
  yield(e, value);
  o->value = value;
  o->s->u.if_.then_body = block_take(e->ir, &o->body);
  o->s->u.if_.has_else = true;
}

Expr *comp_end_else(Emit *e, Open *o, Expr *value) {
  yield(e, value);
  o->s->u.if_.else_body = end(e, o);
  vec_push(e->out, o->s);
  if (e->failed) return NULL;
  o->s->u.if_.nresults = 1;
  o->s->u.if_.results = NEW_ARRAY(e->ir->arena, Expr *, 1);
  return o->s->u.if_.results[0] = expr_var(e->ir, comp_name(e, "if_res"), o->value->type, e->at);
}

/* ---------------------------------------------------------------- ranks and signals */

void comp_ranks(Emit *e, Expr *window, Expr *signal) {
  AttrList none = {0};
  Expr *ctx = comp_bind(e, "ctx", comp_call(e, OP_PLD_SYSTEM_GET_COMM_CTX, none, 1, window));
  Expr *nranks = comp_bind(e, "nranks", comp_call(e, OP_PLD_SYSTEM_NRANKS, none, 1, ctx));
  e->nranks = comp_bind(e, "nranks_idx", comp_cast(e, nranks, DT_INDEX));
  e->my_rank = comp_bind(e, "my_rank", comp_call(e, OP_PLD_SYSTEM_RANK, none, 1, ctx));
  e->signal = signal;
}

void comp_if_other(Emit *e, Open *o, Expr *rank) {
  comp_if(e, o, comp_binary(e, EXPR_NE, rank, e->my_rank));
}

static Expr *cell(Emit *e, Expr *row, Expr *rank) {
  return row ? comp_pair(e, row, rank) : comp_pair(e, rank, comp_index(e, 0));
}

static void add(Emit *e, Expr *peer, Expr *at, Expr *value, const char *what) {
  AttrList kw = comp_kw(e, (AttrList){0}, "op", attr_of_int(NOTIFY_ATOMIC_ADD));
  comp_bind(e, what, comp_call(e, OP_PLD_SYSTEM_NOTIFY, kw, 4, e->signal, peer, at, value));
}

static Expr *each_rank(Emit *e, Open *loop, Open *branch, const char *var) {
  Expr *rank = comp_for(e, loop, var, comp_index(e, 0), e->nranks, comp_index(e, 1));
  comp_if_other(e, branch, rank);
  return rank;
}

static void end_each(Emit *e, Open *loop, Open *branch) {
  comp_end_if(e, branch);
  comp_end_for(e, loop);
}

void comp_meet(Emit *e, Expr *row, Expr *expected, const char *suffix) {
  Arena *a = e->ir->arena;
  Open loop, branch;
  Expr *peer = each_rank(e, &loop, &branch, arena_printf(a, "peer%s", suffix));
  add(e, peer, cell(e, row, e->my_rank), comp_i32(e, 1), arena_printf(a, "notify%s_ret", suffix));
  end_each(e, &loop, &branch);
  Expr *src = each_rank(e, &loop, &branch, arena_printf(a, "src%s", suffix));
  AttrList kw = comp_kw(e, (AttrList){0}, "cmp", attr_of_int(WAIT_GE));
  Expr *wait = comp_call(e, OP_PLD_SYSTEM_WAIT, kw, 3, e->signal, cell(e, row, src), expected);
  comp_bind(e, arena_printf(a, "wait%s_ret", suffix), wait);
  end_each(e, &loop, &branch);
}

void comp_barrier(Emit *e, const char *suffix) {
  comp_meet(e, NULL, comp_i32(e, ++e->barriers), suffix);
}

static Expr *negative(Emit *e, Expr *n) {
  int64_t v;
  if (!n) return NULL;
  if (expr_const_int(n, &v)) return expr_int(e->ir, -v, n->type->dtype, e->at);
  return make_unary(e->ir, EXPR_NEG, n, e->at);
}

void comp_reset(Emit *e, Expr *rows, Expr *total) {
  Open outer, loop, branch;
  Expr *row = NULL, *less = negative(e, total);
  if (rows) row = comp_for(e, &outer, "reset_row", comp_index(e, 0), rows, comp_index(e, 1));
  Expr *src = each_rank(e, &loop, &branch, "reset_src");
  add(e, e->my_rank, cell(e, row, src), less, "epilogue_reset_ret");
  end_each(e, &loop, &branch);
  if (rows) comp_end_for(e, &outer);
}

void comp_reset_barriers(Emit *e) { comp_reset(e, NULL, comp_i32(e, e->barriers)); }
