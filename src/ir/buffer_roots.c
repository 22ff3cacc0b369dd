#include "ir/buffer_roots.h"

#include "ir/calls.h"
#include "ir/op.h"

typedef struct RootSet {
  Expr **items;
  int len;
  bool unclear;
} RootSet;

typedef struct TupleRoots {
  RootSet **outputs;
  int n;
} TupleRoots;

static const RootSet no_roots = {0};

static const RootSet *roots_of(const BufferRoots *b, const Expr *e) {
  const RootSet *s = expr_is_var(e) ? map_get(&b->sets, e) : NULL;
  return s ? s : &no_roots;
}

static bool has_root(const RootSet *s, const Expr *root) {
  for (int i = 0; i < s->len; i++)
    if (s->items[i] == root) return true;
  return false;
}

/* The candidates of both, in order, each once; unclear where either is or has none. */
static RootSet *union_roots(BufferRoots *b, const RootSet *x, const RootSet *y) {
  RootSet *u = NEW(b->ir->arena, RootSet);
  u->items = NEW_ARRAY(b->ir->arena, Expr *, x->len + y->len);
  for (int i = 0; i < x->len; i++) u->items[u->len++] = x->items[i];
  for (int i = 0; i < y->len; i++)
    if (!has_root(x, y->items[i])) u->items[u->len++] = y->items[i];
  u->unclear = x->unclear || y->unclear || x->len == 0 || y->len == 0;
  return u;
}

static void record(BufferRoots *b, Expr *var, const RootSet *s, bool unclear) {
  if (s->len == 0) return;
  unclear = unclear || s->len > 1;
  if (unclear != s->unclear) {
    RootSet *copy = NEW(b->ir->arena, RootSet);
    *copy = *s;
    copy->unclear = unclear;
    s = copy;
  }
  map_set(&b->sets, var, (void *)s);
}

static void record_self(BufferRoots *b, Expr *var) {
  RootSet *s = NEW(b->ir->arena, RootSet);
  s->items = NEW(b->ir->arena, Expr *);
  s->items[0] = var;
  s->len = 1;
  record(b, var, s, false);
}

/* ---- calls ---- */

static bool same_tensor(const Type *a, const Type *b) {
  if (a->kind != TYPE_TENSOR || b->kind != TYPE_TENSOR || a->dtype != b->dtype ||
      a->rank != b->rank)
    return false;
  for (int i = 0; i < a->rank; i++)
    if (!expr_same(a->shape[i], b->shape[i])) return false;
  return true;
}

static bool same_roots(const RootSet *a, const RootSet *b) {
  if (a->len != b->len || a->unclear != b->unclear) return false;
  for (int i = 0; i < a->len; i++)
    if (a->items[i] != b->items[i]) return false;
  return true;
}

/* Arguments that the callee writes, with their roots; returns their number. */
static int call_outputs(BufferRoots *b, const Expr *call, RootSet ***roots, Expr ***args) {
  const Function *callee = call_target(b->program, call);
  if (!callee) return 0;
  int n = call->u.call.nargs < callee->nparams ? call->u.call.nargs : callee->nparams;
  *roots = NEW_ARRAY(b->ir->arena, RootSet *, n);
  *args = NEW_ARRAY(b->ir->arena, Expr *, n);
  int len = 0;
  for (int i = 0; i < n; i++) {
    if (callee->dirs[i] == PARAM_IN) continue;
    (*args)[len] = call->u.call.args[i];
    (*roots)[len++] = (RootSet *)roots_of(b, call->u.call.args[i]);
  }
  return len;
}

/* The roots of a call's only result: the one output, or the only one of the result's shape. */
static const RootSet *result_roots(BufferRoots *b, const Type *result, RootSet **roots, Expr **args,
                                   int n) {
  if (n == 0) return &no_roots;
  if (n == 1) return roots[0];
  const RootSet *match = NULL;
  for (int i = 0; i < n; i++) {
    if (roots[i]->len == 0 || !same_tensor(args[i]->type, result)) continue;
    if (match && !same_roots(match, roots[i])) {
      match = NULL;
      break;
    }
    match = roots[i];
  }
  if (match) return match;
  return b->policy == ROOTS_FIRST ? roots[0] : &no_roots;
}

