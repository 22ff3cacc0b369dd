#include "passes/outline/waiter.h"

#include "ir/calls.h"
#include "ir/op.h"

enum { MAX_CONDITIONS = 64 };

typedef struct Waiter {
  Ir *ir;
  bool failed;
} Waiter;

/* What a stretch of a waiter's body does. */
typedef struct Steps {
  bool registers;
  bool reads; /* elements of tensors, or anything else that must not follow a registration */
  int64_t conditions; /* at most; saturates above the limit */
} Steps;

static Steps block_steps(Waiter *w, Block b);

static void refuse(Waiter *w, Span at, const char *what) {
  if (w->failed) return;
  diag_error(w->ir->diag, at, "%s", what);
  diag_note(w->ir->diag, at,
            "a task with pld.system.defer_wait only computes scalars and registers conditions");
  w->failed = true;
}

/* Is the scalar expression pure?  False if it reads an element of a tensor, where that is allowed. */
static bool is_pure(Waiter *w, const Expr *e, Span at, bool may_read) {
  if (type_is_tensor(e->type)) {
    refuse(w, at, "a waiting task cannot compute tensors");
    return true;
  }
  switch (e->kind) {
    case EXPR_VAR:
    case EXPR_INT:
    case EXPR_FLOAT:
    case EXPR_BOOL: return true;
    case EXPR_TUPLE: {
      bool pure = true;
      for (int i = 0; i < e->u.tuple.len; i++)
        pure = is_pure(w, e->u.tuple.elems[i], at, may_read) && pure;
      return pure;
    }
    case EXPR_TUPLE_GET: return is_pure(w, e->u.get.tuple, at, may_read);
    case EXPR_CALL:
      if (!may_read || !expr_is_op(e, OP_TENSOR_READ)) {
        refuse(w, at,
               "a waiting task can call nothing but pl.tensor.read, before its first registration");
        return true;
      }
      for (int i = 1; i < e->u.call.nargs; i++) is_pure(w, e->u.call.args[i], at, false);
      return false;
    case EXPR_SUBMIT: refuse(w, at, "a waiting task cannot launch tasks"); return true;
    default: break;
  }
  if (expr_is_unary(e)) return is_pure(w, e->u.operand, at, may_read);
  bool lhs = is_pure(w, e->u.bin.lhs, at, may_read), rhs = is_pure(w, e->u.bin.rhs, at, may_read);
  return lhs && rhs;
}

static Steps registration(Waiter *w, const Expr *call, Span at) {
  for (int i = 1; i < call->u.call.nargs; i++) is_pure(w, call->u.call.args[i], at, false);
  return (Steps){.registers = true, .conditions = 1};
}

static Steps eval_steps(Waiter *w, const Expr *e, Span at) {
  if (expr_is_op(e, OP_PLD_SYSTEM_DEFER_WAIT)) return registration(w, e, at);
  refuse(w, at, "a waiting task can do nothing but register conditions");
  return (Steps){0};
}

static Steps assign_steps(Waiter *w, const Stmt *s) {
  if (expr_is_op(s->u.assign.value, OP_PLD_SYSTEM_DEFER_WAIT))
    refuse(w, s->span, "pld.system.defer_wait gives nothing: write it as a statement");
  else if (type_is_tensor(s->u.assign.var->type))
    refuse(w, s->span, "a waiting task cannot make or write tensors");
  return (Steps){.reads = !is_pure(w, s->u.assign.value, s->span, true)};
}

static Steps loop_steps(Waiter *w, const Stmt *s) {
  if (s->kind != STMT_FOR || (s->u.loop.kind != FOR_RANGE && s->u.loop.kind != FOR_UNROLL)) {
    refuse(w, s->span, "a waiting task can only have pl.range() and pl.unroll() loops");
    return (Steps){0};
  }
  is_pure(w, s->u.loop.start, s->span, false);
  is_pure(w, s->u.loop.stop, s->span, false);
  is_pure(w, s->u.loop.step, s->span, false);
  Steps body = block_steps(w, s->u.loop.body);
  if (!body.registers) return body;
  int64_t trips;
  if (!loop_trip_count(s, &trips) || trips <= 0) {
    refuse(w, s->span,
           "a loop that registers conditions needs a constant number of iterations, at least one");
    return body;
  }
  if (trips > 1 && body.reads)
    refuse(w, s->span,
           "a loop that registers conditions cannot read tensors: the second iteration follows a "
           "registration");
  body.conditions =
      body.conditions > MAX_CONDITIONS / trips ? MAX_CONDITIONS + 1 : body.conditions * trips;
  return body;
}

static Steps if_steps(Waiter *w, const Stmt *s) {
  is_pure(w, s->u.if_.cond, s->span, false);
  Steps a = block_steps(w, s->u.if_.then_body), b = block_steps(w, s->u.if_.else_body);
  return (Steps){a.registers || b.registers, a.reads || b.reads,
                 a.conditions > b.conditions ? a.conditions : b.conditions};
}

static Steps stmt_steps(Waiter *w, const Stmt *s) {
  switch (s->kind) {
    case STMT_EVAL: return eval_steps(w, s->u.eval, s->span);
    case STMT_ASSIGN: return assign_steps(w, s);
    case STMT_FOR:
    case STMT_WHILE: return loop_steps(w, s);
    case STMT_IF: return if_steps(w, s);
    case STMT_YIELD:
      for (int i = 0; i < s->u.ret.len; i++) is_pure(w, s->u.ret.values[i], s->span, false);
      return (Steps){0};
    case STMT_RETURN:
      if (s->u.ret.len > 0) refuse(w, s->span, "a waiting task returns nothing");
      return (Steps){0};
    default:
      refuse(w, s->span,
             "a waiting task has only assignments of scalars, branches, loops and registrations");
  }
  return (Steps){0};
}

static Steps block_steps(Waiter *w, Block b) {
  Steps all = {0};
  for (int i = 0; i < b.len && !w->failed; i++) {
    Steps s = stmt_steps(w, b.items[i]);
    if (all.registers && s.reads)
      refuse(w, b.items[i]->span,
             "a waiting task cannot read tensors once it has registered a condition");
    all.registers |= s.registers;
    all.reads |= s.reads;
    all.conditions += s.conditions;
    if (all.conditions > MAX_CONDITIONS) all.conditions = MAX_CONDITIONS + 1;
  }
  return all;
}

bool check_waiter_body(Ir *ir, Block body, Span at) {
  Waiter w = {.ir = ir};
  Steps all = block_steps(&w, body);
  if (!w.failed && all.conditions > MAX_CONDITIONS) {
    diag_error(ir->diag, at, "a waiting task can register at most %d conditions", MAX_CONDITIONS);
    w.failed = true;
  }
  return !w.failed;
}
