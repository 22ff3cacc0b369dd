/* ExpandMixedKernel: every core function runs on one kind of core;
 * docs/passes/expand-mixed-kernel.md. */
#include "ir/calls.h"
#include "ir/rewrite.h"
#include "ir/view.h"
#include "ir/visit.h"
#include "passes/cross_core/affinity.h"
#include "passes/cross_core/core_body.h"
#include "passes/cross_core/group_abi.h"
#include "passes/cross_core/split_kernel.h"
#include "passes/outline/waiter.h"
#include "passes/pass.h"

/* How a kernel is called. */
enum { BY_GROUP = 1, BY_OTHERS = 2 };

typedef struct Expand {
  Ir *ir;
  PassCtx *ctx;
  const Program *program;
  Map callers; /* name of a function -> BY_... */
  Map kernels; /* name of a split kernel that groups call -> SplitKernel */
  Map waiters; /* names of functions that only register what they wait for */
  VEC(Function *) funcs;
} Expand;

/* ---------------------------------------------------------------- callers */

static void note_caller(Expand *x, const Expr *call, int how) {
  if (!call->u.call.callee) return;
  void **at = map_at(&x->callers, call->u.call.callee);
  *at = map_int((intptr_t)*at | how);
}

static bool note_call(Visitor *v, Expr *e) {
  if (expr_is_call(e)) note_caller(v->ctx, e, BY_OTHERS);
  return true;
}

/* In a group's own statements the call can be replaced. */
static Expr *replaceable_call(const Function *f, const Stmt *s) {
  Expr *call = f->type == FUNC_GROUP && (s->kind == STMT_ASSIGN || s->kind == STMT_EVAL)
                   ? stmt_call(s)
                   : NULL;
  return call && call->kind == EXPR_CALL && call->u.call.callee ? call : NULL;
}

static void note_callers(Expand *x, const Function *f) {
  Visitor v = {.ctx = x, .expr = note_call};
  for (int i = 0; i < f->body.len; i++) {
    Expr *call = replaceable_call(f, f->body.items[i]);
    if (call)
      note_caller(x, call, BY_GROUP);
    else
      visit_stmt(&v, f->body.items[i]);
  }
}

static Expr *call_instead(Expand *x, const Expr *call, Name callee, const Type *type, Span span) {
  return expr_call_func(x->ir, callee, call->u.call.args, call->u.call.nargs, call->u.call.kwargs,
                        call->u.call.attrs, type, span);
}

/* A group that called split kernels calls their two halves. */
static Function *call_halves(Expand *x, Function *f) {
  StmtList out = {0};
  bool any = false;
  for (int i = 0; i < f->body.len; i++) {
    Stmt *s = f->body.items[i];
    Expr *call = replaceable_call(f, s);
    const SplitKernel *k = call ? map_get(&x->kernels, call->u.call.callee) : NULL;
    if (!k) {
      vec_push(&out, s);
      continue;
    }
    any = true;
    const Type *unknown = type_unknown(x->ir);
    Stmt *aic = stmt_eval(x->ir, call_instead(x, call, k->aic->name, unknown, s->span), s->span);
    aic->comments = s->comments;
    aic->ncomments = s->ncomments;
    vec_push(&out, aic);
    bool assign = s->kind == STMT_ASSIGN;
    Expr *aiv = call_instead(x, call, k->aiv->name, assign ? call->type : unknown, s->span);
    vec_push(&out, assign ? stmt_assign(x->ir, s->u.assign.var, aiv, s->span)
                          : stmt_eval(x->ir, aiv, s->span));
  }
  Block body = block_take(x->ir, &out);
  if (!any) return f;
  f = func_copy(x->ir, f);
  f->body = body;
  return f;
}

/* ---------------------------------------------------------------- kernels */

static Function *on_one_core(Ir *ir, Function *f, OpAffinity affinity) {
  Function *g = func_copy(ir, f);
  bool cube = affinity == AFFINITY_CUBE;
  g->type = cube ? FUNC_AIC : FUNC_AIV;
  g->level = cube ? LEVEL_AIC : LEVEL_AIV;
  g->role = ROLE_SUB_WORKER;
  g->attrs = key_without(ir, f->attrs, KEY_SPLIT);
  return g;
}

static bool name_is_free(Expand *x, const Function *f, const Function *half) {
  if (!program_func(x->program, half->name)) return true;
  diag_error(x->ir->diag, f->span, "splitting '%s' makes '%s', which there is already", f->name,
             half->name);
  return false;
}

