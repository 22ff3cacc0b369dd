/* ExpandManualPhaseFence: one barrier instead of all-to-all waiting.
 * docs/passes/expand-manual-phase-fence.md */
#include "ir/calls.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/pass.h"

/* An array of ids that submits in a loop wait for. */
typedef struct DepArray {
  Expr *array;
  int64_t count;         /* submits per run of the loop's body */
  VEC(const Expr *) who; /* the submits */
} DepArray;

/* What a loop's body does with arrays of ids. */
typedef struct Summary {
  Map arrays; /* array variable -> DepArray*, in order of first use */
  Map defined;
  Map updated;
} Summary;

typedef struct Fence {
  Ir *ir;
  bool manual;
  int barriers;
  Map alias;      /* array variable -> another name of the same storage (a forest) */
  Map members;    /* root of an alias class -> Members* */
  Map summaries;  /* loop -> Summary* */
  Map barrier_of; /* submit -> barrier variable */
  Name key_dummy, key_deps;
} Fence;

typedef VEC(const Expr *) Members;

static bool is_id_array(const Expr *e) {
  return expr_is_var(e) && e->type->kind == TYPE_ARRAY && e->type->dtype == DT_TASK_ID;
}

/* ---- names of the same storage ---- */

static const Expr *class_of(const Fence *f, const Expr *var) {
  for (const Expr *up; (up = map_get(&f->alias, var));) var = up;
  return var;
}

static Members *members_of(Fence *f, const Expr *root) {
  Members *m = map_get(&f->members, root);
  if (m) return m;
  m = NEW(f->ir->arena, Members);
  vec_push(m, root);
  map_set(&f->members, root, m);
  return m;
}

static void join(Fence *f, const Expr *a, const Expr *b) {
  a = class_of(f, a);
  b = class_of(f, b);
  if (a == b) return;
  Members *into = members_of(f, a), *from = members_of(f, b);
  if (into->len < from->len) {
    const Expr *t = a;
    a = b;
    b = t;
    Members *m = into;
    into = from;
    from = m;
  }
  for (size_t i = 0; i < from->len; i++) vec_push(into, from->data[i]);
  map_set(&f->alias, b, (void *)a);
}

static void join_carries(Fence *f, const Stmt *loop) {
  for (int i = 0; i < loop->u.loop.ncarried; i++) {
    const Expr *arg = loop->u.loop.iter_args[i];
    if (is_id_array(arg) && is_id_array(arg->u.var.init)) join(f, arg, arg->u.var.init);
  }
}

/* ---- summaries ---- */

static const Summary *summary_of(Fence *f, Stmt *loop);

typedef struct Scan {
  Fence *f;
  Summary *s;
  bool inner_submits; /* do submits of inner loops count? */
} Scan;

static DepArray *dep_array(Scan *c, Expr *array) {
  DepArray *d = map_get(&c->s->arrays, array);
  if (!d) {
    d = NEW(c->f->ir->arena, DepArray);
    d->array = array;
    map_set(&c->s->arrays, array, d);
  }
  return d;
}

static void define(Summary *s, Expr *const *vars, int n) {
  for (int i = 0; i < n; i++) map_set(&s->defined, vars[i], s);
}

static void scan_inner_loop(Scan *c, Stmt *loop) {
  define(c->s, loop->u.loop.results, loop->u.loop.nresults);
  define(c->s, loop->u.loop.iter_args, loop->u.loop.ncarried);
  join_carries(c->f, loop);
  const Summary *inner = summary_of(c->f, loop);
  for (MapEntry *e = NULL; (e = map_next(&inner->defined, e));)
    map_set(&c->s->defined, e->key, c->s);
  for (MapEntry *e = NULL; (e = map_next(&inner->updated, e));)
    map_set(&c->s->updated, e->key, c->s);
  int64_t trips;
  if (!c->inner_submits || !loop_trip_count(loop, &trips) || trips <= 0) return;
  for (MapEntry *e = NULL; (e = map_next(&inner->arrays, e));) {
    const DepArray *from = e->value;
    DepArray *to = dep_array(c, from->array);
    to->count += from->count * trips;
    for (size_t i = 0; i < from->who.len; i++) vec_push(&to->who, from->who.data[i]);
  }
}

