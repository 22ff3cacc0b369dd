/* inline_functions.c -- replaces calls of inline functions by their bodies; see docs/passes/inline-functions.md. */
#include "ir/calls.h"
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/pass.h"
#include "passes/util/clone.h"

enum { MAX_STATEMENTS = 1 << 22 }; /* spliced in one program: calls of calls multiply */

typedef struct Inliner {
  Ir *ir;
  const Program *program; /* bodies as they were when the round began */
  Rewriter rw;
  Map tuples; /* variable assigned a call with several values -> Values* */
  int names;
  int64_t spliced;
  bool changed, failed;
} Inliner;

typedef struct Values {
  Expr **items;
  int len;
} Values;

static void fail(Inliner *in, Span at, const char *what, const Function *f) {
  if (!in->failed) diag_error(in->ir->diag, at, what, f->name);
  in->failed = true;
}

/* ---- cycles ---- */

typedef struct Cycle {
  Inliner *in;
  Map state; /* inline function -> 1 while it is searched, 2 when done */
  VEC(const Function *) path;
} Cycle;

static void search_cycle(Cycle *c, Function *f);

static Function *inline_callee(const Inliner *in, const Expr *e) {
  if (e->kind != EXPR_CALL) return NULL;
  Function *f = call_target(in->program, e);
  return f && f->type == FUNC_INLINE ? f : NULL;
}

static bool follow_call(Visitor *v, Expr *e) {
  Cycle *c = v->ctx;
  Function *f = inline_callee(c->in, e);
  if (f && !c->in->failed) search_cycle(c, f);
  return true;
}

static void report_cycle(Cycle *c, const Function *again) {
  size_t at = 0;
  while (c->path.data[at] != again) at++;
  diag_error(c->in->ir->diag, again->span, "inline function '%s' calls itself", again->name);
  for (; at < c->path.len; at++) {
    const Function *next = at + 1 < c->path.len ? c->path.data[at + 1] : again;
    diag_note(c->in->ir->diag, c->path.data[at]->span, "'%s' calls '%s'", c->path.data[at]->name,
              next->name);
  }
  c->in->failed = true;
}

static void search_cycle(Cycle *c, Function *f) {
  intptr_t state = map_get_int(&c->state, f);
  if (state == 1) report_cycle(c, f);
  if (state != 0) return;
  map_set(&c->state, f, map_int(1));
  vec_push(&c->path, f);
  Visitor v = {.ctx = c, .expr = follow_call};
  visit_block(&v, f->body);
  (void)vec_pop(&c->path);
  map_set(&c->state, f, map_int(2));
}

static void check_cycles(Inliner *in) {
  Cycle c = {.in = in};
  for (int i = 0; i < in->program->nfuncs && !in->failed; i++)
    if (in->program->funcs[i]->type == FUNC_INLINE) search_cycle(&c, in->program->funcs[i]);
  map_free(&c.state);
  vec_free(&c.path);
}

/* ---- a copy of the body ---- */

typedef struct Renaming {
  Inliner *in;
  Map *subst;
  const Function *callee;
  const Expr *call;
} Renaming;

static bool is_param(const Function *f, const Expr *var) {
  for (int i = 0; i < f->nparams; i++)
    if (f->params[i] == var) return true;
  return false;
}

static void rename_def(Visitor *v, Expr *var) {
  Renaming *r = v->ctx;
  if (var->u.var.is_iter_arg) return; /* new in every copy */
  Expr *to = map_get(r->subst, var);
  if (!to) {
    Name name = name_printf(&r->in->ir->names, "%s_inline%d", var->u.var.name, r->in->names++);
    map_set(r->subst, var, expr_var(r->in->ir, name, var->type, var->span));
  } else if (to->kind != EXPR_VAR && is_param(r->callee, var) && !r->in->failed) {
    diag_error(r->in->ir->diag, to->span.line ? to->span : r->call->span,
               "this argument of inline function '%s' must be a variable: the function assigns its "
               "parameter '%s'",
               r->callee->name, var->u.var.name);
    r->in->failed = true;
  }
}

static bool refuse_return(Visitor *v, Stmt *s) {
  Renaming *r = v->ctx;
  if (s->kind == STMT_RETURN)
    fail(r->in, s->span,
         "inline function '%s' returns before its end; only a return as last statement can be "
         "inlined",
         r->callee);
  return true;
}

