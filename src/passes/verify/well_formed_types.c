/* Every type is one, and a call that gives no value is used for none: it stands as a statement of its
 * own, never bound, an operand, in a tuple, yielded or returned. */
#include "base/map.h"
#include "ir/type_rules.h"
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Check {
  Ir *ir;
  Map seen; /* types found good */
  bool ok;
} Check;

static void fault(Check *c, Span at, const char *text) {
  diag_error(c->ir->diag, at, "%s", text);
  c->ok = false;
}

static void check_type(Check *c, const Type *t, Span at) {
  if (!map_set(&c->seen, t, map_int(1))) return;
  const char *problem = type_problem(c->ir, t);
  if (problem) fault(c, at, problem);
  for (int i = 0; i < t->nelems; i++) check_type(c, t->elems[i], at);
}

static void check_def(Visitor *v, Expr *var) {
  Check *c = v->ctx;
  check_type(c, var->type, var->span);
  if (var->type->kind == TYPE_VOID)
    fault(c, var->span, "a call that gives no value cannot be bound");
}

static void check_values(Check *c, Expr *const *es, int n, const char *text) {
  for (int i = 0; i < n; i++)
    if (es[i]->type->kind == TYPE_VOID) fault(c, es[i]->span, text);
}

static void check_attrs(Check *c, AttrList attrs) {
  for (int i = 0; i < attrs.len; i++) {
    const AttrValue *a = &attrs.items[i].value;
    if (a->kind == ATTR_EXPR) check_values(c, &a->u.expr, 1, "an attribute needs a value");
  }
}

static bool check_expr(Visitor *v, Expr *e) {
  static const char operand[] = "a call that gives no value cannot be an operand";
  Check *c = v->ctx;
  check_type(c, e->type, e->span);
  if (expr_is_call(e)) {
    check_values(c, e->u.call.args, e->u.call.nargs, operand);
    check_attrs(c, e->u.call.kwargs);
    check_attrs(c, e->u.call.attrs);
  } else if (expr_is_binary(e)) {
    check_values(c, &e->u.bin.lhs, 1, operand);
    check_values(c, &e->u.bin.rhs, 1, operand);
  } else if (expr_is_unary(e)) {
    check_values(c, &e->u.operand, 1, operand);
  } else if (e->kind == EXPR_TUPLE) {
    check_values(c, e->u.tuple.elems, e->u.tuple.len,
                 "a call that gives no value cannot stand in a tuple");
  }
  return true;
}

static bool check_stmt(Visitor *v, Stmt *s) {
  Check *c = v->ctx;
  if (s->kind == STMT_YIELD)
    check_values(c, s->u.ret.values, s->u.ret.len, "a call that gives no value cannot be yielded");
  if (s->kind == STMT_RETURN)
    check_values(c, s->u.ret.values, s->u.ret.len, "a call that gives no value cannot be returned");
  return true;
}

bool verify_well_formed_types(PassCtx *ctx, const Program *p) {
  Check c = {.ir = ctx->ir, .ok = true};
  Visitor v = {.ctx = &c, .expr = check_expr, .stmt = check_stmt, .def = check_def};
  visit_program(&v, p);
  map_free(&c.seen);
  return c.ok;
}
