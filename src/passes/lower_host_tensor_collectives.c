/* LowerHostTensorCollectives: collectives as one built-in kernel per device.
 * docs/passes/lower-host-tensor-collectives.md */
#include <string.h>

#include "ir/calls.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "passes/pass.h"
#include "target/runtime.h"

enum { MAX_COLLECTIVE_ARGS = 5 };

/* One row of the page's table. */
typedef struct Rule {
  OpId op, builtin;
  int nargs, result, signal; /* positions of the result and the signal among the arguments */
  ArgDir dirs[MAX_COLLECTIVE_ARGS];
  const char *attrs[3]; /* passed on, in order */
} Rule;

static const Rule rules[] = {
    {OP_PLD_TENSOR_ALLREDUCE,
     OP_BUILTIN_TENSOR_ALLREDUCE,
     2,
     0,
     1,
     {ADIR_INOUT, ADIR_INOUT},
     {"op", "dtype", "core_num"}},
    {OP_PLD_TENSOR_BARRIER, OP_BUILTIN_TENSOR_BARRIER, 1, 0, 0, {ADIR_INOUT}, {0}},
    {OP_PLD_TENSOR_BROADCAST,
     OP_BUILTIN_TENSOR_BROADCAST,
     2,
     0,
     1,
     {ADIR_INOUT, ADIR_INOUT},
     {"root", "dtype"}},
    {OP_PLD_TENSOR_REDUCE_SCATTER,
     OP_BUILTIN_TENSOR_REDUCE_SCATTER,
     2,
     0,
     1,
     {ADIR_INOUT, ADIR_INOUT},
     {"op", "dtype"}},
    {OP_PLD_TENSOR_ALLGATHER,
     OP_BUILTIN_TENSOR_ALLGATHER,
     3,
     1,
     2,
     {ADIR_INPUT, ADIR_INOUT, ADIR_INOUT},
     {"dtype"}},
    {OP_PLD_TENSOR_ALL_TO_ALL,
     OP_BUILTIN_TENSOR_ALL_TO_ALL,
     3,
     1,
     2,
     {ADIR_INPUT, ADIR_INOUT, ADIR_INOUT},
     {"dtype"}},
    {OP_PLD_TENSOR_ALL_TO_ALL_V,
     OP_BUILTIN_TENSOR_ALL_TO_ALL_V,
     5,
     1,
     2,
     {ADIR_INPUT, ADIR_INOUT, ADIR_INOUT, ADIR_INPUT, ADIR_INOUT},
     {"dtype"}},
};

typedef struct Lower {
  Ir *ir;
  const Target *target;
  VEC(Stmt *) domains; /* around this place, outermost first */
  bool failed;
} Lower;

static const Rule *rule_of(const Expr *e) {
  const Op *op = e ? expr_op(e) : NULL;
  for (size_t i = 0; op && i < sizeof rules / sizeof *rules; i++)
    if (rules[i].op == op->id) return &rules[i];
  return NULL;
}

__attribute__((format(printf, 3, 4))) static bool fail(Lower *l, const Expr *call, const char *fmt,
                                                       ...) {
  va_list ap;
  va_start(ap, fmt);
  diag_vreport(l->ir->diag, DIAG_ERROR, call->span, fmt, ap);
  va_end(ap);
  l->failed = true;
  return false;
}

/* ---- the domain ---- */

static bool holds(const Stmt *domain, const WindowBuffer *w) {
  for (int i = 0; i < domain->u.scope.nwindows; i++)
    if (domain->u.scope.windows[i] == w) return true;
  return false;
}

static bool check_windows(Lower *l, const Expr *call) {
  for (int i = 0; i < call->u.call.nargs; i++) {
    const Type *t = call->u.call.args[i]->type;
    if (t->kind != TYPE_DIST_TENSOR || !t->window)
      return fail(l, call, "argument %d of %s must be a window of an allocated buffer on the host",
                  i + 1, expr_op(call)->name);
    for (int k = 0; k < i; k++)
      if (call->u.call.args[k]->type->window == t->window)
        return fail(l, call, "arguments %d and %d of %s are windows of the same buffer", k + 1,
                    i + 1, expr_op(call)->name);
  }
  return true;
}

static const Stmt *domain_of(Lower *l, const Expr *call) {
  for (size_t d = l->domains.len; d-- > 0;) {
    bool all = true;
    for (int i = 0; i < call->u.call.nargs; i++)
      all = all && holds(l->domains.data[d], call->u.call.args[i]->type->window);
    if (all) return l->domains.data[d];
  }
  fail(l, call, "no communication domain holds all buffers of %s", expr_op(call)->name);
  return NULL;
}

