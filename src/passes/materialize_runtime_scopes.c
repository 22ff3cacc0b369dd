/* MaterializeRuntimeScopes: explicit scopes in orchestrations.
 * docs/passes/materialize-runtime-scopes.md */
#include "ir/rewrite.h"
#include "ir/visit.h"
#include "passes/pass.h"

typedef struct Scopes {
  Ir *ir;
  int manual; /* enclosing manual scopes */
  Name key_auto_scope, key_call_mark, key_func_mark;
} Scopes;

static bool is_auto_scope(Block b) {
  return b.len == 1 && b.items[0]->kind == STMT_SCOPE &&
         b.items[0]->u.scope.kind == SCOPE_RUNTIME && !b.items[0]->u.scope.manual;
}

/* Are all tasks in a block marked, at least one, and no scope inside? */
typedef struct Marks {
  Name key;
  bool any, all, scope_inside;
} Marks;

static bool mark_expr(Visitor *v, Expr *e) {
  Marks *m = v->ctx;
  if (!expr_is_call(e) || !e->u.call.callee) return true;
  if (attr_get(e->u.call.attrs, m->key))
    m->any = true;
  else
    m->all = false;
  return true;
}

static bool mark_stmt(Visitor *v, Stmt *s) {
  Marks *m = v->ctx;
  if (s->kind != STMT_SCOPE || s->u.scope.kind != SCOPE_RUNTIME) return true;
  m->scope_inside = true;
  return false;
}

static bool fully_marked(const Scopes *c, Block b) {
  Marks m = {.key = c->key_call_mark, .all = true};
  Visitor v = {.ctx = &m, .expr = mark_expr, .stmt = mark_stmt};
  visit_block(&v, b);
  return m.any && m.all && !m.scope_inside;
}

static Block wrap(Scopes *c, Block b, bool manual, bool marked) {
  Stmt *s = stmt_new(c->ir, STMT_SCOPE, b.len ? b.items[0]->span : NO_SPAN);
  s->u.scope.kind = SCOPE_RUNTIME;
  s->u.scope.manual = manual;
  s->u.scope.body = b;
  if (marked)
    s->u.scope.attrs = attr_with(c->ir, s->u.scope.attrs, c->key_call_mark, attr_of_bool(true));
  return block_of(c->ir, &s, 1);
}

static Block wrap_body(Scopes *c, Block b) {
  if (is_auto_scope(b)) return b;
  bool marked = fully_marked(c, b);
  return wrap(c, b, marked, marked);
}

static void scope_stmt(Rewriter *r, Stmt *s, StmtList *out) {
  Scopes *c = r->ctx;
  bool manual = s->kind == STMT_SCOPE && s->u.scope.kind == SCOPE_RUNTIME && s->u.scope.manual;
  c->manual += manual;
  Stmt *done = rewrite_stmt_children(r, s);
  c->manual -= manual;
  if (c->manual == 0 && (s->kind == STMT_FOR || s->kind == STMT_IF)) {
    done = stmt_copy(c->ir, done);
    if (s->kind == STMT_FOR) {
      done->u.loop.body = wrap_body(c, done->u.loop.body);
    } else {
      done->u.if_.then_body = wrap_body(c, done->u.if_.then_body);
      if (done->u.if_.has_else) done->u.if_.else_body = wrap_body(c, done->u.if_.else_body);
    }
  }
  vec_push(out, done);
}

/* The marks have been used; only scopes keep them. */
static Expr *strip_mark(Rewriter *r, Expr *e) {
  Scopes *c = r->ctx;
  e = rewrite_expr_children(r, e);
  if (!expr_is_call(e) || !attr_get(e->u.call.attrs, c->key_call_mark)) return e;
  Expr *out = expr_copy(c->ir, e);
  out->u.call.attrs = attr_without(c->ir, e->u.call.attrs, c->key_call_mark);
  return out;
}

static Block rewrite_body(Scopes *c, Block b, Expr *(*expr)(Rewriter *, Expr *),
                          void (*stmt)(Rewriter *, Stmt *, StmtList *)) {
  Rewriter r;
  rewriter_init(&r, c->ir, c);
  r.expr = expr;
  r.stmt = stmt;
  b = rewrite_block(&r, b);
  rewriter_free(&r);
  return b;
}

static Function *scope_function(void *ctx, Function *f) {
  Scopes *c = ctx;
  if (f->type != FUNC_ORCHESTRATION) return f;
  if (!attr_bool(f->attrs, c->key_auto_scope, true)) return f;
  Function *out = func_copy(c->ir, f);
  if (attr_bool(f->attrs, c->key_func_mark, false)) {
    out->body = wrap(c, f->body, true, false);
  } else {
    Block inner = rewrite_body(c, f->body, NULL, scope_stmt);
    out->body = is_auto_scope(inner) ? inner : wrap(c, inner, false, false);
  }
  out->body = rewrite_body(c, out->body, strip_mark, NULL);
  out->attrs = attr_without(c->ir, out->attrs, c->key_func_mark);
  out->attrs = attr_without(c->ir, out->attrs, c->key_auto_scope);
  out->attrs = attr_with(c->ir, out->attrs, c->key_auto_scope, attr_of_bool(false));
  return out;
}

Program *materialize_runtime_scopes(PassCtx *ctx, Program *p) {
  Ir *ir = ctx->ir;
  Scopes c = {.ir = ir,
              .key_auto_scope = key_name(KEY_AUTO_SCOPE),
              .key_call_mark = key_name(KEY_COMPILER_AUTO_MANUAL_SCOPE_CANDIDATE),
              .key_func_mark = key_name(KEY_COMPILER_AUTO_MANUAL_LAYER_CANDIDATE)};
  return rewrite_program(ir, p, scope_function, &c);
}
