/* ctrl_flow_transform.c -- rewrites break and continue; see docs/passes/ctrl-flow-transform.md. */
#include "arith/fold.h"
#include "ir/op.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/pass.h"
#include "passes/util/auto_name.h"

/* Each jump of a loop nests what follows it one level deeper. */
enum { MAX_JUMPS = 200 };

/* A list of values: what a body yields. */
typedef struct Values {
  Expr **items;
  int len;
} Values;

typedef struct Body {
  StmtList stmts;
  Values yields;
} Body;

typedef struct CtrlFlow {
  Ir *ir;
  int names; /* number of the next made-up name */
  bool failed;
} CtrlFlow;

/* One kind of jump being taken out of one loop. */
typedef struct Jumps {
  CtrlFlow *c;
  StmtKind kind; /* STMT_BREAK or STMT_CONTINUE */
  Expr *flag;    /* set where the jump was; NULL: the rest of the body is simply not reached */
  const Stmt *loop;
} Jumps;

/* The statements that have run before a block: those before it in the block around it, and so on outwards to
 * the loop's body. */
typedef struct Before {
  Block stmts;
  const struct Before *outer;
} Before;

static Body process(const Jumps *j, Block b, Values yields, const Before *outer);

/* ---- small things ---- */

static Name fresh_name(CtrlFlow *c, Name base, const char *role) {
  return auto_name_build(c->ir, base, NULL, role, c->names++);
}

static Name base_of(Ir *ir, Name name) { return auto_name_parse(ir, name).base; }

static Block slice(Block b, int from, int to) { return (Block){b.items + from, to - from}; }

static Block join(Ir *ir, Block a, Block b) {
  if (a.len == 0) return b;
  if (b.len == 0) return a;
  Block out = {NEW_ARRAY(ir->arena, Stmt *, a.len + b.len), a.len + b.len};
  for (int i = 0; i < out.len; i++) out.items[i] = i < a.len ? a.items[i] : b.items[i - a.len];
  return out;
}

static void push_block(StmtList *list, Block b) {
  for (int i = 0; i < b.len; i++) vec_push(list, b.items[i]);
}

static Stmt *yield_of(const Jumps *j, Values v) {
  return stmt_yield(j->c->ir, v.items, v.len, j->loop->span);
}

static Expr *not_flag(const Jumps *j) {
  return make_unary(j->c->ir, EXPR_NOT, j->flag, j->loop->span);
}

static Stmt *set_flag(const Jumps *j) {
  Ir *ir = j->c->ir;
  return stmt_assign(ir, j->flag, expr_bool(ir, true, j->loop->span), j->loop->span);
}

/* Does a jump of this kind leave the loop around `b`?  Inner loops have their own. */
static bool has_jump(Block b, StmtKind kind) {
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    if (s->kind == kind) return true;
    if (s->kind == STMT_IF &&
        (has_jump(s->u.if_.then_body, kind) || has_jump(s->u.if_.else_body, kind)))
      return true;
    if (s->kind == STMT_SCOPE && has_jump(s->u.scope.body, kind)) return true;
  }
  return false;
}

static int count_jumps(Block b) {
  int n = 0;
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    if (s->kind == STMT_BREAK || s->kind == STMT_CONTINUE) n++;
    if (s->kind == STMT_IF) n += count_jumps(s->u.if_.then_body) + count_jumps(s->u.if_.else_body);
    if (s->kind == STMT_SCOPE) n += count_jumps(s->u.scope.body);
  }
  return n;
}

static bool ends_with(Block b, StmtKind kind) {
  return b.len > 0 && b.items[b.len - 1]->kind == kind;
}

/* ---- values ---- */

static bool is_assigned(Block b, const Expr *var) {
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    if (s->kind == STMT_ASSIGN && s->u.assign.var == var) return true;
    if (s->kind == STMT_SCOPE && is_assigned(s->u.scope.body, var)) return true;
  }
  return false;
}

