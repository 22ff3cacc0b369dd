/* build_emit.c -- variables in scope, statements into blocks, comments to statements. */
#include <string.h>

#include "ir/print.h"
#include "parser/build.h"

bool is_printed(const Builder *b) {
  static const char header[] = "pypto.program:";
  const SynModule *m = b->module;
  return m->ncomments && strncmp(m->comments[0].text, header, sizeof header - 1) == 0;
}

/* ---------------------------------------------------------------- scopes */

void scope_enter(Builder *b) {
  Scope *s = NEW(b->ir->arena, Scope);
  s->outer = b->f->scope;
  b->f->scope = s;
}

void scope_exit(Builder *b, bool leak) {
  Scope *s = b->f->scope;
  b->f->scope = s->outer;
  if (leak && s->outer)
    for (MapEntry *e = NULL; (e = map_next(&s->vars, e));)
      map_set(&s->outer->vars, e->key, e->value);
  map_free(&s->vars);
}

void scope_define(Builder *b, Name name, Expr *value) { map_set(&b->f->scope->vars, name, value); }

Expr *scope_lookup(Builder *b, Name name) {
  if (!b->f || name == b->comp_name) return NULL;
  for (Scope *s = b->f->scope; s; s = s->outer) {
    Expr *e = map_get(&s->vars, name);
    if (e) return e;
  }
  return NULL;
}

/* ---------------------------------------------------------------- statements */

void leading_push(Builder *b, Name *lines, int n) {
  Leading l = {lines, n, b->f->out};
  vec_push(&b->f->leading, l);
}

Leading leading_pop(Builder *b) { return vec_pop(&b->f->leading); }

void emit(Builder *b, Stmt *s) {
  Leading *top = b->f->leading.len ? &vec_last(&b->f->leading) : NULL;
  if (top && top->n && top->target == b->f->out) {
    s->comments = top->lines;
    s->ncomments = top->n;
    top->n = 0;
  }
  vec_push(b->f->out, s);
}

/* The dimension that a signature before speaks of and that no line declares: what is defined here is meant. */
static Expr *undeclared_dimension(Builder *b, Name name, const Type *type) {
  Const *c = b->verbatim && type_is_scalar(type) ? map_get(&b->consts, name) : NULL;
  if (!c || !c->implicit || c->defined || c->value.kind != ATTR_EXPR) return NULL;
  c->defined = true;
  c->value.u.expr->type = type;
  return c->value.u.expr;
}

Expr *emit_let(Builder *b, Name name, Expr *value, const Type *type, Span at) {
  if (!type) type = value->type;
  Expr *var = undeclared_dimension(b, name, type);
  if (!var) var = expr_var(b->ir, name, type, at);
  emit(b, stmt_assign(b->ir, var, value, at));
  return var;
}

/* ---- when two types count as the same ---- */

static Expr *simplified(Builder *b, Expr *e) {
  const IrArith *arith = b->ir->arith;
  return arith && arith->simplify && e->kind != EXPR_INT ? arith->simplify(b->ir, e) : e;
}

static const Type *simplify_shape(Builder *b, const Type *t) {
  Expr **shape = NEW_ARRAY(b->ir->arena, Expr *, t->rank);
  for (int i = 0; i < t->rank; i++) shape[i] = simplified(b, t->shape[i]);
  Type copy = *t;
  copy.shape = shape;
  return type_intern(b->ir, &copy);
}

bool types_match(Builder *b, const Type *x, const Type *y) {
  if (x == y) return true;
  if (x->kind != y->kind || x->dtype != y->dtype) return false;
  if (!type_is_shaped(x)) return false;
  Type plain_x = *x, plain_y = *y;
  plain_x.memref = plain_y.memref = NULL;
  plain_x.window = plain_y.window = NULL;
  x = type_intern(b->ir, &plain_x);
  y = type_intern(b->ir, &plain_y);
  return x == y || (x->rank == y->rank && simplify_shape(b, x) == simplify_shape(b, y));
}

static bool is_dim_symbol(Builder *b, const Expr *e) {
  return e && expr_is_var(e) && map_has(&b->f->dim_symbols, e);
}

/* In a @pl.jit function, a name may be taken again for a value of another type, as in
 * `x = pl.load(x, ...)`; elsewhere than in the straight line of the body it would be ambiguous later. */
static Expr *bind_other_type(Builder *b, Name name, Expr *value, const Type *type, Span at) {
  Name fresh = name;
  for (int i = 1; scope_lookup(b, fresh); i++)
    fresh = name_printf(&b->ir->names, "%s_v%d", name, i);
  return emit_let(b, fresh, value, type, at);
}

static Expr *bind_value(Builder *b, Name name, Expr *value, const Type *type, Span at) {
  Expr *old = scope_lookup(b, name);
  /* In orchestration, a name for an extent of a parameter *is* that extent: a copy would be a second
   * value that nothing later can prove equal to it. */
  if (!b->verbatim && b->f->type == FUNC_ORCHESTRATION && is_dim_symbol(b, value) &&
      (!old || is_dim_symbol(b, old)) && (!type || types_match(b, type, value->type)))
    return value;
  if (is_dim_symbol(b, old)) return emit_let(b, name, value, type, at);
  if (!old || !expr_is_var(old) || old->u.var.is_iter_arg || b->strict_ssa)
    return emit_let(b, name, value, type, at);
  const Type *new_type = type ? type : value->type;
  if (new_type->kind != TYPE_UNKNOWN && old->type->kind != TYPE_UNKNOWN &&
      !types_match(b, old->type, new_type)) {
    if (b->jit && !b->f->scope->outer) return bind_other_type(b, name, value, type, at);
    return build_error(b, at, "'%s' has type %s and cannot be assigned a value of type %s", name,
                       type_str(b->ir, old->type), type_str(b->ir, new_type));
  }
  emit(b, stmt_assign(b->ir, old, value, at));
  return old;
}

