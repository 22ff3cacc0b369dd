/* Launches that depend on the value of one element; see "Predicates" in docs/codegen-orchestration.md. */
#include "codegen/orch/orch.h"
#include "target/runtime.h"

/* A comparison as the set of outcomes that satisfy it. */
enum { LESS = 1, EQUAL = 2, GREATER = 4 };

static const char *const runtime_names[] = {
    [LESS] = "LT",    [EQUAL] = "EQ",          [LESS | EQUAL] = "LE",
    [GREATER] = "GT", [LESS | GREATER] = "NE", [EQUAL | GREATER] = "GE",
};

/* Element `read` of a tensor compared with `target`. */
typedef struct ElementTest {
  const Expr *read;
  unsigned outcomes;
  int64_t target;
} ElementTest;

/* 0: no comparison. */
static unsigned outcomes_of(ExprKind kind) {
  switch (kind) {
    case EXPR_LT: return LESS;
    case EXPR_LE: return LESS | EQUAL;
    case EXPR_EQ: return EQUAL;
    case EXPR_NE: return LESS | GREATER;
    case EXPR_GE: return EQUAL | GREATER;
    case EXPR_GT: return GREATER;
    default: return 0;
  }
}

/* What y is to x when x is one of these to y. */
static unsigned seen_from_right(unsigned outcomes) {
  return (outcomes & EQUAL) | (outcomes & LESS ? GREATER : 0u) | (outcomes & GREATER ? LESS : 0u);
}

static const Expr *without_casts(const Expr *e) {
  while (e->kind == EXPR_CAST) e = e->u.operand;
  return e;
}

static bool as_element_test(const Expr *e, ElementTest *t) {
  unsigned outcomes = outcomes_of(e->kind);
  if (!outcomes) return false;
  const Expr *left = without_casts(e->u.bin.lhs), *right = without_casts(e->u.bin.rhs);
  if (expr_is_op(left, OP_TENSOR_READ) && right->kind == EXPR_INT)
    *t = (ElementTest){left, outcomes, right->u.i};
  else if (expr_is_op(right, OP_TENSOR_READ) && left->kind == EXPR_INT)
    *t = (ElementTest){right, seen_from_right(outcomes), left->u.i};
  else
    return false;
  return true;
}

/* The runtime extends the sign of the bytes it reads. */
static bool is_readable(DType t) {
  int bits = dtype_bits(t);
  return dtype_is_signed(t) && (bits == 8 || bits == 16 || bits == 32 || bits == 64);
}

/* The tensor and the place in it. */
static bool operand_lines(Orch *o, const ElementTest *t, Span at, const char *task) {
  const Expr *tensor = t->read->u.call.args[0], *place = t->read->u.call.args[1];
  const Expr *const *indices = &place;
  int n = 1;
  if (place->kind == EXPR_TUPLE) {
    indices = (const Expr *const *)place->u.tuple.elems;
    n = place->u.tuple.len;
  }
  if (!is_readable(tensor->type->dtype))
    orch_error(o, at, "a dispatch predicate reads signed integers only, but the tensor holds %s",
               dtype_name(tensor->type->dtype));
  if (n > RUNTIME_PREDICATE_RANK)
    orch_error(o, at, "a dispatch predicate has room for %d indices, not %d",
               RUNTIME_PREDICATE_RANK, n);
  Name name = orch_tensor(o, tensor);
  if (!name) return false;
  orch_line(o, "CoreTaskPredicate %s_pred;", task);
  orch_line(o, "%s_pred.operand.tensor = &%s;", task, name);
  orch_line(o, "%s_pred.operand.ndims = %d;", task, n);
  for (int i = 0; i < n; i++) {
    if (indices[i]->kind == EXPR_INT && indices[i]->u.i < 0)
      orch_error(o, at, "an index of a dispatch predicate is negative");
    orch_line(o, "%s_pred.operand.indices[%d] = %s;", task, i, orch_expr(o, indices[i]));
  }
  return true;
}

void orch_predicate(Orch *o, const Expr *call, const char *task) {
  const Expr *condition = call->u.call.launch ? call->u.call.launch->predicate : NULL;
  ElementTest t;
  if (!condition) return;
  if (!as_element_test(condition, &t)) {
    orch_error(
        o, condition->span,
        "a dispatch predicate must compare one tensor element with an integer, as in t[0] > 0");
    return;
  }
  if (!operand_lines(o, &t, condition->span, task)) return;
  orch_line(o, "%s_pred.op = PredicateOp::%s;", task, runtime_names[t.outcomes]);
  orch_line(o, "%s_pred.target = %lld;", task, (long long)t.target);
  orch_line(o, "%s.set_predicate(%s_pred);", task, task);
}
