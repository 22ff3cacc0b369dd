/* simplify.c -- folds expressions, branches and loops by what is known; see docs/passes/simplify.md. */
#include "arith/analyzer.h"
#include "arith/fold.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/pass.h"
#include "passes/util/clone.h"
#include "passes/util/dead_code.h"

/* A replacement of a variable, to be taken back when a body ends. */
typedef struct Replaced {
  Expr *var, *before, *by;
} Replaced;

typedef VEC(Replaced) ReplacedList;

typedef struct Simplify {
  Ir *ir;
  Analyzer *facts;
  Rewriter rw;
  Map reassigned;        /* variables with more than one assignment: none of their values holds */
  ReplacedList replaced; /* entries of rw.subst, in order */
  VEC(Expr *) bound;     /* scalars with facts, in order */
  int depth;             /* of bodies around; at 0 constants are propagated */
  bool only_replace;     /* rewrite without simplifying */
  bool failed;
} Simplify;

static Expr *simple(Simplify *s, Expr *e) {
  return analyzer_simplify(s->facts, rewrite_expr(&s->rw, e));
}

static Expr *relation(Simplify *s, ExprKind op, Expr *a, Expr *b) {
  return make_binary(s->ir, op, a, b, NO_SPAN);
}

/* ---- replacements and facts ---- */

static void replace(Simplify *s, Expr *var, Expr *by) {
  vec_push(&s->replaced, (Replaced){var, map_get(&s->rw.subst, var), by});
  map_set(&s->rw.subst, var, by);
}

/* Takes replacements back; those that were made are put into `taken` (may be NULL), in order. */
static void restore(Simplify *s, size_t mark, ReplacedList *taken) {
  for (size_t i = mark; taken && i < s->replaced.len; i++) vec_push(taken, s->replaced.data[i]);
  while (s->replaced.len > mark) {
    Replaced r = vec_pop(&s->replaced);
    if (r.before)
      map_set(&s->rw.subst, r.var, r.before);
    else
      map_remove(&s->rw.subst, r.var);
  }
}

static void replace_all(Simplify *s, const ReplacedList *list) {
  for (size_t i = 0; i < list->len; i++) replace(s, list->data[i].var, list->data[i].by);
}

static void forget_since(Simplify *s, size_t mark) {
  while (s->bound.len > mark) analyzer_unbind(s->facts, vec_pop(&s->bound));
}

static bool is_constant(const Expr *e) {
  return e->kind == EXPR_INT || e->kind == EXPR_FLOAT || e->kind == EXPR_BOOL;
}

/* What the assignment of a scalar says of it. */
static void learn(Simplify *s, Expr *var, Expr *value) {
  if (is_constant(value) && s->depth == 0) {
    analyzer_bind(s->facts, var, value);
  } else {
    Bound b = analyzer_bound(s->facts, value), known = analyzer_bound(s->facts, var);
    if (known.min > b.min) b.min = known.min;
    if (known.max < b.max) b.max = known.max;
    if (b.min > b.max) return;
    analyzer_bind_bound(s->facts, var, b);
  }
  vec_push(&s->bound, var);
}

/* ---- expressions and types ---- */

static TensorLayout layout_of(const Type *t) {
  return t->tensor_view ? t->tensor_view->layout : LAYOUT_ND;
}

/* A view that only names the layout its tensor has already. */
static bool is_identity_view(const Expr *e) {
  if (!expr_is_op(e, OP_TENSOR_VIEW) || e->u.call.nargs != 1) return false;
  const Type *from = e->u.call.args[0]->type, *to = e->type;
  return type_is_tensor(from) && type_is_tensor(to) && layout_of(from) == layout_of(to);
}

/* Operations that have no value. */
static void check_operands(Simplify *s, const Expr *e) {
  int64_t base, n;
  const char *what = NULL;
  if (!expr_const_int(e->u.bin.rhs, &n)) return;
  if (e->kind == EXPR_FLOOR_DIV && n == 0) what = "division by zero";
  if (e->kind == EXPR_FLOOR_MOD && n == 0) what = "remainder of a division by zero";
  if (e->kind == EXPR_POW && n < 0 && expr_const_int(e->u.bin.lhs, &base))
    what = "an integer to a negative power is no integer";
  if (!what) return;
  diag_error(s->ir->diag, e->span, "%s", what);
  s->failed = true;
}