static const AttrValue *devices_of(Lower *l, const Stmt *domain) {
  const AttrValue *v = attr_get(domain->u.scope.attrs, ir_name(l->ir, "devices"));
  return v && v->kind == ATTR_LIST && v->u.list.len ? v : NULL;
}

/* ---- checks; `n` devices, 0: only known at run time ---- */

static int64_t kwarg_int(Lower *l, const Expr *call, const char *key, int64_t otherwise) {
  return attr_int(call->u.call.kwargs, ir_name(l->ir, key), otherwise);
}

static bool check_lanes(Lower *l, const Expr *call, const Type *signal, int64_t n, int64_t lanes,
                        bool more_allowed) {
  int64_t have;
  if (signal->rank != 1 && signal->rank != 2)
    return fail(l, call, "the signal of a collective must be [devices] or [devices, lanes]");
  if (signal->rank == 1 && lanes != 1)
    return fail(l, call, "a one-dimensional signal has one lane, but %lld are needed",
                (long long)lanes);
  if (signal->rank == 2 && !expr_const_int(signal->shape[1], &have))
    return fail(l, call, "the lanes of a collective's signal must be a constant");
  if (signal->rank == 2 && (more_allowed ? have < lanes : have != lanes))
    return fail(l, call, "the signal has %lld lanes, but %lld are needed", (long long)have,
                (long long)lanes);
  if (expr_const_int(signal->shape[0], &have) && have < n)
    return fail(l, call, "the signal has room for %lld devices, but %lld take part",
                (long long)have, (long long)n);
  return true;
}

static bool check_ring(Lower *l, const Expr *call, const Type *data, const Type *signal,
                       int64_t n) {
  int64_t rounds, width, elements = type_num_elements(data);
  if (kwarg_int(l, call, "core_num", 1) != 1)
    return fail(l, call, "a ring allreduce runs on one core per device");
  if (n == 0) return true;
  if (signal->dtype != DT_INT32 || signal->rank != 2)
    return fail(
        l, call,
        "the signal of a ring allreduce must be an INT32 tensor [2 * (devices - 1) + 1, devices]");
  bool has_rounds = expr_const_int(signal->shape[0], &rounds),
       has_width = expr_const_int(signal->shape[1], &width);
  bool exact = !has_rounds || !has_width || rounds == 2 * (width - 1) + 1;
  if ((has_rounds && rounds < 2 * (n - 1) + 1) || (has_width && width != n) || !exact)
    return fail(l, call, "the signal of a ring allreduce over %lld devices must be [%lld, %lld]",
                (long long)n, (long long)(2 * (n - 1) + 1), (long long)n);
  if (n > RUNTIME_RING_DEVICES)
    return fail(l, call, "a ring allreduce joins at most %d devices", RUNTIME_RING_DEVICES);
  if (elements < 0)
    return fail(l, call, "a ring allreduce needs data of a size known at compile time");
  if (elements % n != 0)
    return fail(l, call, "a ring allreduce cannot divide %lld elements among %lld devices",
                (long long)elements, (long long)n);
  return true;
}

static bool check_call(Lower *l, const Rule *rule, const Expr *call, int64_t n) {
  const Type *signal = call->u.call.args[rule->signal]->type;
  if (rule->op == OP_PLD_TENSOR_ALLREDUCE) {
    if (call_is_ring_allreduce(l->ir, call))
      return check_ring(l, call, call->u.call.args[0]->type, signal, n);
    int64_t cores = kwarg_int(l, call, "core_num", 1);
    if (l->target && cores > l->target->vector_cores)
      return fail(l, call, "core_num is %lld, but the chip has %d vector cores", (long long)cores,
                  l->target->vector_cores);
    return check_lanes(l, call, signal, n, cores, true);
  }
  int64_t root = kwarg_int(l, call, "root", 0);
  if (rule->op == OP_PLD_TENSOR_BROADCAST && n > 0 && (root < 0 || root >= n))
    return fail(l, call, "root %lld is none of the %lld devices", (long long)root, (long long)n);
  return check_lanes(l, call, signal, n, 1, false);
}

/* ---- calls ---- */

static AttrList passed_attrs(Lower *l, const Rule *rule, const Expr *call) {
  AttrList out = {0};
  const Type *data = call->u.call.args[rule->result]->type;
  for (int i = 0; i < 3 && rule->attrs[i]; i++) {
    Name key = ir_name(l->ir, rule->attrs[i]);
    const AttrValue *v = attr_get(call->u.call.kwargs, key);
    if (strcmp(key, "dtype") == 0)
      out = attr_with(l->ir, out, key, attr_of_dtype(data->dtype));
    else if (strcmp(key, "core_num") == 0 && call_is_ring_allreduce(l->ir, call))
      continue;
    else if (v)
      out = attr_with(l->ir, out, key, *v);
  }
  return out;
}