static bool scan_stmt(Visitor *v, Stmt *s) {
  Scan *c = v->ctx;
  if (s->kind == STMT_FOR) {
    scan_inner_loop(c, s);
    return false;
  }
  if (s->kind == STMT_IF) define(c->s, s->u.if_.results, s->u.if_.nresults);
  if (s->kind == STMT_WHILE) {
    define(c->s, s->u.loop.results, s->u.loop.nresults);
    define(c->s, s->u.loop.iter_args, s->u.loop.ncarried);
  }
  if (s->kind == STMT_ASSIGN) {
    Expr *value = s->u.assign.value;
    define(c->s, &s->u.assign.var, 1);
    if (expr_is_op(value, OP_ARRAY_UPDATE_ELEMENT) && expr_is_var(value->u.call.args[0])) {
      Members *m = members_of(c->f, class_of(c->f, value->u.call.args[0]));
      for (size_t i = 0; i < m->len; i++) map_set(&c->s->updated, m->data[i], c->s);
    }
  }
  return true;
}

static bool scan_expr(Visitor *v, Expr *e) {
  Scan *c = v->ctx;
  const Launch *l = e->kind == EXPR_SUBMIT ? e->u.call.launch : NULL;
  if (l && l->ndeps == 1 && is_id_array(l->deps[0]) && !map_has(&c->f->barrier_of, e)) {
    DepArray *d = dep_array(c, l->deps[0]);
    d->count++;
    vec_push(&d->who, e);
  }
  return true;
}

static void scan_body(Fence *f, Stmt *loop, Summary *out) {
  Scan c = {f, out, loop->u.loop.kind == FOR_RANGE};
  Visitor v = {.ctx = &c, .stmt = scan_stmt, .expr = scan_expr};
  visit_block(&v, loop->u.loop.body);
}

static const Summary *summary_of(Fence *f, Stmt *loop) {
  Summary *s = map_get(&f->summaries, loop);
  if (s) return s;
  s = NEW(f->ir->arena, Summary);
  map_set(&f->summaries, loop, s);
  scan_body(f, loop, s);
  return s;
}

static void free_summary(Summary *s) {
  for (MapEntry *e = NULL; (e = map_next(&s->arrays, e));) vec_free(&((DepArray *)e->value)->who);
  map_free(&s->arrays);
  map_free(&s->defined);
  map_free(&s->updated);
}

static void forget_summaries(Fence *f) {
  for (MapEntry *e = NULL; (e = map_next(&f->summaries, e));) free_summary(e->value);
  map_clear(&f->summaries);
}

/* ---- barriers ---- */

static Stmt *barrier_stmt(Fence *f, Expr *array, Span span) {
  Ir *ir = f->ir;
  const Type *id = type_scalar(ir, DT_TASK_ID);
  AttrValue *edge = NEW(ir->arena, AttrValue);
  *edge = attr_of_expr(array);
  Expr *call = expr_call_op(ir, op_get(ir, OP_SYSTEM_TASK_DUMMY), NULL, 0, (AttrList){0}, id, span);
  call->u.call.attrs = attr_with(ir, call->u.call.attrs, f->key_dummy, attr_of_bool(true));
  call->u.call.attrs = attr_with(ir, call->u.call.attrs, f->key_deps, attr_of_list(edge, 1));
  Name name = name_printf(&ir->names, "phase_fence_barrier_%d_tid", f->barriers++);
  return stmt_assign(ir, expr_var(ir, name, id, span), call, span);
}