static bool is_defined(const Before *before, const Expr *var) {
  for (; before; before = before->outer)
    if (is_assigned(before->stmts, var)) return true;
  return false;
}

static bool is_carried(const Stmt *loop, const Expr *var) {
  for (int i = 0; i < loop->u.loop.ncarried; i++)
    if (loop->u.loop.iter_args[i] == var) return true;
  return false;
}

/* What the loop yields once only the statements of `before` have run: values they assign, else the ones that
 * the iteration began with. */
static Values available(const Jumps *j, Values yields, const Before *before) {
  const Stmt *loop = j->loop;
  Values out = {COPY_ARRAY(j->c->ir->arena, Expr *, yields.items, yields.len), yields.len};
  for (int i = 0; i < yields.len && i < loop->u.loop.ncarried; i++) {
    const Expr *v = yields.items[i];
    if (v->kind == EXPR_VAR && !is_carried(loop, v) && !is_defined(before, v))
      out.items[i] = loop->u.loop.iter_args[i];
  }
  return out;
}

/* The values at a jump.  A `break` does not compute the next iteration's values. */
static Values at_jump(const Jumps *j, Values yields, const Before *before) {
  Values v = available(j, yields, before);
  if (j->kind != STMT_BREAK) return v;
  for (int i = 0; i < v.len && i < j->loop->u.loop.ncarried; i++)
    if (v.items[i]->kind != EXPR_VAR || v.items[i]->u.var.is_iter_arg)
      v.items[i] = j->loop->u.loop.iter_args[i];
  return v;
}

static Values make_phis(const Jumps *j, Values of) {
  Ir *ir = j->c->ir;
  Values phis = {NEW_ARRAY(ir->arena, Expr *, of.len), of.len};
  for (int i = 0; i < of.len; i++) {
    Name base =
        of.items[i]->kind == EXPR_VAR ? base_of(ir, of.items[i]->u.var.name) : ir_name(ir, "phi");
    phis.items[i] = expr_var(ir, fresh_name(j->c, base, "phi"), of.items[i]->type, j->loop->span);
  }
  return phis;
}

/* The branch `s` with other bodies and results. */
static Stmt *branch(const Jumps *j, const Stmt *s, Block then_body, Block else_body,
                    Values results) {
  Stmt *n = stmt_new(j->c->ir, STMT_IF, s->span);
  n->u.if_.cond = s->u.if_.cond;
  n->u.if_.then_body = then_body;
  n->u.if_.else_body = else_body;
  n->u.if_.has_else = true;
  n->u.if_.results = results.items;
  n->u.if_.nresults = results.len;
  return n;
}

/* The body's statements and, if asked for, its yield. */
static Block finish(const Jumps *j, Body *b, bool with_yield) {
  if (with_yield) vec_push(&b->stmts, yield_of(j, b->yields));
  return block_take(j->c->ir, &b->stmts);
}

/* ---- a jump at the end of a branch ---- */

/* That branch leaves after what it does; the other one goes on with the rest of the body. */
static Body jump_ends_branch(const Jumps *j, const Before *at, const Stmt *s, Block after,
                             Values yields) {
  bool in_then = ends_with(s->u.if_.then_body, j->kind);
  Block own = in_then ? s->u.if_.then_body : s->u.if_.else_body;
  Block other = in_then ? s->u.if_.else_body : s->u.if_.then_body;
  Block on = join(j->c->ir, other, after);
  Body leaving = process(j, own, yields, at);
  Body going = process(j, on, available(j, yields, &(Before){on, at}), at);
  bool yields_any = yields.len > 0 || j->flag;
  Values phis = make_phis(j, leaving.yields);

  Block left = finish(j, &leaving, yields_any), stays = finish(j, &going, yields_any);
  Body out = {.yields = phis};
  push_block(&out.stmts, at->stmts);
  vec_push(&out.stmts, branch(j, s, in_then ? left : stays, in_then ? stays : left, phis));
  return out;
}

/* ---- a jump deeper inside ---- */

