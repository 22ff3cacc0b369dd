#include "parser/syntax.h"

#include <string.h>

#include "lexer/lexer.h"

/* ---------------------------------------------------------------- reading */

/* Reports the first byte that is no UTF-8 text. */
static bool check_utf8(Diag *diag, const char *text, size_t len) {
  Span at = {1, 1};
  for (size_t i = 0; i < len;) {
    unsigned char c = (unsigned char)text[i];
    size_t n = c < 0x80                ? 1
               : c >= 0xc2 && c < 0xe0 ? 2
               : (c & 0xf0) == 0xe0    ? 3
               : c >= 0xf0 && c < 0xf5 ? 4
                                       : 0;
    if (c == 0) {
      diag_error(diag, at, "the source holds a NUL byte: it is no text");
      return false;
    }
    bool ok = n && i + n <= len;
    for (size_t k = 1; ok && k < n; k++) ok = ((unsigned char)text[i + k] & 0xc0) == 0x80;
    if (!ok) {
      diag_error(diag, at, "byte 0x%02x is no UTF-8 text", c);
      return false;
    }
    i += n;
    at.col++;
    if (c == '\n') at = (Span){at.line + 1, 1};
  }
  return true;
}

SynModule *syntax_parse(Arena *arena, NameTable *names, Diag *diag, const Source *source) {
  enum { MAX_SOURCE = 1 << 30 }; /* places and flex count in 32 bits */
  if (source->len > MAX_SOURCE) {
    diag_error(diag, NO_SPAN, "the source is larger than %d MiB", MAX_SOURCE >> 20);
    return NULL;
  }
  if (!check_utf8(diag, source->text, source->len)) return NULL;
  Lexer lx;
  lexer_init(&lx, arena, names, diag, source->text, source->len, (Span){1, 1}, false);
  SynResult result = {0};
  SynModule *m = NULL;
  if (yyparse(&lx, &result) == 0 && !lx.failed) {
    m = NEW(arena, SynModule);
    m->body = result.module;
    m->ncomments = lx.comments.len;
    m->comments = vec_to_arena(&lx.comments, arena);
  }
  lexer_free(&lx);
  return m;
}

/* ---------------------------------------------------------------- help for readers of the tree */

bool syn_is_attr_of(const SynExpr *e, Name base, Name attr) {
  return e && e->kind == SYN_ATTR && e->name == attr && e->lhs->kind == SYN_NAME &&
         e->lhs->name == base;
}

bool syn_is_call_of(const SynExpr *e, Name base, Name attr) {
  return e && e->kind == SYN_CALL && syn_is_attr_of(e->lhs, base, attr);
}

size_t syn_path(const SynExpr *e, Name *path, size_t max) {
  size_t n = 1;
  for (const SynExpr *p = e; p->kind == SYN_ATTR; p = p->lhs) n++;
  if (n > max) return 0;
  for (size_t i = n; --i > 0; e = e->lhs) path[i] = e->name;
  if (e->kind != SYN_NAME) return 0;
  path[0] = e->name;
  return n;
}

const SynKeyword *syn_keyword(const SynExpr *call, Name name) {
  for (size_t i = 0; i < call->nkwargs; i++)
    if (call->kwargs[i].name == name) return &call->kwargs[i];
  return NULL;
}

/* Where a node of the kind has children by name, and lists of them. */
enum { HAS_LHS = 1, HAS_RHS = 2, HAS_THIRD = 4, HAS_ITEMS = 8, HAS_KEYS = 16 };

static int children_of(const SynExpr *e) {
  switch (e->kind) {
    case SYN_ATTR:
    case SYN_UNARY:
    case SYN_LAMBDA:
    case SYN_STAR:
    case SYN_WALRUS: return HAS_LHS;
    case SYN_SUBSCRIPT:
    case SYN_BINARY:
    case SYN_COMP: return HAS_LHS | HAS_RHS;
    case SYN_SLICE:
    case SYN_COND: return HAS_LHS | HAS_RHS | HAS_THIRD;
    case SYN_FFIELD: return HAS_THIRD;
    case SYN_CALL: return HAS_LHS | HAS_ITEMS | HAS_KEYS;
    case SYN_DICT: return HAS_KEYS;
    case SYN_FSTRING:
    case SYN_COMPARE:
    case SYN_BOOL:
    case SYN_TUPLE:
    case SYN_LIST:
    case SYN_SET: return HAS_ITEMS;
    default: return 0;
  }
}

static bool walk_clauses(const SynExpr *e, bool (*visit)(const SynExpr *e, void *ctx), void *ctx) {
  for (size_t i = 0; i < e->nkwargs; i++) {
    const SynClause *c = &e->clauses[i];
    if (!syn_walk(c->target, visit, ctx) || !syn_walk(c->iter, visit, ctx)) return false;
    for (size_t k = 0; k < c->ntests; k++)
      if (!syn_walk(c->tests[k], visit, ctx)) return false;
  }
  return true;
}

bool syn_walk(const SynExpr *e, bool (*visit)(const SynExpr *e, void *ctx), void *ctx) {
  if (!e) return true;
  if (!visit(e, ctx)) return false;
  int has = children_of(e);
  if (has & HAS_LHS && !syn_walk(e->lhs, visit, ctx)) return false;
  if (has & HAS_RHS && !syn_walk(e->rhs, visit, ctx)) return false;
  if (has & HAS_THIRD && !syn_walk(e->third, visit, ctx)) return false;
  for (size_t i = 0; has & HAS_ITEMS && i < e->nitems; i++)
    if (!syn_walk(e->items[i], visit, ctx)) return false;
  for (size_t i = 0; has & HAS_KEYS && i < e->nkwargs; i++) {
    if (e->kind == SYN_DICT && !syn_walk(e->kwargs[i].key, visit, ctx)) return false;
    if (!syn_walk(e->kwargs[i].value, visit, ctx)) return false;
  }
  return e->kind != SYN_COMP || walk_clauses(e, visit, ctx);
}

bool syn_walk_block(const SynBlock *b, bool (*visit)(const SynExpr *e, void *ctx), void *ctx) {
  for (size_t i = 0; i < b->len; i++) {
    const SynStmt *s = b->stmts[i];
    for (size_t k = 0; k < s->ntargets; k++)
      if (!syn_walk(s->targets[k], visit, ctx)) return false;
    if (!syn_walk(s->annotation, visit, ctx) || !syn_walk(s->value, visit, ctx)) return false;
    for (size_t k = 0; k < s->nitems; k++)
      if (!syn_walk(s->items[k].context, visit, ctx)) return false;
    if (!syn_walk_block(&s->body, visit, ctx) || !syn_walk_block(&s->orelse, visit, ctx))
      return false;
  }
  return true;
}

const char *syn_text(Arena *arena, const SynExpr *e) {
  Buf b = {0};
  syn_print_expr(&b, e);
  enum { MAX_SHOWN = 60 };
  const char *text = b.len > MAX_SHOWN ? arena_printf(arena, "%.*s...", MAX_SHOWN - 3, buf_str(&b))
                                       : arena_strndup(arena, buf_str(&b), b.len);
  buf_free(&b);
  return text;
}
