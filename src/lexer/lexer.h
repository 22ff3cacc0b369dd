/* lexer.h -- from text to tokens, with Python's rules for lines and indentation.
 *
 * lexer.l splits a physical line; lexer.c adds what Python asks for around it:
 * INDENT and DEDENT, lines joined inside brackets, the final NEWLINE, and the
 * passing over of host code (statements at the left margin that belong to no
 * kernel).  Comments are no tokens: they are gathered aside, in source order.
 */
#ifndef PYPTOC_LEXER_LEXER_H
#define PYPTOC_LEXER_LEXER_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/name.h"
#include "base/vec.h"
#include "lexer/syntax_nodes.h"

#include "grammar.h"

struct Lexer {
  Arena *arena;
  NameTable *names;
  Diag *diag;
  const Source *source;
  void *scanner;      /* flex's own state */
  uint32_t line, col; /* of the next character */
  VEC(SynComment) comments;

  /* Brackets open at this point; lines are joined while there are any. */
  struct LexBracket {
    char open;
    Span at;
  } * brackets;
  size_t nbrackets, brackets_cap;

  /* Widths of the open blocks, with tabs to columns of 8 and of 1: a file whose
   * blocks depend on the width of a tab is refused. */
  uint32_t indent[SYN_MAX_INDENT + 1], indent1[SYN_MAX_INDENT + 1];
  int depth;
  int dedents;     /* DEDENT tokens still owed */
  bool line_start; /* the next token begins a logical line */
  bool decorated;  /* the line before began with '@' */
  bool expression; /* one expression is read, no module */
  int start;       /* token that chooses what is read, 0 once it was given */
  int fstrings;    /* f-strings this text is within */
  bool failed;     /* an error was reported; the parser adds none */
  bool has_held;   /* a token was read ahead */
  int held;
  YYSTYPE held_value;
  YYLTYPE held_place;
};

/* Prepares to read text[0..len) whose first character stands at `at`: a module, or one expression. */
void lexer_init(Lexer *lx, Arena *arena, NameTable *names, Diag *diag, const char *text, size_t len,
                Span at, bool expression);
void lexer_free(Lexer *lx);

/* The next token, as bison numbers them; 0 at the end.  Errors are reported here and give YYUNDEF. */
int lexer_next(YYSTYPE *value, YYLTYPE *place, Lexer *lx);

/* Is text[0..len) a word that the language has for itself, and no name? */
bool lexer_is_keyword(const char *text, size_t len);

/* For lexer.l: a bracket opens or closes (reports a wrong one; false then). */
bool lexer_open(Lexer *lx, char c, Span at);
bool lexer_close(Lexer *lx, char c, Span at);
/* Decodes the literal text[0..len), prefix and quotes included, into a token value; the token or YYUNDEF. */
int lexer_string(Lexer *lx, YYSTYPE *value, const char *text, size_t len, Span at);
int lexer_number(Lexer *lx, YYSTYPE *value, const char *text, size_t len, Span at);
int lexer_word(Lexer *lx, YYSTYPE *value, const char *text, size_t len, Span at);
/* A line that begins with blank[0..len) and then code: INDENT, DEDENT, 0 for neither, YYUNDEF. */
int lexer_indent(Lexer *lx, const char *blank, size_t len);

/* In lexer.l: what follows begins a line. */
void lexer_begin_line(void *scanner);

#endif