static Stmt *builtin_call(Lower *l, const Rule *rule, const Expr *call, Expr *device) {
  Ir *ir = l->ir;
  AttrList attrs = passed_attrs(l, rule, call);
  OpId id = call_is_ring_allreduce(l->ir, call) ? OP_BUILTIN_TENSOR_ALLREDUCE_RING : rule->builtin;
  Expr *e = op_call_id(ir, id, call->u.call.args, rule->nargs, attrs, call->span);
  if (!e) {
    l->failed = true;
    return NULL;
  }
  e = expr_copy(ir, e);
  attrs = key_with(ir, attrs, KEY_DEVICE, attr_of_expr(device));
  e->u.call.attrs =
      key_with(ir, attrs, KEY_ARG_DIRECTIONS, directions_attr(ir, rule->dirs, rule->nargs));
  return stmt_eval(ir, e, call->span);
}

static void per_device(Lower *l, const Rule *rule, const Expr *call, const AttrValue *devices,
                       StmtList *out) {
  for (int i = 0; i < devices->u.list.len; i++) {
    Stmt *s = builtin_call(l, rule, call,
                           expr_int(l->ir, devices->u.list.items[i].u.i, DT_INT64, call->span));
    if (s) vec_push(out, s);
  }
}

static void over_all_devices(Lower *l, const Rule *rule, const Expr *call, Span span,
                             StmtList *out) {
  Ir *ir = l->ir;
  Expr *world = op_call_id(ir, OP_PLD_SYSTEM_WORLD_SIZE, NULL, 0, (AttrList){0}, call->span);
  Expr *r = expr_var(ir, ir_name(ir, "r"), type_scalar(ir, DT_INT64), call->span);
  Stmt *body = world ? builtin_call(l, rule, call, r) : NULL;
  if (!body) return;
  Stmt *loop = stmt_new(ir, STMT_FOR, span);
  loop->u.loop.kind = FOR_RANGE;
  loop->u.loop.var = r;
  loop->u.loop.start = expr_int(ir, 0, DT_INT64, call->span);
  loop->u.loop.stop = world;
  loop->u.loop.step = expr_int(ir, 1, DT_INT64, call->span);
  loop->u.loop.body = block_of(ir, &body, 1);
  vec_push(out, loop);
}

static void lower_call(Lower *l, const Rule *rule, const Expr *call, Stmt *s, StmtList *out) {
  if (call->u.call.nargs != rule->nargs) {
    fail(l, call, "%s on the host needs %d arguments", expr_op(call)->name, rule->nargs);
    return;
  }
  const Stmt *domain = check_windows(l, call) ? domain_of(l, call) : NULL;
  if (!domain) return;
  const AttrValue *devices = devices_of(l, domain);
  if (!check_call(l, rule, call, devices ? devices->u.list.len : 0)) return;
  size_t first = out->len;
  if (devices)
    per_device(l, rule, call, devices, out);
  else
    over_all_devices(l, rule, call, s->span, out);
  if (out->len > first) {
    out->data[first]->comments = s->comments;
    out->data[first]->ncomments = s->ncomments;
  }
}

/* The assigned variable becomes another name of the argument that holds the result. */
static Stmt *bind_result(Rewriter *r, const Rule *rule, const Expr *call, Stmt *s) {
  Lower *l = r->ctx;
  Expr *source = call->u.call.args[rule->result], *old = s->u.assign.var;
  Type t = *old->type;
  t.window = source->type->window;
  Expr *var = expr_var(l->ir, old->u.var.name, type_intern(l->ir, &t), old->span);
  map_set(&r->subst, old, var);
  return stmt_assign(l->ir, var, source, s->span);
}

static void lower_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Lower *l = r->ctx;
  Expr *call = stmt_call(s);
  const Rule *rule = rule_of(call);
  if (rule) {
    call = rewrite_expr(r, call);
    lower_call(l, rule, call, s, out);
    if (s->kind == STMT_ASSIGN && !l->failed) vec_push(out, bind_result(r, rule, call, s));
    return;
  }
  bool domain = s->kind == STMT_SCOPE && s->u.scope.kind == SCOPE_COMM_DOMAIN;
  if (domain) vec_push(&l->domains, s);
  vec_push(out, rewrite_stmt_children(r, s));
  if (domain) l->domains.len--;
}

static Function *lower_function(void *ctx, Function *f) {
  Lower *l = ctx;
  if (!func_is_host_orch(f)) return f;
  Function *out = rewrite_func_stmts(l->ir, f, lower_stmt, l);
  return l->failed ? NULL : out;
}

Program *lower_host_tensor_collectives(PassCtx *ctx, Program *p) {
  Lower l = {.ir = ctx->ir, .target = ctx->opts->target};
  Program *out = rewrite_program(ctx->ir, p, lower_function, &l);
  vec_free(&l.domains);
  return out;
}