static Expr *simplify_node(Rewriter *r, Expr *e) {
  Simplify *s = r->ctx;
  Expr *n = rewrite_expr_children(r, e);
  if (s->only_replace) return n;
  if (n->kind == EXPR_VAR || expr_is_unary(n)) return analyzer_simplify(s->facts, n);
  if (expr_is_binary(n)) {
    check_operands(s, n);
    return analyzer_simplify(s->facts, n);
  }
  return is_identity_view(n) ? n->u.call.args[0] : n;
}

static Expr **simplify_list(Simplify *s, Expr **list, int n) {
  Expr **out = list;
  for (int i = 0; i < n; i++) {
    Expr *e = simple(s, list[i]);
    if (e == list[i]) continue;
    if (out == list) out = COPY_ARRAY(s->ir->arena, Expr *, list, n);
    out[i] = e;
  }
  return out;
}

static const TensorView *simplify_tensor_view(Simplify *s, const TensorView *v) {
  if (!v) return NULL;
  TensorView n = *v;
  n.stride = simplify_list(s, v->stride, v->nstride);
  n.valid_shape = simplify_list(s, v->valid_shape, v->nvalid);
  if (n.stride == v->stride && n.valid_shape == v->valid_shape) return v;
  return COPY_ARRAY(s->ir->arena, TensorView, &n, 1);
}

static const TileView *simplify_tile_view(Simplify *s, const TileView *v) {
  if (!v) return NULL;
  TileView n = *v;
  n.stride = simplify_list(s, v->stride, v->nstride);
  n.valid_shape = simplify_list(s, v->valid_shape, v->nvalid);
  if (v->start_offset) n.start_offset = simple(s, v->start_offset);
  if (n.stride == v->stride && n.valid_shape == v->valid_shape && n.start_offset == v->start_offset)
    return v;
  return COPY_ARRAY(s->ir->arena, TileView, &n, 1);
}

/* Shapes, strides and valid shapes; where the value lies stays as it is. */
static const Type *simplify_type(Rewriter *r, const Type *t) {
  Simplify *s = r->ctx;
  if (s->only_replace) return rewrite_type_children(r, t);
  Type n = *t;
  if (t->kind == TYPE_TUPLE) {
    for (int i = 0; i < t->nelems; i++) {
      const Type *elem = simplify_type(r, t->elems[i]);
      if (elem == t->elems[i]) continue;
      if (n.elems == t->elems)
        n.elems = COPY_ARRAY(s->ir->arena, const Type *, t->elems, t->nelems);
      n.elems[i] = elem;
    }
    return n.elems == t->elems ? t : type_intern(s->ir, &n);
  }
  if (!type_is_shaped(t)) return t;
  n.shape = simplify_list(s, t->shape, t->rank);
  n.tensor_view = simplify_tensor_view(s, t->tensor_view);
  n.tile_view = simplify_tile_view(s, t->tile_view);
  if (n.shape == t->shape && n.tensor_view == t->tensor_view && n.tile_view == t->tile_view)
    return t;
  return type_intern(s->ir, &n);
}

static Expr *simplify_def(Rewriter *r, Expr *var) {
  Simplify *s = r->ctx;
  Expr *known = map_get(&r->subst, var);
  if (known && known->kind == EXPR_VAR && !var->u.var.is_iter_arg) return known;
  const Type *type = simplify_type(r, var->type);
  Expr *n;
  if (var->u.var.is_iter_arg) {
    Expr *init = simple(s, var->u.var.init);
    if (type == var->type && init == var->u.var.init) return var;
    n = expr_iter_arg(s->ir, var->u.var.name, type, init, var->span);
  } else {
    if (type == var->type) return var;
    n = expr_var(s->ir, var->u.var.name, type, var->span);
  }
  replace(s, var, n);
  return n;
}

