#include "lexer/syntax_make.h"

#include <string.h>

/* ---------------------------------------------------------------- lists */

#define APPEND(l, node)        \
  do {                         \
    if ((l).tail)              \
      (l).tail->next = (node); \
    else                       \
      (l).head = (node);       \
    (l).tail = (node);         \
    (l).n++;                   \
  } while (0)

/* Room for one more in an array of n elements, which is full whenever n is a power of two. */
static void *grown(Lexer *lx, void *items, size_t n, size_t size) {
  if (n & (n - 1) || n == 1) return items;
  void *more = arena_alloc(lx->arena, (n ? 2 * n : 2) * size);
  if (n) memcpy(more, items, n * size);
  return more;
}

SynExprList syn_exprs_one(Lexer *lx, SynExpr *e) { return syn_exprs_add(lx, (SynExprList){0}, e); }

SynExprList syn_exprs_add(Lexer *lx, SynExprList l, SynExpr *e) {
  l.items = grown(lx, l.items, l.n, sizeof *l.items);
  l.items[l.n++] = e;
  return l;
}

SynStmtList syn_stmts_one(SynStmt *s) { return (SynStmtList){s, s, 1}; }

SynStmtList syn_stmts_join(SynStmtList a, SynStmtList b) {
  if (!b.n) return a;
  if (!a.n) return b;
  a.tail->next = b.head;
  a.tail = b.tail;
  a.n += b.n;
  return a;
}

SynBlock syn_block(Lexer *lx, SynStmtList l) {
  SynBlock b = {NEW_ARRAY(lx->arena, SynStmt *, l.n), l.n};
  size_t i = 0;
  for (SynStmt *s = l.head; s; s = s->next) b.stmts[i++] = s;
  return b;
}

SynClauses syn_clauses_add(SynClauses l, SynClause *c) {
  APPEND(l, c);
  return l;
}

SynParams syn_params_add(SynParams l, SynParam *p) {
  APPEND(l, p);
  return l;
}

SynItems syn_items_add(SynItems l, SynWithItem *i) {
  APPEND(l, i);
  return l;
}

SynArgs syn_args_add(Lexer *lx, SynArgs a, SynExpr *e) {
  a.items = syn_exprs_add(lx, a.items, e);
  return a;
}

SynArgs syn_args_key(Lexer *lx, SynArgs a, Span at, Name name, SynExpr *key, SynExpr *value) {
  if (a.n == SYN_MAX_KEYWORDS) {
    if (!lx->failed) diag_error(lx->diag, at, "more than %d keywords", SYN_MAX_KEYWORDS);
    lx->failed = true;
    return a;
  }
  a.kwargs = grown(lx, a.kwargs, a.n, sizeof *a.kwargs);
  SynKeyword *k = &a.kwargs[a.n++];
  *k = (SynKeyword){.at = at, .name = name, .value = value};
  if (key) k->key = key;
  return a;
}

SynArgs syn_args_pos(Lexer *lx, SynArgs a, SynExpr *e) {
  if (a.n) {
    Name last = a.kwargs[a.n - 1].name;
    diag_error(lx->diag, e->at, "a positional argument may not follow '%s='", last ? last : "**");
    lx->failed = true;
  }
  return syn_args_add(lx, a, e);
}

SynArgs syn_args_named(Lexer *lx, SynArgs a, Span at, Name name, SynExpr *value) {
  for (size_t i = 0; i < a.n; i++) {
    if (a.kwargs[i].name != name) continue;
    diag_error(lx->diag, at, "keyword argument '%s' is given twice", name);
    lx->failed = true;
    break;
  }
  return syn_args_key(lx, a, at, name, NULL, value);
}

/* ---------------------------------------------------------------- expressions */

/* Bytes of a node of that kind: up to the last field that it has. */
static size_t node_size(SynExprKind kind) {
  switch (kind) {
    case SYN_CALL:
    case SYN_COMPARE:
    case SYN_COMP:
    case SYN_DICT:
    case SYN_SLICE:
    case SYN_COND:
    case SYN_FFIELD: return sizeof(SynExpr);
    case SYN_STR:
    case SYN_ATTR:
    case SYN_SUBSCRIPT:
    case SYN_UNARY:
    case SYN_BINARY:
    case SYN_LAMBDA:
    case SYN_STAR:
    case SYN_WALRUS: return offsetof(SynExpr, third);
    default: return offsetof(SynExpr, lhs);
  }
}