Expr *emit_bind(Builder *b, Name name, Expr *value, const Type *type, Span at) {
  if (value->type->kind == TYPE_VOID)
    return build_error(b, at, "'%s' cannot be bound to a call that gives no value", name);
  if (b->strict_ssa && map_has(&b->f->scope->vars, name))
    return build_error(b, at, "'%s' is assigned twice in a program that was declared strict_ssa",
                       name);
  Expr *var = bind_value(b, name, value, type, at);
  if (var) scope_define(b, name, var);
  return var;
}

/* ---------------------------------------------------------------- comments */

void comments_start(Builder *b, uint32_t first_line, uint32_t last_line) {
  const SynModule *m = b->module;
  size_t lo = 0, hi = m->ncomments;
  while (lo < hi) {
    size_t mid = (lo + hi) / 2;
    if (m->comments[mid].line < first_line)
      lo = mid + 1;
    else
      hi = mid;
  }
  PendingComment **end = &b->f->comments;
  for (; lo < m->ncomments && m->comments[lo].line <= last_line; lo++) {
    PendingComment *c = NEW(b->ir->arena, PendingComment);
    *c = (PendingComment){m->comments[lo].line, m->comments[lo].col,
                          ir_name(b->ir, m->comments[lo].text), NULL};
    *end = c;
    end = &c->next;
  }
}

/* Does `take` want this comment?  `ctx` is its own. */
typedef bool (*CommentTest)(const PendingComment *c, const void *ctx);

/* Removes from the pending comments up to `last_line` those that `want` accepts. */
static Name *take_comments(Builder *b, uint32_t last_line, CommentTest want, const void *ctx,
                           int *n) {
  VEC(Name) taken = {0};
  PendingComment **at = &b->f->comments;
  while (*at && (*at)->line <= last_line) {
    if (want(*at, ctx)) {
      vec_push(&taken, (*at)->text);
      *at = (*at)->next;
    } else {
      at = &(*at)->next;
    }
  }
  *n = (int)taken.len;
  return vec_to_arena(&taken, b->ir->arena);
}

static bool want_all(const PendingComment *c, const void *ctx) {
  (void)c;
  (void)ctx;
  return true;
}

static uint32_t later(uint32_t line, const SynExpr *e) {
  return e && e->end_line > line ? e->end_line : line;
}

/* The last line of what stands before a compound statement's colon. */
static uint32_t header_end(const SynStmt *s) {
  uint32_t line = later(s->at.line, s->value);
  if (s->kind == SYN_FOR) line = later(line, s->targets[0]);
  for (size_t i = 0; i < s->nitems; i++) {
    line = later(line, s->items[i].context);
    line = later(line, s->items[i].target);
  }
  return line;
}

typedef struct Header {
  uint32_t first, last, body_col;
} Header;

/* On the lines of the header: the statement's.  Before it: by its column, the statement's or the body's. */
static bool want_header(const PendingComment *c, const void *ctx) {
  const Header *h = ctx;
  if (c->line >= h->first && c->line <= h->last) return true;
  return c->line < h->first && c->col < h->body_col;
}

Name *comments_take(Builder *b, const SynStmt *s, int *n) {
  if (!s->body.len || s->kind == SYN_TRY) return take_comments(b, s->end_line, want_all, NULL, n);
  const SynStmt *first = s->body.stmts[0];
  Header h = {s->at.line, header_end(s), first->at.col};
  return take_comments(b, first->at.line - 1, want_header, &h, n);
}

void comments_put_back(Builder *b, const SynStmt *s, Name *lines, int n) {
  if (!n) return;
  uint32_t line = s->end_line + 1;
  PendingComment **at = &b->f->comments;
  while (*at && (*at)->line < line) at = &(*at)->next;
  for (int i = 0; i < n; i++) {
    PendingComment *c = NEW(b->ir->arena, PendingComment);
    *c = (PendingComment){line, s->at.col, lines[i], *at};
    *at = c;
    at = &c->next;
  }
}

typedef struct Tail {
  uint32_t line, col;
} Tail;

static bool want_tail(const PendingComment *c, const void *ctx) {
  const Tail *t = ctx;
  return c->line >= t->line && c->col >= t->col;
}

/* Comments after the last statement of a block belong to nothing. */
void comments_drop_tail(Builder *b, const SynBlock *body, uint32_t last_line) {
  if (!body->len) return;
  int n;
  Tail t = {body->stmts[0]->at.line, body->stmts[0]->at.col};
  take_comments(b, last_line, want_tail, &t, &n);
}

static bool want_stale(const PendingComment *c, const void *ctx) {
  return c->col > ((const Tail *)ctx)->col;
}

/* Comments before `next` that stand deeper than it belong to a block that is closed. */
void comments_drop_stale(Builder *b, const SynStmt *next) {
  int n;
  Tail t = {next->at.line, next->at.col};
  if (next->at.line > 1) take_comments(b, next->at.line - 1, want_stale, &t, &n);
}