static Expr **simplify_defs(Simplify *s, Expr **vars, int n) {
  Expr **out = COPY_ARRAY(s->ir->arena, Expr *, vars, n);
  for (int i = 0; i < n; i++) out[i] = simplify_def(&s->rw, vars[i]);
  return out;
}

/* ---- bodies ---- */

/* A body that may run never or often: what it computes holds only inside. */
static Block inner_block(Simplify *s, Block b) {
  size_t mark = s->bound.len;
  s->depth++;
  Block out = rewrite_block(&s->rw, b);
  s->depth--;
  forget_since(s, mark);
  return out;
}

/* The statements of `b` take the place of the branch or loop that they were in; its results become what
 * they yield. */
static void lift(Simplify *s, Block b, Expr **results, int nresults, StmtList *out) {
  const Stmt *y = nresults ? block_yield(b) : NULL;
  if (nresults && (!y || y->u.ret.len != nresults))
    diag_internal(s->ir->diag, "a body with %d results does not yield as many", nresults);
  for (int i = 0; i < nresults; i++) replace(s, results[i], y->u.ret.values[i]);
  for (int i = 0; i < b.len - (y ? 1 : 0); i++) vec_push(out, b.items[i]);
}

static Stmt *push_changed(Simplify *s, Stmt *old, const Stmt *n, StmtList *out) {
  Stmt *st = stmt_same_fields(old, n) ? old : stmt_copy(s->ir, n);
  vec_push(out, st);
  return st;
}

/* ---- branches ---- */

static Block simplify_branch(Simplify *s, Block b, Expr *cond, ReplacedList *replaced) {
  size_t mark = s->replaced.len;
  size_t scope = analyzer_enter(s->facts, cond);
  Block out = inner_block(s, b);
  analyzer_leave(s->facts, scope);
  restore(s, mark, replaced);
  return out;
}

static void simplify_if(Simplify *s, Stmt *st, StmtList *out) {
  Stmt n = stmt_load(st);
  Expr *cond = n.u.if_.cond = simple(s, st->u.if_.cond);
  Expr *negated = make_unary(s->ir, EXPR_NOT, cond, cond->span);
  ReplacedList in_then = {0}, in_else = {0};
  n.u.if_.then_body = simplify_branch(s, st->u.if_.then_body, cond, &in_then);
  if (st->u.if_.has_else)
    n.u.if_.else_body = simplify_branch(s, st->u.if_.else_body, negated, &in_else);
  if (analyzer_proves(s->facts, cond)) {
    replace_all(s, &in_then);
    lift(s, n.u.if_.then_body, st->u.if_.results, st->u.if_.nresults, out);
  } else if (analyzer_proves(s->facts, negated)) {
    replace_all(s, &in_else);
    lift(s, n.u.if_.else_body, st->u.if_.results, st->u.if_.nresults, out);
  } else {
    push_changed(s, st, &n, out);
  }
  vec_free(&in_then);
  vec_free(&in_else);
}

/* ---- loops ---- */

enum { MANY_TRIPS = 2 };

/* How often the body of a `for` runs, if that is provably never or once. */
static int known_trips(Simplify *s, const Stmt *st) {
  Expr *start = st->u.loop.start, *stop = st->u.loop.stop, *step = st->u.loop.step;
  if (st->u.loop.kind != FOR_RANGE || st->u.loop.attrs.len > 0) return MANY_TRIPS;
  if (!analyzer_proves_ge(s->facts, step, 1)) return MANY_TRIPS;
  if (analyzer_proves(s->facts, relation(s, EXPR_LE, stop, start))) return 0;
  Expr *next = make_binary(s->ir, EXPR_ADD, start, step, NO_SPAN);
  bool once = next && analyzer_proves(s->facts, relation(s, EXPR_LT, start, stop)) &&
              analyzer_proves(s->facts, relation(s, EXPR_LE, stop, next));
  return once ? 1 : MANY_TRIPS;
}