static SynExpr *node(Lexer *lx, SynExprKind kind, Span at, uint32_t end_line) {
  SynExpr *e = arena_alloc(lx->arena, node_size(kind));
  e->kind = kind;
  e->at = at;
  e->end_line = end_line;
  e->depth = 1;
  return e;
}

static void set_items(SynExpr *e, SynExprList l) {
  e->items = l.items;
  e->nitems = (uint32_t)l.n;
}

static void deepen(SynExpr *e, const SynExpr *child) {
  if (child && child->depth >= e->depth) e->depth = child->depth + 1u;
}

static void deepen_all(SynExpr *e, SynExpr *const *items, size_t n) {
  for (size_t i = 0; i < n; i++) deepen(e, items[i]);
}

/* The finished node, or NULL if it nests too deep. */
static SynExpr *bounded(Lexer *lx, SynExpr *e) {
  if (e->depth <= SYN_MAX_DEPTH) return e;
  if (!lx->failed)
    diag_error(lx->diag, e->at, "this expression is nested deeper than %d", SYN_MAX_DEPTH);
  lx->failed = true;
  return NULL;
}

SynExpr *syn_name(Lexer *lx, Span at, Name name) {
  SynExpr *e = node(lx, SYN_NAME, at, at.line);
  e->name = name;
  return e;
}

SynExpr *syn_integer(Lexer *lx, Span at, uint64_t value) {
  SynExpr *e = node(lx, SYN_INT, at, at.line);
  e->big = value > INT64_MAX;
  e->integer = e->big ? INT64_MIN : (int64_t)value;
  return e;
}

SynExpr *syn_real(Lexer *lx, Span at, double value) {
  SynExpr *e = node(lx, SYN_FLOAT, at, at.line);
  e->real = value;
  return e;
}

SynExpr *syn_string(Lexer *lx, Span at, uint32_t end_line, SynText text) {
  SynExpr *e = node(lx, SYN_STR, at, end_line);
  e->str = text;
  return e;
}

SynExpr *syn_atom(Lexer *lx, SynExprKind kind, Span at) { return node(lx, kind, at, at.line); }

/* Adds the text, or the parts of the f-string. */
static SynExprList add_parts(Lexer *lx, SynExprList l, SynExpr *s) {
  if (s->kind != SYN_FSTRING) return syn_exprs_add(lx, l, s);
  for (size_t i = 0; i < s->nitems; i++) l = syn_exprs_add(lx, l, s->items[i]);
  return l;
}

SynExpr *syn_concat(Lexer *lx, SynExpr *a, SynExpr *b) {
  if (a->kind == SYN_STR && b->kind == SYN_STR) {
    char *text = NEW_ARRAY(lx->arena, char, a->str.len + b->str.len + 1);
    memcpy(text, a->str.data, a->str.len);
    memcpy(text + a->str.len, b->str.data, b->str.len);
    return syn_string(lx, a->at, b->end_line, (SynText){text, a->str.len + b->str.len});
  }
  SynExpr *e = node(lx, SYN_FSTRING, a->at, b->end_line);
  set_items(e, add_parts(lx, add_parts(lx, (SynExprList){0}, a), b));
  e->depth = (a->depth > b->depth ? a->depth : b->depth) + 1u;
  return bounded(lx, e);
}

SynExpr *syn_paren(SynExpr *e, Span at, uint32_t end_line) {
  e->paren = true;
  if (e->kind == SYN_TUPLE) {
    e->at = at; /* a tuple's brackets belong to it, those of other expressions do not */
    e->end_line = end_line;
  }
  return e;
}

SynExpr *syn_wrap(Lexer *lx, SynExprKind kind, Span at, SynExpr *child) {
  SynExpr *e = node(lx, kind, at, child->end_line);
  e->lhs = child;
  deepen(e, child);
  return bounded(lx, e);
}