/* The statements of `callee` with arguments for parameters and new names, without the return. */
static Block copy_body(Inliner *in, const Function *callee, const Expr *call, Values *returned) {
  Map subst = {0};
  Block b = callee->body;
  const Stmt *ret = NULL;
  for (int i = 0; i < b.len && !ret; i++)
    if (b.items[i]->kind == STMT_RETURN) {
      ret = b.items[i];
      b.len = i + 1; /* nothing behind a return runs */
    }
  for (int i = 0; i < callee->nparams && i < call->u.call.nargs; i++)
    map_set(&subst, callee->params[i], call->u.call.args[i]);
  Renaming r = {in, &subst, callee, call};
  Visitor names = {.ctx = &r, .def = rename_def};
  visit_block(&names, b);
  Visitor returns = {.ctx = &r, .stmt = refuse_return};
  visit_block(&returns, (Block){b.items, ret ? b.len - 1 : b.len});
  if (callee->nparams != call->u.call.nargs)
    fail(in, call->span, "wrong number of arguments for inline function '%s'", callee);
  Block out = in->failed ? (Block){0} : clone_block(in->ir, b, &subst, CLONE_FRESH_DEFS);
  map_free(&subst);
  *returned = (Values){0};
  if (ret && out.len) {
    *returned = (Values){out.items[out.len - 1]->u.ret.values, out.items[out.len - 1]->u.ret.len};
    out.len--;
  }
  in->spliced += out.len;
  if (in->spliced > MAX_STATEMENTS)
    fail(in, call->span, "calls of inline function '%s' expand to too many statements", callee);
  return out;
}

/* ---- dump tags ---- */

/* Tensors tagged at the call, for what now stands in its place. */
typedef struct DumpTags {
  Name key;
  const AttrValue *vars;
  Rewriter rw;
} DumpTags;

static bool note_var(Visitor *v, Expr *e) {
  if (e->kind == EXPR_VAR) map_set(v->ctx, e, map_int(1));
  return true;
}

static void note_def(Visitor *v, Expr *var) { map_set(v->ctx, var, map_int(1)); }

/* `list` with the tags that are among `used`. */
static AttrList with_tags(DumpTags *d, AttrList list, const Map *used) {
  const AttrValue *old = attr_get(list, d->key);
  int had = old ? old->u.list.len : 0, n = had;
  AttrValue *items = NEW_ARRAY(d->rw.ir->arena, AttrValue, had + d->vars->u.list.len);
  for (int i = 0; i < had; i++) items[i] = old->u.list.items[i];
  for (int i = 0; i < d->vars->u.list.len; i++) {
    const Expr *var = d->vars->u.list.items[i].u.expr;
    bool there = !map_has(used, var);
    for (int k = 0; k < n; k++) there |= items[k].u.expr == var;
    if (!there) items[n++] = d->vars->u.list.items[i];
  }
  return n == had ? list : attr_with(d->rw.ir, list, d->key, attr_of_list(items, n));
}

static Expr *tag_call(Rewriter *r, Expr *e) {
  DumpTags *d = r->ctx;
  Expr *n = rewrite_expr_children(r, e);
  if (n->kind != EXPR_CALL || !n->u.call.callee) return n;
  Map used = {0};
  for (int i = 0; i < n->u.call.nargs; i++)
    if (n->u.call.args[i]->kind == EXPR_VAR) map_set(&used, n->u.call.args[i], map_int(1));
  AttrList attrs = with_tags(d, n->u.call.attrs, &used);
  map_free(&used);
  if (attrs.items == n->u.call.attrs.items) return n;
  Expr *out = expr_copy(r->ir, n);
  out->u.call.attrs = attrs;
  return out;
}

static void tag_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  DumpTags *d = r->ctx;
  Stmt *n = rewrite_stmt_children(r, s);
  bool tagged = n->kind == STMT_SCOPE && scope_traits(n->u.scope.kind)->work;
  if (tagged) {
    Map used = {0};
    Visitor v = {.ctx = &used, .expr = note_var, .def = note_def};
    visit_block(&v, n->u.scope.body);
    AttrList attrs = with_tags(d, n->u.scope.attrs, &used);
    map_free(&used);
    if (attrs.items != n->u.scope.attrs.items) {
      if (n == s) n = stmt_copy(r->ir, s);
      n->u.scope.attrs = attrs;
    }
  }
  vec_push(out, n);
}

static Block pass_tags_on(Inliner *in, const Expr *call, Block b) {
  DumpTags d = {.key = key_name(KEY_DUMP_VARS)};
  d.vars = attr_get(call->u.call.attrs, d.key);
  if (!d.vars || d.vars->kind != ATTR_LIST || d.vars->u.list.len == 0) return b;
  rewriter_init(&d.rw, in->ir, &d);
  d.rw.expr = tag_call;
  d.rw.stmt = tag_stmt;
  b = rewrite_block(&d.rw, b);
  rewriter_free(&d.rw);
  return b;
}

/* ---- splicing ---- */

static void push_block(StmtList *out, Block b) {
  for (int i = 0; i < b.len; i++) vec_push(out, b.items[i]);
}

static void keep_values(Inliner *in, Expr *var, Values v) {
  Values *kept = NEW(in->ir->arena, Values);
  *kept = v;
  map_set(&in->tuples, var, kept);
}

