/* syntax.h -- reading a text into the syntax tree, and questions to the tree. */
#ifndef PYPTOC_PARSER_SYNTAX_H
#define PYPTOC_PARSER_SYNTAX_H

#include "lexer/syntax_nodes.h"

/* Reads the whole source.  Returns NULL after a syntax error, which was reported to `diag`. */
SynModule *syntax_parse(Arena *arena, NameTable *names, Diag *diag, const Source *source);

/* ---------------------------------------------------------------- help for readers of the tree */

/* True for `base.attr`. */
bool syn_is_attr_of(const SynExpr *e, Name base, Name attr);
/* True for a call of `base.attr`. */
bool syn_is_call_of(const SynExpr *e, Name base, Name attr);
/* The names of the dotted path `a.b.c` into path[0..max), from the left; their number, or 0 if `e` is
 * no such path or longer than `max`. */
size_t syn_path(const SynExpr *e, Name *path, size_t max);
/* The keyword of that name, or NULL. */
const SynKeyword *syn_keyword(const SynExpr *call, Name name);
/* Calls `visit` for every node below and including `e`, parents first, until it returns false. */
bool syn_walk(const SynExpr *e, bool (*visit)(const SynExpr *e, void *ctx), void *ctx);
bool syn_walk_block(const SynBlock *b, bool (*visit)(const SynExpr *e, void *ctx), void *ctx);

/* Prints as Python's own `unparse` does: for messages and for bodies that are kept as source. */
void syn_print_expr(Buf *out, const SynExpr *e);
void syn_print_stmt(Buf *out, const SynStmt *s, int indent);
/* The text of an expression, in the arena. */
const char *syn_text(Arena *arena, const SynExpr *e);

#endif