SynExpr *syn_field(Lexer *lx, SynExpr *value, SynText format) {
  SynExpr *e = node(lx, SYN_FFIELD, value->at, value->end_line);
  e->field = value;
  e->str = format;
  deepen(e, value);
  return bounded(lx, e);
}

SynExpr *syn_sequence(Lexer *lx, SynExprKind kind, Span at, uint32_t end_line, SynExprList l) {
  SynExpr *e = node(lx, kind, at, end_line);
  if (l.n && kind == SYN_TUPLE) e->at = l.items[0]->at;
  set_items(e, l);
  deepen_all(e, e->items, e->nitems);
  return bounded(lx, e);
}

SynExpr *syn_cond(Lexer *lx, SynExpr *then, SynExpr *test, SynExpr *otherwise) {
  SynExpr *e = node(lx, SYN_COND, then->at, otherwise->end_line);
  e->lhs = then;
  e->third = test;
  e->rhs = otherwise;
  deepen(e, then);
  deepen(e, test);
  deepen(e, otherwise);
  return bounded(lx, e);
}

/* Chains are flat, so their length is no nesting. */
static void chain_push(Lexer *lx, SynExpr *e, SynExpr *item) {
  set_items(e, syn_exprs_add(lx, (SynExprList){e->items, e->nitems}, item));
  e->end_line = item->end_line;
  deepen(e, item);
}

static SynExpr *chain(Lexer *lx, SynExprKind kind, SynExpr *a, SynExpr *b) {
  SynExpr *e = node(lx, kind, a->at, b->end_line);
  chain_push(lx, e, a);
  chain_push(lx, e, b);
  return e;
}

SynExpr *syn_bool(Lexer *lx, SynOp op, SynExpr *a, SynExpr *b) {
  if (a->kind == SYN_BOOL && a->op == op && !a->paren) {
    chain_push(lx, a, b);
    return bounded(lx, a);
  }
  SynExpr *e = chain(lx, SYN_BOOL, a, b);
  e->op = op;
  return bounded(lx, e);
}

SynExpr *syn_compare(Lexer *lx, SynOp op, SynExpr *a, SynExpr *b) {
  if (op == SYN_OP_IS && b->kind == SYN_UNARY && b->op == SYN_OP_NOT && !b->paren) {
    op = SYN_OP_IS_NOT; /* `a is not b` reads as `a is (not b)` */
    b = b->lhs;
  }
  if (a->kind == SYN_COMPARE && !a->paren) {
    a->ops = grown(lx, a->ops, a->nitems - 1, sizeof *a->ops);
    a->ops[a->nitems - 1] = (uint8_t)op;
    chain_push(lx, a, b);
    return bounded(lx, a);
  }
  SynExpr *e = chain(lx, SYN_COMPARE, a, b);
  e->ops = grown(lx, NULL, 0, sizeof *e->ops);
  e->ops[0] = (uint8_t)op;
  return bounded(lx, e);
}

SynExpr *syn_binary(Lexer *lx, SynOp op, SynExpr *a, SynExpr *b) {
  SynExpr *e = node(lx, SYN_BINARY, a->at, b->end_line);
  e->op = op;
  e->lhs = a;
  e->rhs = b;
  deepen(e, a);
  deepen(e, b);
  return bounded(lx, e);
}

SynExpr *syn_unary(Lexer *lx, SynOp op, Span at, SynExpr *child) {
  SynExpr *e = syn_wrap(lx, SYN_UNARY, at, child);
  if (e) e->op = op;
  return e;
}

SynExpr *syn_attr(Lexer *lx, SynExpr *base, Name name, uint32_t end_line) {
  SynExpr *e = syn_wrap(lx, SYN_ATTR, base->at, base);
  if (!e) return NULL;
  e->name = name;
  e->end_line = end_line;
  return e;
}

SynExpr *syn_call(Lexer *lx, SynExpr *callee, SynArgs args, uint32_t end_line) {
  SynExpr *e = node(lx, SYN_CALL, callee->at, end_line);
  e->lhs = callee;
  set_items(e, args.items);
  e->kwargs = args.kwargs;
  e->nkwargs = (uint32_t)args.n;
  deepen(e, callee);
  deepen_all(e, e->items, e->nitems);
  for (size_t i = 0; i < e->nkwargs; i++) deepen(e, e->kwargs[i].value);
  return bounded(lx, e);
}