static Body process_branch(const Jumps *j, Block b, const Before *outer, Values yields) {
  const Stmt *y = block_yield(b);
  Values own = y ? (Values){y->u.ret.values, y->u.ret.len} : yields;
  if (y) b.len--;
  if (has_jump(b, j->kind)) return process(j, b, own, outer);
  Body out = {.yields = available(j, own, &(Before){b, outer})};
  push_block(&out.stmts, b);
  return out;
}

/* What follows runs only if there was no jump, and then yields `yields`. */
static Body guarded_rest(const Jumps *j, Body *done, Block rest, Values yields, const Before *at) {
  Body going = process(j, rest, yields, at);
  Body skipping = {.yields = done->yields};
  Values phis = make_phis(j, going.yields);
  bool any = phis.len > 0 || j->kind == STMT_BREAK;
  Block going_block = finish(j, &going, any), skipping_block = finish(j, &skipping, any);
  Stmt *guard = stmt_new(j->c->ir, STMT_IF, j->loop->span);
  guard->u.if_.cond = not_flag(j);
  vec_push(&done->stmts, branch(j, guard, going_block, skipping_block, phis));
  return (Body){.stmts = done->stmts, .yields = phis};
}

/* What follows a statement in which there may have been a jump.  Without a flag nothing does anything. */
static Body rest_of(const Jumps *j, Body *done, Block rest, Values yields, const Before *at) {
  if (rest.len == 0) return *done;
  if (j->flag) return guarded_rest(j, done, rest, yields, at);
  Body going = process(j, rest, done->yields, at);
  push_block(&done->stmts, (Block){going.stmts.data, (int)going.stmts.len});
  vec_free(&going.stmts);
  return (Body){.stmts = done->stmts, .yields = going.yields};
}

static Body jump_inside_branch(const Jumps *j, const Before *at, const Stmt *s, Block after,
                               Values yields) {
  Body then_part = process_branch(j, s->u.if_.then_body, at, yields);
  Body else_part = process_branch(j, s->u.if_.else_body, at, yields);
  Values phis = make_phis(j, then_part.yields.len ? then_part.yields : else_part.yields);
  bool any = phis.len > 0;
  Block then_block = finish(j, &then_part, any), else_block = finish(j, &else_part, any);
  Stmt *n = branch(j, s, then_block, else_block, phis);
  n->u.if_.has_else = s->u.if_.has_else || any || j->flag;

  Body done = {.yields = any ? phis : yields};
  push_block(&done.stmts, at->stmts);
  vec_push(&done.stmts, n);
  /* Results that the branch had itself have become those of the jumps. */
  return rest_of(j, &done, after, s->u.if_.nresults ? done.yields : yields, at);
}

/* Work that does not stay where it is written becomes a function of its own: no jump leads out of it. */
static bool becomes_function(const Stmt *s) {
  const ScopeTraits *traits = scope_traits(s->u.scope.kind);
  return traits->work && !traits->transparent;
}

static void refuse_scope(const Jumps *j, const Stmt *scope) {
  const char *word = j->kind == STMT_BREAK      ? "break"
                     : j->kind == STMT_CONTINUE ? "continue"
                                                : "return";
  j->c->failed = true;
  diag_error(j->c->ir->diag, scope->span,
             "a '%s' leads out of this scope, which runs as a task of its own", word);
  diag_note(j->c->ir->diag, scope->span,
            "put the whole loop into the scope, or decide before it by what the host knows");
}

/* What a scope defines is seen behind it. */
static Body jump_inside_scope(const Jumps *j, const Before *at, const Stmt *s, Block after,
                              Values yields) {
  if (becomes_function(s)) refuse_scope(j, s);
  Body inner = process(j, s->u.scope.body, yields, at);
  Stmt *n = stmt_copy(j->c->ir, s);
  Body done = {.yields = inner.yields};
  n->u.scope.body = finish(j, &inner, false);
  push_block(&done.stmts, at->stmts);
  vec_push(&done.stmts, n);
  return rest_of(j, &done, after, yields, at);
}

/* ---- a body ---- */