/* A single value of tuple type: its elements, if it is a tuple display or a variable assigned one. */
static bool take_tuple_apart(Block *b, Ir *ir, Values *v) {
  Expr *e = v->items[0];
  for (int i = b->len; e->kind == EXPR_VAR && i-- > 0;) {
    const Stmt *s = b->items[i];
    if (s->kind != STMT_ASSIGN || s->u.assign.var != e) continue;
    if (s->u.assign.value->kind != EXPR_TUPLE) return false;
    e = s->u.assign.value;
    StmtList rest = {0};
    for (int k = 0; k < b->len; k++)
      if (k != i) vec_push(&rest, b->items[k]);
    *b = block_take(ir, &rest);
  }
  if (e->kind != EXPR_TUPLE) return false;
  *v = (Values){e->u.tuple.elems, e->u.tuple.len};
  return true;
}

static void splice_assign(Inliner *in, const Stmt *s, const Function *callee, Block b, Values v,
                          StmtList *out) {
  if (v.len == 0) {
    fail(in, s->span, "inline function '%s' returns nothing", callee);
    return;
  }
  bool tuple = v.len > 1 || v.items[0]->type->kind == TYPE_TUPLE;
  if (v.len == 1 && tuple && !take_tuple_apart(&b, in->ir, &v)) {
    fail(in, callee->span,
         "inline function '%s' returns a tuple that is not written out; return its elements",
         callee);
    return;
  }
  push_block(out, pass_tags_on(in, s->u.assign.value, b));
  if (tuple)
    keep_values(in, s->u.assign.var, v);
  else if (v.items[0] != s->u.assign.var)
    vec_push(out, stmt_assign(in->ir, s->u.assign.var, v.items[0], s->span));
}

/* The call that a statement is, assigns or returns. */
static Expr *whole_call(const Stmt *s) {
  switch (s->kind) {
    case STMT_ASSIGN: return s->u.assign.value;
    case STMT_EVAL: return s->u.eval;
    case STMT_RETURN: return s->u.ret.len == 1 ? s->u.ret.values[0] : NULL;
    default: return NULL;
  }
}

static void inline_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Inliner *in = r->ctx;
  Expr *call = in->failed ? NULL : whole_call(s);
  Function *callee = call ? inline_callee(in, call) : NULL;
  if (!callee) {
    vec_push(out, rewrite_stmt_children(r, s));
    return;
  }
  in->changed = true;
  Values v;
  Block b = copy_body(in, callee, call, &v);
  if (in->failed) return;
  if (s->kind == STMT_ASSIGN) {
    splice_assign(in, s, callee, b, v, out);
    return;
  }
  if (s->kind == STMT_RETURN && v.len == 0)
    fail(in, s->span, "inline function '%s' returns nothing", callee);
  push_block(out, pass_tags_on(in, call, b));
  if (s->kind == STMT_RETURN) vec_push(out, stmt_return(in->ir, v.items, v.len, s->span));
}

/* An element of what a call gave is the value itself. */
static Expr *inline_expr(Rewriter *r, Expr *e) {
  Inliner *in = r->ctx;
  Expr *n = rewrite_expr_children(r, e);
  if (n->kind != EXPR_TUPLE_GET || n->u.get.tuple->kind != EXPR_VAR) return n;
  const Values *v = map_get(&in->tuples, n->u.get.tuple);
  if (!v || n->u.get.index < 0 || n->u.get.index >= v->len) return n;
  return rewrite_expr(r, v->items[n->u.get.index]);
}

/* ---- rounds ---- */

static Function *inline_func(void *ctx, Function *f) {
  Inliner *in = ctx;
  map_clear(&in->tuples);
  Block body = rewrite_block(&in->rw, f->body);
  if (in->failed) return NULL;
  if (body.items == f->body.items && body.len == f->body.len) return f;
  Function *out = func_copy(in->ir, f);
  out->body = body;
  return out;
}

static Program *without_inline(Ir *ir, const Program *p) {
  Function **kept = NEW_ARRAY(ir->arena, Function *, p->nfuncs);
  int n = 0;
  for (int i = 0; i < p->nfuncs; i++)
    if (p->funcs[i]->type != FUNC_INLINE) kept[n++] = p->funcs[i];
  return program_new(ir, p->name, kept, n, p->span);
}

static int count_inline(const Program *p) {
  int n = 0;
  for (int i = 0; i < p->nfuncs; i++) n += p->funcs[i]->type == FUNC_INLINE;
  return n;
}

Program *inline_functions(PassCtx *ctx, Program *p) {
  int inline_count = count_inline(p);
  if (inline_count == 0) return p;
  Inliner in = {.ir = ctx->ir, .program = p};
  rewriter_init(&in.rw, ctx->ir, &in);
  in.rw.expr = inline_expr;
  in.rw.stmt = inline_stmt;
  check_cycles(&in);
  /* Without cycles every chain of calls ends within as many rounds as there are functions. */
  for (int round = 0; round <= inline_count && !in.failed; round++) {
    in.changed = false;
    in.program = p;
    p = rewrite_program(ctx->ir, p, inline_func, &in);
    if (!in.changed) break;
  }
  rewriter_free(&in.rw);
  map_free(&in.tuples);
  return in.failed ? NULL : without_inline(ctx->ir, p);
}