SynExpr *syn_subscript(Lexer *lx, SynExpr *base, SynExpr *index, uint32_t end_line) {
  SynExpr *e = node(lx, SYN_SUBSCRIPT, base->at, end_line);
  e->lhs = base;
  e->rhs = index;
  deepen(e, base);
  deepen(e, index);
  return bounded(lx, e);
}

SynExpr *syn_slice(Lexer *lx, Span at, uint32_t end_line, SynExpr *a, SynExpr *b, SynExpr *step) {
  SynExpr *e = node(lx, SYN_SLICE, a ? a->at : at, end_line);
  e->lhs = a;
  e->rhs = b;
  e->third = step;
  deepen(e, a);
  deepen(e, b);
  deepen(e, step);
  return bounded(lx, e);
}

SynExpr *syn_dict(Lexer *lx, Span at, uint32_t end_line, SynArgs items) {
  SynExpr *e = node(lx, SYN_DICT, at, end_line);
  e->kwargs = items.kwargs;
  e->nkwargs = (uint32_t)items.n;
  for (size_t i = 0; i < e->nkwargs; i++) {
    deepen(e, e->kwargs[i].key);
    deepen(e, e->kwargs[i].value);
  }
  return bounded(lx, e);
}

SynExpr *syn_comprehension(Lexer *lx, char bracket, Span at, uint32_t end_line, SynExpr *elem,
                           SynExpr *value, SynClauses clauses) {
  SynExpr *e = node(lx, SYN_COMP, at, end_line);
  e->bracket = bracket;
  e->lhs = elem;
  e->rhs = value;
  e->clauses = NEW_ARRAY(lx->arena, SynClause, clauses.n);
  for (SynClause *c = clauses.head; c; c = c->next) {
    e->clauses[e->nkwargs++] = *c;
    deepen(e, c->target);
    deepen(e, c->iter);
    deepen_all(e, c->tests, c->ntests);
  }
  deepen(e, elem);
  deepen(e, value);
  return bounded(lx, e);
}

SynClause *syn_comp_for(Lexer *lx, Span at, SynExpr *target, SynExpr *iter) {
  SynClause *c = NEW(lx->arena, SynClause);
  c->at = at;
  c->target = target;
  c->iter = iter;
  return c;
}

SynClause *syn_comp_if(Lexer *lx, SynClause *c, SynExpr *test) {
  SynExpr **tests = NEW_ARRAY(lx->arena, SynExpr *, c->ntests + 1);
  if (c->ntests) memcpy(tests, c->tests, c->ntests * sizeof *tests);
  tests[c->ntests++] = test;
  c->tests = tests;
  return c;
}

/* ---------------------------------------------------------------- statements */

SynStmt *syn_stmt(Lexer *lx, SynStmtKind kind, Span at, uint32_t end_line) {
  SynStmt *s = NEW(lx->arena, SynStmt);
  s->kind = kind;
  s->at = at;
  s->end_line = end_line;
  s->depth = 1;
  return s;
}

SynStmt *syn_stmt_value(Lexer *lx, SynStmtKind kind, Span at, uint32_t end_line, SynExpr *value) {
  SynStmt *s = syn_stmt(lx, kind, at, end_line);
  s->value = value;
  return s;
}

SynStmt *syn_stmt_targets(Lexer *lx, SynStmtKind kind, Span at, uint32_t end_line, SynExprList l) {
  SynStmt *s = syn_stmt(lx, kind, at, end_line);
  s->targets = l.items;
  s->ntargets = l.n;
  return s;
}

SynStmt *syn_stmt_text(Lexer *lx, SynStmtKind kind, Span at, uint32_t end_line, const char *first,
                       const char *rest) {
  SynStmt *s = syn_stmt(lx, kind, at, end_line);
  s->text = arena_printf(lx->arena, "%s%s", first, rest);
  return s;
}