static Body process(const Jumps *j, Block b, Values yields, const Before *outer) {
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    Before at = {slice(b, 0, i), outer};
    Block after = slice(b, i + 1, b.len);
    if (s->kind == j->kind) {
      Body out = {.yields = at_jump(j, yields, &at)};
      push_block(&out.stmts, at.stmts);
      if (j->flag) vec_push(&out.stmts, set_flag(j));
      return out;
    }
    if (!has_jump(slice(b, i, i + 1), j->kind)) continue;
    if (s->kind == STMT_SCOPE) return jump_inside_scope(j, &at, s, after, yields);
    if (ends_with(s->u.if_.then_body, j->kind) || ends_with(s->u.if_.else_body, j->kind))
      return jump_ends_branch(j, &at, s, after, yields);
    return jump_inside_branch(j, &at, s, after, yields);
  }
  Body out = {.yields = yields};
  push_block(&out.stmts, b);
  return out;
}

/* ---- loops ---- */

static Expr *make_flag(CtrlFlow *c, const char *base, Span span) {
  Name name = fresh_name(c, ir_name(c->ir, base), "tmp");
  return expr_var(c->ir, name, type_scalar(c->ir, DT_BOOL), span);
}

static Stmt *clear_flag(CtrlFlow *c, Expr *flag, Span span) {
  return stmt_assign(c->ir, flag, expr_bool(c->ir, false, span), span);
}

/* Does anything that the loop does or carries come of these statements? */
static bool matters(Block b, Values yields) {
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    if (s->kind != STMT_ASSIGN) return true;
    const Op *op = expr_op(s->u.assign.value);
    if (op && op->family != FAMILY_TENSOR) return true;
    if (s->u.assign.value->kind == EXPR_CALL && (!op || op_written_arg(op) >= 0)) return true;
    for (int k = 0; k < yields.len; k++)
      if (yields.items[k]->kind != EXPR_VAR || yields.items[k] == s->u.assign.var) return true;
  }
  return false;
}

/* A jump inside nested branches or scopes must skip what follows the outer one: a flag says so. */
static bool needs_flag(Block b, StmtKind kind, Values yields) {
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    if (s->kind == kind) return false;
    if (!has_jump(slice(b, i, i + 1), kind)) continue;
    bool more = yields.len ? matters(slice(b, i + 1, b.len), yields) : i + 1 < b.len;
    if (s->kind == STMT_SCOPE) return more || needs_flag(s->u.scope.body, kind, yields);
    Block t = s->u.if_.then_body, e = s->u.if_.else_body;
    bool t_ends = ends_with(t, kind), e_ends = ends_with(e, kind);
    if (!t_ends && !e_ends)
      return more || needs_flag(t, kind, yields) || needs_flag(e, kind, yields);
    if (needs_flag(t, kind, yields) || needs_flag(e, kind, yields)) return true;
    if (t_ends && e_ends) return false;
  }
  return false;
}

static Body without_continue(CtrlFlow *c, const Stmt *loop, Block b, Values yields) {
  Jumps j = {c, STMT_CONTINUE, NULL, loop};
  if (!needs_flag(b, STMT_CONTINUE, yields)) return process(&j, b, yields, NULL);
  j.flag = make_flag(c, "continue", loop->span);
  Body inner = process(&j, b, yields, NULL), out = {.yields = inner.yields};
  vec_push(&out.stmts, clear_flag(c, j.flag, loop->span));
  push_block(&out.stmts, (Block){inner.stmts.data, (int)inner.stmts.len});
  vec_free(&inner.stmts);
  return out;
}

static bool note_yielded(Visitor *v, Expr *e) {
  map_remove(v->ctx, e);
  return true;
}

static bool look_at_yield(Visitor *v, Stmt *s) {
  v->expr = s->kind == STMT_YIELD ? note_yielded : NULL;
  return true;
}

