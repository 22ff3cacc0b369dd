#include "lexer/lexer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lexer_gen.h"

static int fail(Lexer *lx) {
  lx->failed = true;
  return YYUNDEF;
}

/* ---------------------------------------------------------------- brackets and indentation */

bool lexer_open(Lexer *lx, char c, Span at) {
  if (lx->nbrackets == SYN_MAX_DEPTH) {
    diag_error(lx->diag, at, "brackets are nested deeper than %d", SYN_MAX_DEPTH);
    return false;
  }
  if (lx->nbrackets == lx->brackets_cap) {
    lx->brackets_cap = lx->brackets_cap ? 2 * lx->brackets_cap : 16;
    lx->brackets = xrealloc(lx->brackets, lx->brackets_cap * sizeof *lx->brackets);
  }
  lx->brackets[lx->nbrackets].open = c;
  lx->brackets[lx->nbrackets++].at = at;
  return true;
}

bool lexer_close(Lexer *lx, char c, Span at) {
  if (lx->nbrackets == 0) {
    diag_error(lx->diag, at, "'%c' closes nothing", c);
    return false;
  }
  char open = lx->brackets[--lx->nbrackets].open;
  char want = open == '(' ? ')' : open == '[' ? ']' : '}';
  if (c == want) return true;
  diag_error(lx->diag, at, "'%c' does not close '%c'", c, open);
  diag_note(lx->diag, lx->brackets[lx->nbrackets].at, "'%c' was opened here", open);
  return false;
}

int lexer_indent(Lexer *lx, const char *blank, size_t len) {
  uint32_t width = 0, width1 = 0;
  for (size_t i = 0; i < len; i++) {
    if (blank[i] == '\f') {
      width = width1 = 0;
    } else {
      width = blank[i] == '\t' ? (width / 8 + 1) * 8 : width + 1;
      width1++;
    }
  }
  Span at = {lx->line, lx->col};
  uint32_t top = lx->indent[lx->depth], top1 = lx->indent1[lx->depth];
  if ((width > top) != (width1 > top1) || (width == top) != (width1 == top1)) {
    diag_error(lx->diag, at, "tabs and spaces are mixed in this indentation");
    return YYUNDEF;
  }
  if (width > top) {
    if (lx->depth == SYN_MAX_INDENT) {
      diag_error(lx->diag, at, "blocks are nested deeper than %d", SYN_MAX_INDENT);
      return YYUNDEF;
    }
    lx->depth++;
    lx->indent[lx->depth] = width;
    lx->indent1[lx->depth] = width1;
    return INDENT;
  }
  while (width < lx->indent[lx->depth]) {
    lx->depth--;
    lx->dedents++;
  }
  if (width != lx->indent[lx->depth]) {
    diag_error(lx->diag, at, "this indentation matches no block that is open");
    return YYUNDEF;
  }
  if (!lx->dedents) return 0;
  lx->dedents--;
  return DEDENT;
}

/* ---------------------------------------------------------------- words and numbers */

static const struct {
  const char *text;
  int token;
} keywords[] = {
    {"False", KW_FALSE},
    {"None", KW_NONE},
    {"True", KW_TRUE},
    {"and", KW_AND},
    {"as", KW_AS},
    {"assert", KW_ASSERT},
    {"async", KW_ASYNC},
    {"await", KW_AWAIT},
    {"break", KW_BREAK},
    {"class", KW_CLASS},
    {"continue", KW_CONTINUE},
    {"def", KW_DEF},
    {"del", KW_DEL},
    {"elif", KW_ELIF},
    {"else", KW_ELSE},
    {"except", KW_EXCEPT},
    {"finally", KW_FINALLY},
    {"for", KW_FOR},
    {"from", KW_FROM},
    {"global", KW_GLOBAL},
    {"if", KW_IF},
    {"import", KW_IMPORT},
    {"in", KW_IN},
    {"is", KW_IS},
    {"lambda", KW_LAMBDA},
    {"nonlocal", KW_NONLOCAL},
    {"not", KW_NOT},
    {"or", KW_OR},
    {"pass", KW_PASS},
    {"raise", KW_RAISE},
    {"return", KW_RETURN},
    {"try", KW_TRY},
    {"while", KW_WHILE},
    {"with", KW_WITH},
    {"yield", KW_YIELD},
};