/* What stands left of '=' was read as an expression. */
static bool check_target(Lexer *lx, const SynExpr *e) {
  switch (e->kind) {
    case SYN_NAME:
    case SYN_ATTR:
    case SYN_SUBSCRIPT: return true;
    case SYN_TUPLE:
    case SYN_LIST:
      for (size_t i = 0; i < e->nitems; i++)
        if (!check_target(lx, e->items[i])) return false;
      return true;
    case SYN_STAR: return check_target(lx, e->lhs);
    default:
      diag_error(lx->diag, e->at, "nothing can be assigned to %s%s", syn_kind_name(e),
                 e->kind == SYN_COMPARE ? ": '==' compares, '=' assigns" : "");
      lx->failed = true;
      return false;
  }
}

SynStmt *syn_assign(Lexer *lx, SynExpr *target, SynExpr *value, uint32_t end_line) {
  if (!check_target(lx, target)) return NULL;
  SynStmt *s = syn_stmt_targets(lx, SYN_ASSIGN, target->at, end_line, syn_exprs_one(lx, target));
  s->value = value;
  return s;
}

SynStmt *syn_assign_more(Lexer *lx, SynStmt *s, SynExpr *value, uint32_t end_line) {
  if (!check_target(lx, s->value)) return NULL;
  SynExpr **targets = NEW_ARRAY(lx->arena, SynExpr *, s->ntargets + 1);
  memcpy(targets, s->targets, s->ntargets * sizeof *targets);
  targets[s->ntargets++] = s->value;
  s->targets = targets;
  s->value = value;
  s->end_line = end_line;
  return s;
}

SynStmt *syn_ann_assign(Lexer *lx, SynExpr *target, SynExpr *ann, SynExpr *value,
                        uint32_t end_line) {
  if (!check_target(lx, target)) return NULL;
  SynStmt *s =
      syn_stmt_targets(lx, SYN_ANN_ASSIGN, target->at, end_line, syn_exprs_one(lx, target));
  s->annotation = ann;
  s->value = value;
  return s;
}

SynStmt *syn_aug_assign(Lexer *lx, SynExpr *target, SynOp op, SynExpr *value, uint32_t end_line) {
  if (!check_target(lx, target)) return NULL;
  SynStmt *s =
      syn_stmt_targets(lx, SYN_AUG_ASSIGN, target->at, end_line, syn_exprs_one(lx, target));
  s->op = op;
  s->value = value;
  return s;
}

/* The finished compound statement, or NULL if blocks and branches nest too deep. */
static SynStmt *enclose(Lexer *lx, SynStmt *s) {
  const SynBlock *blocks[2] = {&s->body, &s->orelse};
  for (int b = 0; b < 2; b++) {
    for (size_t i = 0; i < blocks[b]->len; i++) {
      SynStmt *inner = blocks[b]->stmts[i];
      if (inner->depth >= s->depth) s->depth = (uint16_t)(inner->depth + 1);
      if (inner->end_line > s->end_line) s->end_line = inner->end_line;
    }
  }
  if (s->depth <= SYN_MAX_NEST) return s;
  if (!lx->failed)
    diag_error(lx->diag, s->at, "statements are nested deeper than %d", SYN_MAX_NEST);
  lx->failed = true;
  return NULL;
}

SynStmt *syn_else(Lexer *lx, Span at, SynBlock body) {
  SynStmt *s = syn_stmt(lx, SYN_PASS, at, at.line);
  s->body = body;
  return s;
}

SynStmt *syn_if(Lexer *lx, Span at, SynExpr *test, SynBlock body, SynStmt *rest) {
  SynStmt *s = syn_stmt_value(lx, SYN_IF, at, test->end_line, test);
  s->body = body;
  if (rest && rest->kind == SYN_IF) {
    s->orelse = syn_block(lx, syn_stmts_one(rest));
  } else if (rest) {
    s->orelse = rest->body;
    s->else_line = rest->at.line;
  }
  return enclose(lx, s);
}

SynStmt *syn_while(Lexer *lx, Span at, SynExpr *test, SynBlock body) {
  SynStmt *s = syn_stmt_value(lx, SYN_WHILE, at, test->end_line, test);
  s->body = body;
  return enclose(lx, s);
}