/* A value that the loop should carry on, but that no path of the new body yields any more. */
static void warn_of_lost_values(CtrlFlow *c, const Stmt *loop, Values yields, const Body *body) {
  Map lost = {0};
  for (int i = 0; i < yields.len; i++)
    if (yields.items[i]->kind == EXPR_VAR && !yields.items[i]->u.var.is_iter_arg)
      map_set(&lost, yields.items[i], map_int(1));
  for (int i = 0; i < yields.len; i++)
    for (int k = 0; k < body->yields.len; k++) map_remove(&lost, body->yields.items[k]);
  Visitor v = {.ctx = &lost, .stmt = look_at_yield};
  for (size_t i = 0; i < body->stmts.len; i++) visit_stmt(&v, body->stmts.data[i]);
  for (MapEntry *m = NULL; (m = map_next(&lost, m));) {
    const Expr *var = m->key;
    diag_warning(c->ir->diag, loop->span,
                 "the loop no longer carries '%s': it is not computed by every path to its end",
                 var->u.var.name);
    diag_note(c->ir->diag, loop->span,
              "put break and continue into branches of the loop's own body");
  }
  map_free(&lost);
}

static bool check_jumps(CtrlFlow *c, const Stmt *loop) {
  if (c->failed || count_jumps(loop->u.loop.body) <= MAX_JUMPS) return !c->failed;
  diag_error(c->ir->diag, loop->span, "more than %d break and continue statements in one loop",
             MAX_JUMPS);
  c->failed = true;
  return false;
}

/* Takes the jumps out of a loop whose inner loops are done. */
static Body without_jumps(CtrlFlow *c, const Stmt *loop, Expr *flag, Values *yields) {
  Block b = loop->u.loop.body;
  const Stmt *y = block_yield(b);
  *yields = y ? (Values){y->u.ret.values, y->u.ret.len} : (Values){0};
  if (y) b.len--;
  Body body = {.yields = *yields};
  if (has_jump(b, STMT_CONTINUE))
    body = without_continue(c, loop, b, *yields);
  else
    push_block(&body.stmts, b);
  if (flag) {
    Jumps j = {c, STMT_BREAK, flag, loop};
    b = block_take(c->ir, &body.stmts);
    body = process(&j, b, body.yields, NULL);
  }
  warn_of_lost_values(c, loop, *yields, &body);
  return body;
}

static void finish_loop(CtrlFlow *c, Stmt *loop, Body *body, bool yields) {
  if (yields)
    vec_push(&body->stmts, stmt_yield(c->ir, body->yields.items, body->yields.len, loop->span));
  loop->u.loop.body = block_take(c->ir, &body->stmts);
}

/* Values are fixed before the counter moves on. */
static void settle_values(CtrlFlow *c, Body *body, Span span) {
  for (int i = 0; i < body->yields.len; i++) {
    Expr *v = body->yields.items[i];
    if (v->kind == EXPR_VAR) continue;
    Expr *tmp = expr_var(c->ir, fresh_name(c, ir_name(c->ir, "yield"), "tmp"), v->type, span);
    vec_push(&body->stmts, stmt_assign(c->ir, tmp, v, span));
    if (body->yields.items[i] == v) {
      body->yields.items = COPY_ARRAY(c->ir->arena, Expr *, body->yields.items, body->yields.len);
      body->yields.items[i] = tmp;
    }
  }
}

static Expr *rename_counter(CtrlFlow *c, Stmt *loop) {
  Expr *old = loop->u.loop.var;
  Name name = fresh_name(c, base_of(c->ir, old->u.var.name), "idx");
  Expr *counter = expr_var(c->ir, name, old->type, loop->span);
  Rewriter r;
  rewriter_init(&r, c->ir, NULL);
  map_set(&r.subst, old, counter);
  loop->u.loop.body = rewrite_block(&r, loop->u.loop.body);
  rewriter_free(&r);
  return counter;
}