/* A body with one of these cannot stand without its loop. */
static bool has_jump(Block b) {
  for (int i = 0; i < b.len; i++) {
    const Stmt *st = b.items[i];
    if (st->kind == STMT_BREAK || st->kind == STMT_CONTINUE) return true;
    if (st->kind == STMT_IF && (has_jump(st->u.if_.then_body) || has_jump(st->u.if_.else_body)))
      return true;
    if (st->kind == STMT_SCOPE && has_jump(st->u.scope.body)) return true;
  }
  return false;
}

static void initial_values(Simplify *s, const Stmt *st, StmtList *out) {
  for (int i = 0; i < st->u.loop.nresults; i++) {
    Expr *result = simplify_def(&s->rw, st->u.loop.results[i]);
    vec_push(out, stmt_assign(s->ir, result, st->u.loop.iter_args[i]->u.var.init, st->span));
  }
}

/* The body once, with new variables, simplified as part of what is around. */
static void only_iteration(Simplify *s, const Stmt *old, const Stmt *n, StmtList *out) {
  Map subst = {0};
  map_set(&subst, old->u.loop.var, n->u.loop.start);
  for (int i = 0; i < old->u.loop.ncarried; i++)
    map_set(&subst, old->u.loop.iter_args[i], n->u.loop.iter_args[i]->u.var.init);
  Block body = clone_block(s->ir, old->u.loop.body, &subst, CLONE_FRESH_DEFS);
  map_free(&subst);
  size_t mark = s->replaced.len;
  body = rewrite_block(&s->rw, body);
  restore(s, mark, NULL);
  lift(s, body, old->u.loop.results, old->u.loop.nresults, out);
}

static void simplify_for(Simplify *s, Stmt *st, StmtList *out) {
  Stmt n = stmt_load(st);
  n.u.loop.start = simple(s, st->u.loop.start);
  n.u.loop.stop = simple(s, st->u.loop.stop);
  n.u.loop.step = simple(s, st->u.loop.step);
  n.u.loop.iter_args = simplify_defs(s, st->u.loop.iter_args, st->u.loop.ncarried);
  int trips = known_trips(s, &n);
  if (trips == 0) {
    initial_values(s, &n, out);
    return;
  }
  if (trips == 1 && st->u.loop.policy != HW_LOOP_REQUIRE && !has_jump(st->u.loop.body)) {
    only_iteration(s, st, &n, out);
    return;
  }
  int64_t first, end;
  bool ranged =
      expr_const_int(n.u.loop.start, &first) && expr_const_int(n.u.loop.stop, &end) && end > first;
  if (ranged) analyzer_bind_range(s->facts, st->u.loop.var, first, end);
  size_t mark = s->replaced.len;
  n.u.loop.body = inner_block(s, st->u.loop.body);
  restore(s, mark, NULL);
  if (ranged) analyzer_unbind(s->facts, st->u.loop.var);
  n.u.loop.results = simplify_defs(s, st->u.loop.results, st->u.loop.nresults);
  vec_push(out, stmt_copy(s->ir, &n));
}

/* Expressions in which variables are replaced, but nothing is simplified. */
static void replace_only(Simplify *s, Stmt *n) {
  s->only_replace = true;
  if (n->kind == STMT_SCOPE) {
    n->u.scope.attrs = rewrite_attrs(&s->rw, n->u.scope.attrs);
  } else {
    Expr **iter_args = COPY_ARRAY(s->ir->arena, Expr *, n->u.loop.iter_args, n->u.loop.ncarried);
    for (int i = 0; i < n->u.loop.ncarried; i++) {
      Expr *old = iter_args[i], *init = rewrite_expr(&s->rw, old->u.var.init);
      if (init == old->u.var.init) continue;
      iter_args[i] = expr_iter_arg(s->ir, old->u.var.name, old->type, init, old->span);
      replace(s, old, iter_args[i]);
    }
    n->u.loop.iter_args = iter_args;
  }
  s->only_replace = false;
}