/* Punctuation that an input method types in place of ASCII; all else above 0x7f may stand in names. */
static const struct {
  const char *wide, *ascii;
} lookalikes[] = {
    {"\uff08", "("}, {"\uff09", ")"}, {"\uff0c", ","}, {"\uff1a", ":"},  {"\uff1b", ";"},
    {"\uff1d", "="}, {"\uff0b", "+"}, {"\uff0d", "-"}, {"\uff0f", "/"},  {"\u3002", "."},
    {"\u3001", ","}, {"\u3010", "["}, {"\u3011", "]"}, {"\u201c", "\""}, {"\u201d", "\""},
    {"\u2018", "'"}, {"\u2019", "'"}, {"\u00d7", "*"}, {"\u00a0", " "},  {"\u3000", " "},
    {"\uff5b", "{"}, {"\uff5d", "}"}, {"\u2212", "-"}, {"\u2013", "-"},
};

static bool is_ascii_word(const char *text, size_t len) {
  for (size_t i = 0; i < len; i++)
    if ((unsigned char)text[i] >= 0x80) return false;
  return true;
}

/* Reports the first character of a word that cannot be part of a name. */
static bool check_word(Lexer *lx, const char *text, size_t len, Span at) {
  for (size_t i = 0; i < len; i++) {
    if (((unsigned char)text[i] & 0xc0) == 0x80) continue;
    for (size_t k = 0; k < sizeof lookalikes / sizeof *lookalikes; k++) {
      size_t n = strlen(lookalikes[k].wide);
      if (len - i >= n && memcmp(text + i, lookalikes[k].wide, n) == 0) {
        diag_error(lx->diag, at, "'%s' means nothing here: write '%s'", lookalikes[k].wide,
                   lookalikes[k].ascii);
        return false;
      }
    }
    at.col++;
  }
  return true;
}

/* The token of the keyword text[0..len); NAME if it is none. */
static int keyword_token(const char *text, size_t len) {
  for (size_t lo = 0, hi = sizeof keywords / sizeof *keywords; lo < hi;) {
    size_t mid = (lo + hi) / 2;
    int c = strncmp(text, keywords[mid].text, len);
    if (c == 0 && keywords[mid].text[len]) c = -1;
    if (c == 0) return keywords[mid].token;
    if (c < 0)
      hi = mid;
    else
      lo = mid + 1;
  }
  return NAME;
}

bool lexer_is_keyword(const char *text, size_t len) { return keyword_token(text, len) != NAME; }

int lexer_word(Lexer *lx, YYSTYPE *value, const char *text, size_t len, Span at) {
  int token = keyword_token(text, len);
  if (token != NAME) return token;
  if (!is_ascii_word(text, len) && !check_word(lx, text, len, at)) return fail(lx);
  value->name = name_ofn(lx->names, text, len);
  return NAME;
}

static int integer_literal(Lexer *lx, YYSTYPE *value, const char *digits, int base, Span at) {
  uint64_t v = 0;
  for (const char *p = digits; *p; p++) {
    uint64_t d = *p <= '9' ? (uint64_t)(*p - '0') : (uint64_t)((*p | 0x20) - 'a' + 10);
    if (v > (UINT64_MAX - d) / (uint64_t)base) {
      v = UINT64_MAX;
      break;
    }
    v = v * (uint64_t)base + d;
  }
  /* 2^63 is let through for the sake of -2^63; the tree marks it (see syn_integer). */
  if (v > (uint64_t)INT64_MAX + 1) {
    diag_error(lx->diag, at, "this integer does not fit in 64 bits");
    return fail(lx);
  }
  value->integer = v;
  return INTEGER;
}

int lexer_number(Lexer *lx, YYSTYPE *value, const char *text, size_t len, Span at) {
  char *digits = NEW_ARRAY(lx->arena, char, len + 1);
  size_t n = 0;
  for (size_t i = 0; i < len; i++)
    if (text[i] != '_') digits[n++] = text[i];
  int base = 10;
  if (n > 2 && digits[0] == '0') {
    char c = digits[1] | 0x20;
    base = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 10;
  }
  if (base != 10) return integer_literal(lx, value, digits + 2, base, at);
  if (strpbrk(digits, ".eE")) {
    value->real = strtod(digits, NULL);
    return REAL;
  }
  if (n > 1 && digits[0] == '0' && strspn(digits, "0") != n) {
    diag_error(lx->diag, at, "an integer may not begin with 0: write 0o%s for octal", digits + 1);
    return fail(lx);
  }
  return integer_literal(lx, value, digits, 10, at);
}

/* ---------------------------------------------------------------- the stream */