static void for_with_break(CtrlFlow *c, const Stmt *old, StmtList *out) {
  Ir *ir = c->ir;
  Span span = old->span;
  Stmt *n = stmt_copy(ir, old);
  Expr *flag = make_flag(c, "break", span), *counter = rename_counter(c, n);
  int64_t step;
  bool down = expr_const_int(old->u.loop.step, &step) && step < 0;
  Expr *inside = make_binary(ir, down ? EXPR_GT : EXPR_LT, counter, old->u.loop.stop, span);
  Expr *next = make_binary(ir, EXPR_ADD, counter, old->u.loop.step, span);
  if (!inside || !next) diag_internal(ir->diag, "the bounds of a loop have no type in common");

  Values yields;
  Body body = without_jumps(c, n, flag, &yields);
  settle_values(c, &body, span);
  Stmt *step_on = stmt_new(ir, STMT_IF, span), *advance = stmt_assign(ir, counter, next, span);
  step_on->u.if_.cond = make_unary(ir, EXPR_NOT, flag, span);
  step_on->u.if_.then_body = block_of(ir, &advance, 1);
  vec_push(&body.stmts, step_on);

  n->kind = STMT_WHILE;
  n->comments = NULL;
  n->ncomments = 0;
  n->u.loop.cond = make_binary(ir, EXPR_AND, inside, make_unary(ir, EXPR_NOT, flag, span), span);
  n->u.loop.var = n->u.loop.start = n->u.loop.stop = n->u.loop.step = NULL;
  n->u.loop.attrs = (AttrList){0};
  finish_loop(c, n, &body, block_yield(old->u.loop.body) != NULL || body.yields.len > 0);
  vec_push(out, stmt_assign(ir, counter, old->u.loop.start, span));
  vec_push(out, clear_flag(c, flag, span));
  vec_push(out, n);
}

static void while_with_break(CtrlFlow *c, const Stmt *old, StmtList *out) {
  Ir *ir = c->ir;
  Stmt *n = stmt_copy(ir, old);
  Expr *flag = make_flag(c, "break", old->span);
  Values yields;
  Body body = without_jumps(c, n, flag, &yields);
  n->comments = NULL;
  n->ncomments = 0;
  n->u.loop.cond = make_binary(ir, EXPR_AND, old->u.loop.cond,
                               make_unary(ir, EXPR_NOT, flag, old->span), old->span);
  finish_loop(c, n, &body, block_yield(old->u.loop.body) != NULL || body.yields.len > 0);
  vec_push(out, clear_flag(c, flag, old->span));
  vec_push(out, n);
}

static void transform_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  CtrlFlow *c = r->ctx;
  bool loop = s->kind == STMT_WHILE || (s->kind == STMT_FOR && s->u.loop.kind == FOR_RANGE);
  Stmt *n = rewrite_stmt_children(r, s);
  Block b = loop ? n->u.loop.body : (Block){0};
  bool breaks = has_jump(b, STMT_BREAK), continues = has_jump(b, STMT_CONTINUE);
  if ((!breaks && !continues) || !check_jumps(c, n)) {
    vec_push(out, n);
  } else if (breaks) {
    (n->kind == STMT_FOR ? for_with_break : while_with_break)(c, n, out);
  } else {
    Values yields;
    Body body = without_jumps(c, n, NULL, &yields);
    bool has_yield = block_yield(n->u.loop.body) != NULL || body.yields.len > 0;
    if (n == s) n = stmt_copy(c->ir, s);
    finish_loop(c, n, &body, has_yield);
    vec_push(out, n);
  }
}

/* ---- return ---- */

/* The returns of one function. */
typedef struct Returns {
  CtrlFlow *c;
  const Stmt *first;
  int n;
  Expr *flag;       /* set where the return was, of the loop that is being rewritten */
  const Stmt *loop; /* that loop */
} Returns;

static bool same_values(const Stmt *a, const Stmt *b) {
  if (a->u.ret.len != b->u.ret.len) return false;
  for (int i = 0; i < a->u.ret.len; i++)
    if (!expr_same(a->u.ret.values[i], b->u.ret.values[i])) return false;
  return true;
}