static void simplify_while(Simplify *s, Stmt *st, StmtList *out) {
  Stmt n = stmt_load(st);
  replace_only(s, &n);
  n.u.loop.cond = simple(s, st->u.loop.cond);
  n.u.loop.body = inner_block(s, st->u.loop.body);
  vec_push(out, stmt_copy(s->ir, &n));
}

/* ---- other statements ---- */

static void simplify_assign(Simplify *s, Stmt *st, StmtList *out) {
  Stmt n = stmt_load(st);
  n.u.assign.value = simple(s, st->u.assign.value);
  n.u.assign.var = simplify_def(&s->rw, st->u.assign.var);
  if (type_is_scalar(n.u.assign.var->type) && !map_get(&s->reassigned, st->u.assign.var))
    learn(s, n.u.assign.var, n.u.assign.value);
  push_changed(s, st, &n, out);
}

static void simplify_scope(Simplify *s, Stmt *st, StmtList *out) {
  Stmt n = stmt_load(st);
  if (st->u.scope.kind == SCOPE_SPMD) {
    n.u.scope.core_num = simple(s, st->u.scope.core_num);
    n.u.scope.body = inner_block(s, st->u.scope.body);
    replace_only(s, &n);
  } else {
    n.u.scope.body = rewrite_block(&s->rw, st->u.scope.body);
    n.u.scope.attrs = rewrite_attrs(&s->rw, st->u.scope.attrs);
  }
  push_changed(s, st, &n, out);
}

static void simplify_stmt(Rewriter *r, Stmt *st, StmtList *out) {
  Simplify *s = r->ctx;
  Stmt n = stmt_load(st);
  switch (st->kind) {
    case STMT_ASSIGN: simplify_assign(s, st, out); return;
    case STMT_IF: simplify_if(s, st, out); return;
    case STMT_FOR: simplify_for(s, st, out); return;
    case STMT_WHILE: simplify_while(s, st, out); return;
    case STMT_SCOPE: simplify_scope(s, st, out); return;
    case STMT_EVAL: n.u.eval = simple(s, st->u.eval); break;
    case STMT_RETURN:
    case STMT_YIELD: n.u.ret.values = simplify_list(s, st->u.ret.values, st->u.ret.len); break;
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_INLINE: break;
  }
  push_changed(s, st, &n, out);
}

/* ---- functions ---- */

/* Marks variables from their second assignment on. */
static bool note_assignment(Visitor *v, Stmt *st) {
  Simplify *s = v->ctx;
  if (st->kind != STMT_ASSIGN) return true;
  bool seen = map_has(&s->reassigned, st->u.assign.var);
  map_set(&s->reassigned, st->u.assign.var, seen ? map_int(1) : NULL);
  return true;
}

static Function *simplify_func(void *ctx, Function *f) {
  Simplify *s = ctx;
  map_clear(&s->reassigned);
  map_clear(&s->rw.subst);
  s->replaced.len = 0;
  Visitor v = {.ctx = s, .stmt = note_assignment};
  visit_block(&v, f->body);
  Block body = rewrite_block(&s->rw, f->body);
  forget_since(s, 0);
  if (s->failed) return NULL;
  body = remove_dead(s->ir, body, is_removable_scalar);
  body = remove_dead_results(s->ir, body);
  body = remove_dead(s->ir, body, is_removable_scalar);
  if (body.items == f->body.items && body.len == f->body.len) return f;
  Function *out = func_copy(s->ir, f);
  out->body = body;
  return out;
}

Program *simplify(PassCtx *ctx, Program *p) {
  Simplify s = {.ir = ctx->ir, .facts = analyzer_new(ctx->ir)};
  rewriter_init(&s.rw, ctx->ir, &s);
  s.rw.expr = simplify_node;
  s.rw.stmt = simplify_stmt;
  s.rw.def = simplify_def;
  s.rw.type = simplify_type;
  Program *out = rewrite_program(ctx->ir, p, simplify_func, &s);
  rewriter_free(&s.rw);
  analyzer_free(s.facts);
  map_free(&s.reassigned);
  vec_free(&s.replaced);
  vec_free(&s.bound);
  return out;
}