void lexer_init(Lexer *lx, Arena *arena, NameTable *names, Diag *diag, const char *text, size_t len,
                Span at, bool expression) {
  memset(lx, 0, sizeof *lx);
  lx->arena = arena;
  lx->names = names;
  lx->diag = diag;
  lx->line = at.line;
  lx->col = at.col;
  lx->line_start = true;
  lx->expression = expression;
  lx->start = expression ? START_EXPR : START_MODULE;
  lex_lex_init_extra(lx, &lx->scanner);
  /* A last line without its newline gets one, so that no rule need think of it. */
  Buf padded = {0};
  if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, len -= 3;
  buf_write(&padded, text, len);
  if (!len || text[len - 1] != '\n') buf_putc(&padded, '\n');
  lex__scan_bytes(buf_str(&padded), (int)padded.len, lx->scanner);
  buf_free(&padded);
  if (!expression) lexer_begin_line(lx->scanner);
}

void lexer_free(Lexer *lx) {
  lex_lex_destroy(lx->scanner);
  vec_free(&lx->comments);
  free(lx->brackets);
}

static int at_end(Lexer *lx) {
  if (lx->nbrackets) {
    diag_error(lx->diag, lx->brackets[lx->nbrackets - 1].at, "'%c' is never closed",
               lx->brackets[lx->nbrackets - 1].open);
    return fail(lx);
  }
  if (lx->depth == 0) return YYEOF;
  lx->depth--;
  return DEDENT;
}

/* The next token with DEDENTs filled in. */
static int next_token(YYSTYPE *value, YYLTYPE *place, Lexer *lx) {
  if (lx->dedents) {
    lx->dedents--;
    return DEDENT;
  }
  int t = lex_lex(value, place, lx->scanner);
  if (t == 0) return at_end(lx);
  if (t == YYUNDEF) lx->failed = true;
  return t;
}

/* Words that begin a statement which, undecorated at the left margin, can only be host code. */
static bool begins_host_code(int token) {
  switch (token) {
    case KW_IF:
    case KW_FOR:
    case KW_WHILE:
    case KW_TRY:
    case KW_WITH:
    case KW_ASYNC:
    case KW_DEF:
    case KW_CLASS:
    case KW_ASSERT:
    case KW_DEL:
    case KW_RAISE: return true;
    default: return false;
  }
}

static bool continues_host_code(int token) {
  return token == KW_ELIF || token == KW_ELSE || token == KW_EXCEPT || token == KW_FINALLY;
}

/* Passes over a statement at the left margin and the clauses that belong to it; gives the token after
 * it, which was read already. */
static int skip_host_code(Lexer *lx, YYSTYPE *value, YYLTYPE *place) {
  for (;;) {
    int t;
    while ((t = next_token(value, place, lx)) != NEWLINE)
      if (t == YYEOF || t == YYUNDEF) return t;
    t = next_token(value, place, lx);
    if (t == INDENT) {
      for (int depth = 1; depth > 0;) {
        t = next_token(value, place, lx);
        if (t == YYEOF || t == YYUNDEF) return t;
        depth += t == INDENT ? 1 : t == DEDENT ? -1 : 0;
      }
      t = next_token(value, place, lx);
    }
    if (!continues_host_code(t)) return t;
  }
}

static int take_held(YYSTYPE *value, YYLTYPE *place, Lexer *lx) {
  *value = lx->held_value;
  *place = lx->held_place;
  lx->has_held = false;
  return lx->held;
}

int lexer_next(YYSTYPE *value, YYLTYPE *place, Lexer *lx) {
  if (lx->start) {
    int start = lx->start;
    lx->start = 0;
    *place = (YYLTYPE){(int)lx->line, (int)lx->col, (int)lx->line, (int)lx->col};
    return start;
  }
  int t = lx->has_held ? take_held(value, place, lx) : next_token(value, place, lx);
  if (lx->expression) { /* stands in brackets: its lines are joined */
    while (t == NEWLINE) t = next_token(value, place, lx);
    return t;
  }
  if (lx->line_start && t != NEWLINE && t != INDENT && t != DEDENT) {
    if (lx->depth == 0 && !lx->decorated && begins_host_code(t)) {
      YYLTYPE at = *place;
      lx->held = skip_host_code(lx, &lx->held_value, &lx->held_place);
      lx->has_held = true;
      *place = at;
      return HOST_CODE;
    }
    lx->decorated = t == '@';
  }
  lx->line_start = t == NEWLINE || t == INDENT || t == DEDENT;
  return t;
}