static void scan_call(BufferRoots *b, Expr *var, const Expr *call) {
  if (expr_is_op(call, OP_TENSOR_CREATE) || expr_is_op(call, OP_TENSOR_SLICE)) {
    record_self(b, var);
    return;
  }
  if (expr_is_op(call, OP_TENSOR_ASSEMBLE)) {
    const RootSet *s = roots_of(b, call->u.call.args[0]);
    record(b, var, s, s->unclear);
    return;
  }
  if (call->u.call.op) return;
  RootSet **roots = NULL;
  Expr **args = NULL;
  int n = call_outputs(b, call, &roots, &args);
  if (call->type->kind == TYPE_TUPLE) {
    TupleRoots *t = NEW(b->ir->arena, TupleRoots);
    t->outputs = roots;
    t->n = n;
    map_set(&b->tuples, var, t);
    return;
  }
  const RootSet *s = result_roots(b, call->type, roots, args, n);
  record(b, var, s, s->unclear);
}

static void scan_assign(BufferRoots *b, const Stmt *s) {
  Expr *var = s->u.assign.var, *value = s->u.assign.value;
  if (expr_is_call(value)) {
    scan_call(b, var, value);
  } else if (value->kind == EXPR_TUPLE_GET) {
    const TupleRoots *t = map_get(&b->tuples, value->u.get.tuple);
    if (t && value->u.get.index < t->n) {
      const RootSet *r = t->outputs[value->u.get.index];
      record(b, var, r, r->unclear);
    }
  } else if (expr_is_var(value)) {
    const RootSet *r = roots_of(b, value);
    record(b, var, r, r->unclear);
  }
}

/* ---- control flow ---- */

static void scan_block(BufferRoots *b, Block block);

static void scan_loop(BufferRoots *b, Stmt *s) {
  int n = s->u.loop.ncarried;
  const RootSet **init = NEW_ARRAY(b->ir->arena, const RootSet *, n);
  for (int i = 0; i < n; i++) {
    init[i] = roots_of(b, s->u.loop.iter_args[i]->u.var.init);
    record(b, s->u.loop.iter_args[i], init[i], init[i]->unclear);
  }
  scan_block(b, s->u.loop.body);
  Stmt *yield = block_yield(unwrap_auto_scope(b->ir, s->u.loop.body));
  if (!yield) return;
  int64_t trips;
  bool surely_runs = s->kind == STMT_FOR && loop_trip_count(s, &trips) && trips > 0;
  for (int i = 0; i < s->u.loop.nresults && i < yield->u.ret.len; i++) {
    const RootSet *r = roots_of(b, yield->u.ret.values[i]);
    bool unclear = r->unclear || r->len == 0;
    if (!surely_runs && i < n) {
      unclear = unclear || init[i]->len == 0;
      r = union_roots(b, r, init[i]);
    }
    record(b, s->u.loop.results[i], r, unclear);
  }
}

static void scan_if(BufferRoots *b, Stmt *s) {
  scan_block(b, s->u.if_.then_body);
  scan_block(b, s->u.if_.else_body);
  if (s->u.if_.nresults == 0 || !s->u.if_.has_else) return;
  Stmt *y = block_yield(unwrap_auto_scope(b->ir, s->u.if_.then_body));
  Stmt *n = block_yield(unwrap_auto_scope(b->ir, s->u.if_.else_body));
  if (!y || !n) return;
  for (int i = 0; i < s->u.if_.nresults && i < y->u.ret.len && i < n->u.ret.len; i++) {
    RootSet *r = union_roots(b, roots_of(b, y->u.ret.values[i]), roots_of(b, n->u.ret.values[i]));
    record(b, s->u.if_.results[i], r, r->unclear);
  }
}

static void scan_block(BufferRoots *b, Block block) {
  for (int i = 0; i < block.len; i++) {
    Stmt *s = block.items[i];
    switch (s->kind) {
      case STMT_ASSIGN: scan_assign(b, s); break;
      case STMT_IF: scan_if(b, s); break;
      case STMT_FOR:
      case STMT_WHILE: scan_loop(b, s); break;
      case STMT_SCOPE: scan_block(b, s->u.scope.body); break;
      default: break;
    }
  }
}

/* ---- public ---- */

void buffer_roots_init(BufferRoots *b, Ir *ir, const Program *p, const Function *f,
                       RootPolicy policy) {
  *b = (BufferRoots){.ir = ir, .program = p, .policy = policy};
  for (int i = 0; i < f->nparams; i++) record_self(b, f->params[i]);
  scan_block(b, f->body);
}

void buffer_roots_free(BufferRoots *b) {
  map_free(&b->sets);
  map_free(&b->tuples);
}

Expr *buffer_root(const BufferRoots *b, const Expr *e) {
  const RootSet *s = roots_of(b, e);
  if (s->len == 0 || (s->unclear && b->policy == ROOTS_SURE)) return NULL;
  return s->items[0];
}

bool buffer_root_unclear(const BufferRoots *b, const Expr *e) { return roots_of(b, e)->unclear; }
