/* ctrl_flow_transform.c -- rewrites break and continue; see docs/passes/ctrl-flow-transform.md. */
#include "arith/fold.h"
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

static Body process(const Jumps *j, Block b, Values yields);

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
  }
  return n;
}

static bool ends_with(Block b, StmtKind kind) {
  return b.len > 0 && b.items[b.len - 1]->kind == kind;
}

/* ---- values ---- */

static bool is_assigned(Block a, Block b, const Expr *var) {
  for (int i = 0; i < a.len + b.len; i++) {
    const Stmt *s = i < a.len ? a.items[i] : b.items[i - a.len];
    if (s->kind == STMT_ASSIGN && s->u.assign.var == var) return true;
  }
  return false;
}

static bool is_carried(const Stmt *loop, const Expr *var) {
  for (int i = 0; i < loop->u.loop.ncarried; i++)
    if (loop->u.loop.iter_args[i] == var) return true;
  return false;
}

/* What the loop yields once only the statements of `a` and `b` have run: values they assign, else the ones
 * that the iteration began with. */
static Values available(const Jumps *j, Values yields, Block a, Block b) {
  const Stmt *loop = j->loop;
  Values out = {COPY_ARRAY(j->c->ir->arena, Expr *, yields.items, yields.len), yields.len};
  for (int i = 0; i < yields.len && i < loop->u.loop.ncarried; i++) {
    const Expr *v = yields.items[i];
    if (v->kind == EXPR_VAR && !is_carried(loop, v) && !is_assigned(a, b, v))
      out.items[i] = loop->u.loop.iter_args[i];
  }
  return out;
}

