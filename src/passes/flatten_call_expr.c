/* flatten_call_expr.c -- three-address code; see docs/passes/flatten-call-expr.md. */
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/pass.h"
#include "passes/util/auto_name.h"

typedef struct Flatten {
  StmtList *out; /* where temporaries of the statement at work go */
  Map tuples;    /* variable -> the tuple that it is bound to */
  Map defined;   /* variable -> how often it is bound: more than once only before SSA form */
  int temps;
} Flatten;

/* `e`, or a new variable that is assigned it before the statement. */
static Expr *hoist(Rewriter *r, Expr *e) {
  Flatten *f = r->ctx;
  Name name = auto_name_build(r->ir, ir_name(r->ir, "t"), NULL, "tmp", f->temps++);
  Expr *var = expr_var(r->ir, name, e->type, e->span);
  vec_push(f->out, stmt_assign(r->ir, var, e, e->span));
  return var;
}

static Expr *hoist_call(Rewriter *r, Expr *e) { return e->kind == EXPR_CALL ? hoist(r, e) : e; }
static Expr *hoist_launch(Rewriter *r, Expr *e) { return expr_is_call(e) ? hoist(r, e) : e; }

/* Flattens each expression and replaces it at once: temporaries come in the order of the list. */
static Expr **flatten_list(Rewriter *r, Expr **list, int n,
                           Expr *(*hoist_one)(Rewriter *, Expr *)) {
  Expr **out = list;
  for (int i = 0; i < n; i++) {
    Expr *e = hoist_one(r, rewrite_expr(r, list[i]));
    if (e == list[i]) continue;
    if (out == list) out = COPY_ARRAY(r->ir->arena, Expr *, list, n);
    out[i] = e;
  }
  return out;
}

static Expr *flatten_call(Rewriter *r, Expr *e) {
  Expr **args = flatten_list(r, e->u.call.args, e->u.call.nargs,
                             e->kind == EXPR_CALL ? hoist_call : hoist_launch);
  if (args == e->u.call.args) return e;
  Expr *n = expr_copy(r->ir, e);
  n->u.call.args = args;
  return n;
}

static Expr *flatten_expr(Rewriter *r, Expr *e) {
  if (expr_is_call(e)) return flatten_call(r, e);
  if (expr_is_unary(e)) {
    Expr *x = hoist_call(r, rewrite_expr(r, e->u.operand));
    return x == e->u.operand ? e : expr_unary(r->ir, e->kind, x, e->type->dtype, e->span);
  }
  if (expr_is_binary(e)) {
    /* Both sides are flattened before either is replaced. */
    Expr *lhs = rewrite_expr(r, e->u.bin.lhs), *rhs = rewrite_expr(r, e->u.bin.rhs);
    lhs = hoist_call(r, lhs);
    rhs = hoist_call(r, rhs);
    if (lhs == e->u.bin.lhs && rhs == e->u.bin.rhs) return e;
    return expr_binary(r->ir, e->kind, lhs, rhs, e->type->dtype, e->span);
  }
  return rewrite_expr_children(r, e);
}

/* A condition or a loop's bounds: flattened as a whole, then replaced. */
static void flatten_head(Rewriter *r, Expr **exprs[], int n) {
  for (int i = 0; i < n; i++)
    if (*exprs[i]) *exprs[i] = rewrite_expr(r, *exprs[i]);
  for (int i = 0; i < n; i++)
    if (*exprs[i]) *exprs[i] = hoist_call(r, *exprs[i]);
}

/* A tile or tensor taken out of a tuple of variables is a copy of one of them: a tuple lies nowhere, and so would
 * what is taken out of it. */
static Expr *tuple_element(const Flatten *f, Expr *e) {
  Expr *tuple = e->kind == EXPR_TUPLE_GET && expr_is_var(e->u.get.tuple)
                    ? map_get(&f->tuples, e->u.get.tuple)
                    : NULL;
  Expr *elem =
      tuple && e->u.get.index < tuple->u.tuple.len ? tuple->u.tuple.elems[e->u.get.index] : NULL;
  bool stays = elem && expr_is_var(elem) && map_get_int(&f->defined, elem) <= 1;
  return stays && type_is_shaped(elem->type) ? elem : e;
}

static void count_def(Visitor *v, Expr *var) {
  Map *defined = v->ctx;
  map_set(defined, var, map_int(map_get_int(defined, var) + 1));
}

/* Of a tuple that is bound to a variable, each call gets a variable of its own: a tuple computes nothing. */
static Expr *flatten_value(Rewriter *r, const Expr *var, Expr *e) {
  Flatten *f = r->ctx;
  if (e->kind != EXPR_TUPLE) return tuple_element(f, rewrite_expr(r, e));
  Expr **elems = flatten_list(r, e->u.tuple.elems, e->u.tuple.len, hoist_call);
  if (elems != e->u.tuple.elems) e = expr_tuple(r->ir, elems, e->u.tuple.len, e->span);
  map_set(&f->tuples, var, e);
  return e;
}

static void flatten_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  ((Flatten *)r->ctx)->out = out;
  Stmt n = stmt_load(s);
  switch (s->kind) {
    case STMT_ASSIGN:
      n.u.assign.value = flatten_value(r, s->u.assign.var, s->u.assign.value);
      break;
    case STMT_EVAL: n.u.eval = rewrite_expr(r, s->u.eval); break;
    case STMT_RETURN:
    case STMT_YIELD:
      n.u.ret.values = flatten_list(r, s->u.ret.values, s->u.ret.len,
                                    s->kind == STMT_RETURN ? hoist_call : hoist_launch);
      break;
    case STMT_IF:
      flatten_head(r, (Expr * *[]){&n.u.if_.cond}, 1);
      n.u.if_.then_body = rewrite_block(r, s->u.if_.then_body);
      n.u.if_.else_body = rewrite_block(r, s->u.if_.else_body);
      break;
    case STMT_FOR:
    case STMT_WHILE:
      flatten_head(r, (Expr * *[]){&n.u.loop.start, &n.u.loop.stop, &n.u.loop.step, &n.u.loop.cond},
                   4);
      if (s->kind == STMT_WHILE && n.u.loop.cond != s->u.loop.cond)
        diag_warning(r->ir->diag, s->u.loop.cond->span,
                     "what this condition calls runs once, before the loop; assign it in the body "
                     "to test it again");
      n.u.loop.body = rewrite_block(r, s->u.loop.body);
      break;
    case STMT_SCOPE: n.u.scope.body = rewrite_block(r, s->u.scope.body); break;
    case STMT_BREAK:
    case STMT_CONTINUE:
    case STMT_INLINE: break;
  }
  vec_push(out, stmt_same_fields(&n, s) ? s : stmt_copy(r->ir, &n));
}

static Function *flatten_func(void *ctx, Function *f) {
  Flatten state = {0};
  Rewriter r;
  Visitor defs = {.ctx = &state.defined, .def = count_def, .expr = visit_no_expr};
  visit_func(&defs, f);
  rewriter_init(&r, ctx, &state);
  r.expr = flatten_expr;
  r.stmt = flatten_stmt;
  Block body = rewrite_block(&r, f->body);
  rewriter_free(&r);
  map_free(&state.tuples);
  map_free(&state.defined);
  if (body.items == f->body.items) return f;
  Function *out = func_copy(ctx, f);
  out->body = body;
  return out;
}

Program *flatten_call_expr(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, flatten_func, ctx->ir);
}