SynStmt *syn_for(Lexer *lx, Span at, SynExpr *target, SynExpr *iter, SynBlock body) {
  if (!check_target(lx, target)) return NULL;
  SynStmt *s = syn_stmt_targets(lx, SYN_FOR, at, iter->end_line, syn_exprs_one(lx, target));
  s->value = iter;
  s->body = body;
  return enclose(lx, s);
}

SynStmt *syn_with(Lexer *lx, Span at, SynItems items, SynBlock body) {
  SynStmt *s = syn_stmt(lx, SYN_WITH, at, at.line);
  s->items = NEW_ARRAY(lx->arena, SynWithItem, items.n);
  for (SynWithItem *i = items.head; i; i = i->next) s->items[s->nitems++] = *i;
  s->body = body;
  return enclose(lx, s);
}

SynWithItem *syn_with_item(Lexer *lx, SynExpr *context, SynExpr *target) {
  SynWithItem *i = NEW(lx->arena, SynWithItem);
  i->context = context;
  i->target = target;
  return i;
}

SynStmt *syn_try(Lexer *lx, Span at, SynBlock body, SynStmtList clauses) {
  SynStmt *s = syn_stmt(lx, SYN_TRY, at, at.line);
  s->body = body;
  s->orelse = syn_block(lx, clauses);
  return enclose(lx, s);
}

SynStmt *syn_clause(Lexer *lx, Span at, const char *word, SynExpr *what, Name name, SynBlock body) {
  SynStmt *s = syn_stmt_value(lx, SYN_TRY, at, at.line, what);
  s->text = name ? arena_printf(lx->arena, "%s %s", word, name) : word;
  s->body = body;
  if (body.len) s->end_line = body.stmts[body.len - 1]->end_line;
  return s;
}

SynParam *syn_param(Lexer *lx, Span at, char star, Name name, SynExpr *ann, SynExpr *dflt) {
  SynParam *p = NEW(lx->arena, SynParam);
  *p = (SynParam){.at = at, .name = name, .annotation = ann, .default_value = dflt, .star = star};
  return p;
}

SynDef *syn_def(Lexer *lx, Name name, Span name_at, SynParams params, SynExpr *returns) {
  SynDef *d = NEW(lx->arena, SynDef);
  d->name = name;
  d->name_at = name_at;
  d->params = NEW_ARRAY(lx->arena, SynParam, params.n);
  for (SynParam *p = params.head; p; p = p->next) d->params[d->nparams++] = *p;
  d->returns = returns;
  return d;
}

SynStmt *syn_definition(Lexer *lx, SynStmtKind kind, Span at, SynExprList decorators, SynDef *def,
                        SynBlock body) {
  SynStmt *s = syn_stmt(lx, kind, at, at.line);
  def->decorators = decorators.items;
  def->ndecorators = decorators.n;
  def->body = body;
  s->def = def;
  s->body = body;
  return enclose(lx, s);
}

/* ---------------------------------------------------------------- for messages */

const char *syn_kind_name(const SynExpr *e) {
  switch (e->kind) {
    case SYN_NAME: return "a name";
    case SYN_INT: return "an integer";
    case SYN_FLOAT: return "a number";
    case SYN_STR: return "a string";
    case SYN_TRUE: return "True";
    case SYN_FALSE: return "False";
    case SYN_NONE: return "None";
    case SYN_ELLIPSIS: return "'...'";
    case SYN_FSTRING:
    case SYN_FFIELD: return "an f-string";
    case SYN_ATTR: return "an attribute";
    case SYN_SUBSCRIPT: return "a subscript";
    case SYN_SLICE: return "a slice";
    case SYN_CALL: return "a call";
    case SYN_UNARY:
    case SYN_BINARY:
    case SYN_BOOL: return "an expression";
    case SYN_COMPARE: return "a comparison";
    case SYN_TUPLE: return "a tuple";
    case SYN_LIST: return "a list";
    case SYN_SET: return "a set";
    case SYN_DICT: return "a dict";
    case SYN_COND: return "a conditional expression";
    case SYN_LAMBDA: return "a lambda";
    case SYN_COMP: return "a comprehension";
    case SYN_STAR: return "a starred expression";
    case SYN_WALRUS: return "':='";
  }
  return "an expression";
}