static bool expand_kernel(Expand *x, Function *f) {
  OpAffinity affinity = block_affinity(x->ir, f->body);
  if (map_has(&x->waiters, f->name) && (affinity == AFFINITY_CUBE || affinity == AFFINITY_MIXED)) {
    diag_error(x->ir->diag, f->span,
               "'%s' registers what it waits for, so it must run on a vector core only", f->name);
    return false;
  }
  if (affinity != AFFINITY_MIXED) {
    vec_push(&x->funcs, on_one_core(x->ir, f, affinity));
    return true;
  }
  SplitKernel *k = NEW(x->ir->arena, SplitKernel);
  if (!split_kernel(x->ir, x->ctx->opts->target, f, k)) return false;
  if (!name_is_free(x, f, k->aic) || !name_is_free(x, f, k->aiv)) return false;
  intptr_t callers = map_get_int(&x->callers, f->name);
  vec_push(&x->funcs, k->aic);
  vec_push(&x->funcs, k->aiv);
  if (callers != BY_GROUP) vec_push(&x->funcs, k->group);
  if (callers & BY_GROUP) map_set(&x->kernels, f->name, k);
  return true;
}

/* ---------------------------------------------------------------- last touches */

/* Region membership has been read. */
static Expr *strip_placement(Rewriter *r, Expr *e) {
  Expr *n = rewrite_expr_children(r, e);
  Name key = key_name(KEY_CORE_PLACEMENT);
  if (n->kind != EXPR_CALL || !attr_get(n->u.call.attrs, key)) return n;
  n = expr_copy(r->ir, n);
  n->u.call.attrs = attr_without(r->ir, n->u.call.attrs, key);
  return n;
}

/* Pushes that the author wrote go in fractal layout, too. */
static void push_fractal(Rewriter *r, Stmt *s, StmtList *out) {
  Expr *tile = s->kind == STMT_EVAL && expr_is_op(s->u.eval, OP_TILE_TPUSH_TO_AIC)
                   ? s->u.eval->u.call.args[0]
                   : NULL;
  if (!tile) {
    vec_push(out, rewrite_stmt_children(r, s));
    return;
  }
  TileView view = tile_view_of(r->ir, tile->type), crosses = transfer_view(MEM_MAT, view);
  s = rewrite_stmt_children(r, s);
  if (view.blayout != crosses.blayout || view.slayout != crosses.slayout) {
    Expr *moved = moved_to_push(r->ir, tile, MEM_MAT, view, s->span, out);
    s = stmt_copy(r->ir, s);
    s->u.eval = expr_copy(r->ir, s->u.eval);
    s->u.eval->u.call.args = COPY_ARRAY(r->ir->arena, Expr *, &moved, 1);
  }
  vec_push(out, s);
}

static Function *finish(void *context, Function *f) {
  Expand *x = context;
  Rewriter r;
  rewriter_init(&r, x->ir, x);
  r.expr = strip_placement;
  if (f->type == FUNC_AIV && x->ctx->opts->target->vector_push_fractal) r.stmt = push_fractal;
  f = rewrite_func(&r, f);
  rewriter_free(&r);
  return f;
}

static Program *expand(Expand *x, Program *p) {
  if (!check_waiters(x->ir, p, &x->waiters)) return NULL;
  for (int i = 0; i < p->nfuncs; i++) note_callers(x, p->funcs[i]);
  bool ok = true;
  for (int i = 0; i < p->nfuncs; i++) {
    if (p->funcs[i]->type == FUNC_INCORE)
      ok &= expand_kernel(x, p->funcs[i]);
    else
      vec_push(&x->funcs, p->funcs[i]);
  }
  if (!ok) return NULL;
  for (size_t i = 0; i < x->funcs.len; i++) x->funcs.data[i] = call_halves(x, x->funcs.data[i]);
  Program *q = program_new(x->ir, p->name, x->funcs.data, (int)x->funcs.len, p->span);
  q->lone_function = p->lone_function;
  q = unify_members(x->ir, x->ctx->opts->target, q);
  return q ? rewrite_program(x->ir, q, finish, x) : NULL;
}

Program *expand_mixed_kernel(PassCtx *ctx, Program *p) {
  Expand x = {.ir = ctx->ir, .ctx = ctx, .program = p};
  p = expand(&x, p);
  map_free(&x.callers);
  map_free(&x.kernels);
  map_free(&x.waiters);
  vec_free(&x.funcs);
  return p;
}
