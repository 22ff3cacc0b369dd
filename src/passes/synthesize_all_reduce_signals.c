/* SynthesizeAllReduceSignals: the signal buffers that users need not write.
 * docs/passes/synthesize-all-reduce-signals.md */
#include "ir/calls.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Synthesize {
  Ir *ir;
  Map names;          /* in use in the program */
  int next;           /* number of the next generated name */
  int loops;          /* around this place */
  const Expr *direct; /* the allreduce that is a whole value */
  bool failed;
} Synthesize;

static bool note_var(Visitor *v, Expr *e) {
  Synthesize *c = v->ctx;
  if (expr_is_var(e)) map_set(&c->names, e->u.var.name, c);
  return true;
}

static void note_def(Visitor *v, Expr *var) { note_var(v, var); }

/* ---- the signal ---- */

static Name generated(Synthesize *c, const char *stem, int n) {
  return name_printf(&c->ir->names, "__allreduce_%s_%d", stem, n);
}

/* The first number for which none of the names is taken. */
static int free_number(Synthesize *c, const char *const *stems, int n) {
  for (;;) {
    int k = c->next++;
    bool taken = false;
    for (int i = 0; i < n; i++) taken = taken || map_has(&c->names, generated(c, stems[i], k));
    if (taken) continue;
    for (int i = 0; i < n; i++) map_set(&c->names, generated(c, stems[i], k), c);
    return k;
  }
}

static AttrList one_kwarg(Ir *ir, const char *key, AttrValue v) {
  return attr_with(ir, (AttrList){0}, ir_name(ir, key), v);
}

static Expr *bind(Synthesize *c, Name name, Expr *value, Span span, StmtList *out) {
  Expr *var = expr_var(c->ir, name, value->type, span);
  vec_push(out, stmt_assign(c->ir, var, value, span));
  return var;
}

/* Puts the signal's statements into `out`; NULL after an error. */
static Expr *make_signal(Synthesize *c, const Expr *call, StmtList *out) {
  static const char *const stems[] = {"signal_world_size", "signal_buf", "signal"};
  Ir *ir = c->ir;
  Span at = call->span;
  int k = free_number(c, stems, 3);
  Expr *cores = expr_int(ir, key_int(call->u.call.kwargs, KEY_CORE_NUM, 1), DT_INT64, at);
  Expr *world = op_call_id(ir, OP_PLD_SYSTEM_WORLD_SIZE, NULL, 0, (AttrList){0}, at);
  if (!world) return NULL;
  world = bind(c, generated(c, stems[0], k), world, at, out);
  DType t = world->type->dtype;
  Expr *bytes = expr_binary(ir, EXPR_MUL, expr_binary(ir, EXPR_MUL, world, cores, t, at),
                            expr_int(ir, 4, DT_INT64, at), t, at);
  Name buf_name = generated(c, stems[1], k);
  Expr *buf = op_call_id(ir, OP_PLD_TENSOR_ALLOC_WINDOW_BUFFER, &bytes, 1,
                         one_kwarg(ir, "name", attr_of_str(buf_name)), at);
  if (!buf) return NULL;
  Expr *shape[] = {world, cores};
  Expr *args[] = {bind(c, buf_name, buf, at, out), expr_tuple(ir, shape, 2, at)};
  Expr *window = op_call_id(ir, OP_PLD_TENSOR_WINDOW, args, 2,
                            one_kwarg(ir, "dtype", attr_of_dtype(DT_INT32)), at);
  return window ? bind(c, generated(c, stems[2], k), window, at, out) : NULL;
}

/* ---- rewriting ---- */

static bool is_allreduce(const Expr *e) { return expr_is_op(e, OP_PLD_TENSOR_ALLREDUCE); }

static void fail(Synthesize *c, Span at, const char *what) {
  diag_error(c->ir->diag, at, "%s", what);
  c->failed = true;
}

/* The same call with a signal, its statements put into `out`. */
static Expr *with_signal(Synthesize *c, Rewriter *r, Expr *call, StmtList *out) {
  c->direct = call;
  Expr *done = rewrite_expr(r, call);
  c->direct = NULL;
  if (done->u.call.nargs != 1) return done;
  if (c->loops > 0) {
    fail(c, call->span,
         "pld.tensor.allreduce in a loop needs a signal of its own: one made here would be "
         "allocated in "
         "every iteration; pass a signal buffer, which can be used again");
    return done;
  }
  Expr *args[] = {done->u.call.args[0], make_signal(c, call, out)};
  Expr *full =
      args[1] ? op_call_id(c->ir, OP_PLD_TENSOR_ALLREDUCE, args, 2, done->u.call.kwargs, call->span)
              : NULL;
  if (!full) c->failed = true;
  return full ? full : done;
}

static Expr *synthesize_expr(Rewriter *r, Expr *e) {
  Synthesize *c = r->ctx;
  if (is_allreduce(e) && e != c->direct)
    fail(c, e->span, "pld.tensor.allreduce must be assigned, returned, or a statement of its own");
  return rewrite_expr_children(r, e);
}

/* A returned allreduce is assigned first. */
static Stmt *synthesize_return(Synthesize *c, Rewriter *r, Stmt *s, StmtList *out) {
  static const char *const stem[] = {"result"};
  bool changed = false;
  Expr **values = NEW_ARRAY(c->ir->arena, Expr *, s->u.ret.len);
  for (int i = 0; i < s->u.ret.len; i++) {
    Expr *v = s->u.ret.values[i];
    if (is_allreduce(v)) {
      Expr *call = with_signal(c, r, v, out);
      values[i] = bind(c, generated(c, stem[0], free_number(c, stem, 1)), call, v->span, out);
    } else {
      values[i] = rewrite_expr(r, v);
    }
    changed = changed || values[i] != v;
  }
  if (!changed) return s;
  Stmt *n = stmt_copy(c->ir, s);
  n->u.ret.values = values;
  return n;
}

static void synthesize_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Synthesize *c = r->ctx;
  bool loop = stmt_is_loop(s);
  Expr *call = stmt_call(s), *full;
  if (call && is_allreduce(call)) {
    full = with_signal(c, r, call, out);
    Stmt *n = full == call ? s : stmt_copy(c->ir, s);
    if (full != call && s->kind == STMT_ASSIGN) n->u.assign.value = full;
    if (full != call && s->kind == STMT_EVAL) n->u.eval = full;
    vec_push(out, n);
    return;
  }
  if (s->kind == STMT_RETURN) {
    Stmt *ret = synthesize_return(c, r, s, out);
    vec_push(out, ret);
    return;
  }
  c->loops += loop;
  vec_push(out, rewrite_stmt_children(r, s));
  c->loops -= loop;
}

static Function *synthesize_function(void *ctx, Function *f) {
  Synthesize *c = ctx;
  if (!func_is_host_orch(f)) return f;
  Rewriter r;
  rewriter_init(&r, c->ir, c);
  r.expr = synthesize_expr;
  r.stmt = synthesize_stmt;
  Function *out = rewrite_func(&r, f);
  rewriter_free(&r);
  return c->failed ? NULL : out;
}

Program *synthesize_all_reduce_signals(PassCtx *ctx, Program *p) {
  Synthesize c = {.ir = ctx->ir};
  Visitor v = {.ctx = &c, .expr = note_var, .def = note_def};
  visit_program(&v, p);
  Program *out = rewrite_program(ctx->ir, p, synthesize_function, &c);
  map_free(&c.names);
  return out;
}