static bool see_return(Visitor *v, Stmt *s) {
  Returns *r = v->ctx;
  if (s->kind != STMT_RETURN) return true;
  r->n++;
  if (!r->first) r->first = s;
  if (r->c->failed || same_values(r->first, s)) return true;
  r->c->failed = true;
  diag_error(r->c->ir->diag, s->span,
             "the returns of a function must all give the same variables: assign to one variable "
             "in every branch");
  diag_note(r->c->ir->diag, r->first->span, "another return is here");
  return true;
}

/* Inside of a loop a return ends the loop; behind it the flag says that the function has returned. */
static void leave_loop(Rewriter *rw, Stmt *s, StmtList *out) {
  Returns *r = rw->ctx;
  bool loop = s->kind == STMT_FOR || s->kind == STMT_WHILE;
  if (s->kind == STMT_RETURN && r->loop) {
    Ir *ir = r->c->ir;
    vec_push(out, stmt_assign(ir, r->flag, expr_bool(ir, true, s->span), s->span));
    vec_push(out, stmt_new(ir, STMT_BREAK, s->span));
    return;
  }
  Returns outer = *r;
  if (loop) {
    r->loop = s;
    r->flag = make_flag(r->c, "return", s->span);
  }
  Stmt *n = rewrite_stmt_children(rw, s);
  Expr *flag = r->flag;
  r->loop = outer.loop;
  r->flag = outer.flag;
  if (!loop || n == s) {
    if (loop) r->c->names--;
    vec_push(out, n);
    return;
  }
  vec_push(out, clear_flag(r->c, flag, s->span));
  vec_push(out, n);
  Stmt *test = stmt_new(r->c->ir, STMT_IF, s->span);
  Stmt *done = stmt_return(r->c->ir, r->first->u.ret.values, r->first->u.ret.len, r->first->span);
  test->u.if_.cond = flag;
  StmtList then = {0};
  leave_loop(rw, done, &then);
  test->u.if_.then_body = block_take(r->c->ir, &then);
  vec_push(out, test);
}

/* The body with its one return at the end. */
static Block without_returns(CtrlFlow *c, Block body) {
  Returns r = {.c = c};
  Visitor v = {.ctx = &r, .stmt = see_return};
  visit_block(&v, body);
  if (c->failed || r.n == 0 || (r.n == 1 && ends_with(body, STMT_RETURN))) return body;
  Rewriter rw;
  rewriter_init(&rw, c->ir, &r);
  rw.stmt = leave_loop;
  Block b = rewrite_block(&rw, body);
  rewriter_free(&rw);
  /* The function as a loop that is run once. */
  Stmt *once = stmt_new(c->ir, STMT_WHILE, r.first->span);
  Jumps j = {c, STMT_RETURN, NULL, once};
  StmtList out = {0};
  if (needs_flag(b, STMT_RETURN, (Values){0})) {
    j.flag = make_flag(c, "return", r.first->span);
    vec_push(&out, clear_flag(c, j.flag, r.first->span));
  }
  Body done = process(&j, b, (Values){0}, NULL);
  push_block(&out, (Block){done.stmts.data, (int)done.stmts.len});
  vec_free(&done.stmts);
  vec_push(&out, stmt_return(c->ir, r.first->u.ret.values, r.first->u.ret.len, r.first->span));
  return block_take(c->ir, &out);
}

static Function *transform_func(void *ctx, Function *f) {
  CtrlFlow c = {.ir = ctx};
  Rewriter r;
  rewriter_init(&r, c.ir, &c);
  r.stmt = transform_stmt;
  Block body = without_returns(&c, f->body);
  if (!c.failed) body = rewrite_block(&r, body);
  rewriter_free(&r);
  if (c.failed) return NULL;
  if (body.items == f->body.items && body.len == f->body.len) return f;
  Function *out = func_copy(c.ir, f);
  out->body = body;
  return out;
}

Program *ctrl_flow_transform(PassCtx *ctx, Program *p) {
  return rewrite_program(ctx->ir, p, transform_func, ctx->ir);
}