/* The values at a jump.  A `break` does not compute the next iteration's values. */
static Values at_jump(const Jumps *j, Values yields, Block before) {
  Values v = available(j, yields, before, (Block){0});
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

static Stmt *branch(const Jumps *j, Expr *cond, Block then_body, Block else_body, Values results,
                    Span span) {
  Stmt *s = stmt_new(j->c->ir, STMT_IF, span);
  s->u.if_.cond = cond;
  s->u.if_.then_body = then_body;
  s->u.if_.else_body = else_body;
  s->u.if_.has_else = true;
  s->u.if_.results = results.items;
  s->u.if_.nresults = results.len;
  return s;
}

/* The body's statements and, if asked for, its yield. */
static Block finish(const Jumps *j, Body *b, bool with_yield) {
  if (with_yield) vec_push(&b->stmts, yield_of(j, b->yields));
  return block_take(j->c->ir, &b->stmts);
}

/* ---- a jump at the end of a branch ---- */

/* That branch leaves; the other one goes on with the rest of the body. */
static Body jump_ends_branch(const Jumps *j, Block b, int at, bool in_then, Values yields) {
  Ir *ir = j->c->ir;
  const Stmt *s = b.items[at];
  Block before = slice(b, 0, at), after = slice(b, at + 1, b.len);
  Block other = in_then ? s->u.if_.else_body : s->u.if_.then_body;
  Values leaving = at_jump(j, yields, before);
  Block on = join(ir, other, after);
  Body going = process(j, on, available(j, yields, before, on));
  bool yields_any = yields.len > 0 || j->flag;
  Values phis = make_phis(j, leaving);

  Body left = {.yields = leaving};
  if (j->flag) vec_push(&left.stmts, set_flag(j));
  Block left_block = finish(j, &left, yields_any), going_block = finish(j, &going, yields_any);
  Body out = {.yields = phis};
  push_block(&out.stmts, before);
  vec_push(&out.stmts, branch(j, s->u.if_.cond, in_then ? left_block : going_block,
                              in_then ? going_block : left_block, phis, s->span));
  return out;
}

/* ---- a jump deeper inside a branch ---- */

static Body process_branch(const Jumps *j, Block b, Block before, Values yields) {
  const Stmt *y = block_yield(b);
  Values own = y ? (Values){y->u.ret.values, y->u.ret.len} : yields;
  if (y) b.len--;
  if (has_jump(b, j->kind)) return process(j, b, own);
  Body out = {.yields = available(j, own, before, (Block){0})};
  push_block(&out.stmts, b);
  return out;
}

/* What follows the branch runs only if it did not leave. */
static Body guarded_rest(const Jumps *j, StmtList *stmts, Block rest, Values values) {
  Body going = process(j, rest, values);
  Body skipping = {.yields = values};
  Values phis = make_phis(j, values);
  Block going_block = finish(j, &going, true), skipping_block = finish(j, &skipping, true);
  vec_push(stmts, branch(j, not_flag(j), going_block, skipping_block, phis, j->loop->span));
  return (Body){.stmts = *stmts, .yields = phis};
}

static Body jump_inside_branch(const Jumps *j, Block b, int at, Values yields) {
  const Stmt *s = b.items[at];
  Block before = slice(b, 0, at), after = slice(b, at + 1, b.len);
  Body then_part = process_branch(j, s->u.if_.then_body, before, yields);
  Body else_part = process_branch(j, s->u.if_.else_body, before, yields);
  Values phis = make_phis(j, then_part.yields.len ? then_part.yields : else_part.yields);
  bool any = phis.len > 0;
  Block then_block = finish(j, &then_part, any), else_block = finish(j, &else_part, any);
  Stmt *n = branch(j, s->u.if_.cond, then_block, else_block, phis, s->span);
  n->u.if_.has_else = s->u.if_.has_else || any || j->flag;

  StmtList stmts = {0};
  push_block(&stmts, before);
  vec_push(&stmts, n);
  if (after.len == 0) return (Body){.stmts = stmts, .yields = any ? phis : yields};
  if (j->flag) return guarded_rest(j, &stmts, after, phis);
  Body rest = process(j, after, any ? phis : yields);
  push_block(&stmts, (Block){rest.stmts.data, (int)rest.stmts.len});
  vec_free(&rest.stmts);
  return (Body){.stmts = stmts, .yields = rest.yields};
}

/* ---- a body ---- */

static Body process(const Jumps *j, Block b, Values yields) {
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    if (s->kind == j->kind) {
      Body out = {.yields = at_jump(j, yields, slice(b, 0, i))};
      push_block(&out.stmts, slice(b, 0, i));
      if (j->flag) vec_push(&out.stmts, set_flag(j));
      return out;
    }
    if (s->kind != STMT_IF) continue;
    bool in_then = has_jump(s->u.if_.then_body, j->kind),
         in_else = has_jump(s->u.if_.else_body, j->kind);
    if (!in_then && !in_else) continue;
    bool then_ends = ends_with(s->u.if_.then_body, j->kind),
         else_ends = ends_with(s->u.if_.else_body, j->kind);
    if (then_ends || else_ends) return jump_ends_branch(j, b, i, then_ends, yields);
    return jump_inside_branch(j, b, i, yields);
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

/* A `continue` inside nested branches must skip what follows the outer one.  Where the loop carries
 * nothing, a flag says so; carried values are merged by the branches themselves. */
static bool needs_flag(Block b) {
  for (int i = 0; i < b.len; i++) {
    const Stmt *s = b.items[i];
    if (s->kind != STMT_IF) continue;
    Block t = s->u.if_.then_body, e = s->u.if_.else_body;
    if (!has_jump(t, STMT_CONTINUE) && !has_jump(e, STMT_CONTINUE)) continue;
    bool t_ends = ends_with(t, STMT_CONTINUE), e_ends = ends_with(e, STMT_CONTINUE);
    if (t_ends || e_ends) return needs_flag(t_ends ? e : t) || needs_flag(slice(b, i + 1, b.len));
    return i + 1 < b.len || needs_flag(t) || needs_flag(e);
  }
  return false;
}

static Body without_continue(CtrlFlow *c, const Stmt *loop, Block b, Values yields) {
  Jumps j = {c, STMT_CONTINUE, NULL, loop};
  if (yields.len > 0 || !needs_flag(b)) return process(&j, b, yields);
  j.flag = make_flag(c, "continue", loop->span);
  Body inner = process(&j, b, yields), out = {.yields = inner.yields};
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
    body = process(&j, b, body.yields);
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

static Function *transform_func(void *ctx, Function *f) {
  if (!func_is_incore(f->type)) return f;
  CtrlFlow c = {.ir = ctx};
  Rewriter r;
  rewriter_init(&r, c.ir, &c);
  r.stmt = transform_stmt;
  Block body = rewrite_block(&r, f->body);
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