static bool is_own_carry(const Stmt *loop, const Expr *array) {
  for (int i = 0; i < loop->u.loop.ncarried; i++)
    if (loop->u.loop.iter_args[i] == array) return true;
  return false;
}

static bool worth_it(const DepArray *d, int64_t trips) {
  int64_t producers;
  if (!expr_const_int(d->array->type->shape[0], &producers) || producers <= 0) return false;
  double n = (double)producers, m = (double)d->count * (double)trips;
  return n * m > n + m;
}

/* Puts the barriers that a loop is worth before it, and marks the submits that wait for them. */
static void add_barriers(Fence *f, Stmt *loop, StmtList *out) {
  int64_t trips = 1;
  int before = f->barriers;
  bool known = loop_trip_count(loop, &trips);
  join_carries(f, loop);
  if (loop->u.loop.kind == FOR_PARALLEL ? !known || trips <= 0 : known && trips <= 0) return;
  Summary s = {0};
  scan_body(f, loop, &s);
  for (MapEntry *e = NULL; (e = map_next(&s.arrays, e));) {
    const DepArray *d = e->value;
    if (is_own_carry(loop, d->array) || map_has(&s.defined, d->array) ||
        map_has(&s.updated, d->array))
      continue;
    if (!worth_it(d, known ? trips : 1)) continue;
    Stmt *b = barrier_stmt(f, d->array, loop->span);
    vec_push(out, b);
    for (size_t i = 0; i < d->who.len; i++)
      map_set(&f->barrier_of, d->who.data[i], b->u.assign.var);
  }
  free_summary(&s);
  /* Submits that wait for a barrier now wait for no array: inner loops must not count them. */
  if (f->barriers > before) forget_summaries(f);
}

static Expr *fence_expr(Rewriter *r, Expr *e) {
  Fence *f = r->ctx;
  Expr *barrier = e->kind == EXPR_SUBMIT ? map_get(&f->barrier_of, e) : NULL;
  Expr *done = rewrite_expr_children(r, e);
  if (!barrier) return done;
  Expr *out = expr_copy(f->ir, done);
  Launch *l = COPY_ARRAY(f->ir->arena, Launch, done->u.call.launch, 1);
  l->deps = COPY_ARRAY(f->ir->arena, Expr *, &barrier, 1);
  l->ndeps = 1;
  out->u.call.launch = l;
  return out;
}

static void fence_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Fence *f = r->ctx;
  bool manual = f->manual;
  if (s->kind == STMT_SCOPE && s->u.scope.kind == SCOPE_RUNTIME) f->manual = s->u.scope.manual;
  if (s->kind == STMT_FOR && f->manual) add_barriers(f, s, out);
  vec_push(out, rewrite_stmt_children(r, s));
  f->manual = manual;
}

static Function *fence_function(void *ctx, Function *func) {
  Fence *f = ctx;
  if (func->type != FUNC_ORCHESTRATION) return func;
  f->barriers = 0;
  Rewriter r;
  rewriter_init(&r, f->ir, f);
  r.expr = fence_expr;
  r.stmt = fence_stmt;
  Function *out = rewrite_func(&r, func);
  rewriter_free(&r);
  forget_summaries(f);
  for (MapEntry *e = NULL; (e = map_next(&f->members, e));) vec_free((Members *)e->value);
  map_clear(&f->members);
  map_clear(&f->alias);
  map_clear(&f->barrier_of);
  return out;
}

Program *expand_manual_phase_fence(PassCtx *ctx, Program *p) {
  Fence f = {.ir = ctx->ir,
             .key_dummy = key_name(KEY_DUMMY_TASK),
             .key_deps = key_name(KEY_MANUAL_DEP_EDGES)};
  Program *out = rewrite_program(ctx->ir, p, fence_function, &f);
  map_free(&f.summaries);
  map_free(&f.members);
  map_free(&f.alias);
  map_free(&f.barrier_of);
  return out;
}
