/* string.c -- string literals: prefixes, escapes, f-strings. */
#include <string.h>

#include "lexer/lexer.h"
#include "lexer/syntax_make.h"

enum { MAX_FSTRING_NESTING = 8 };

typedef struct Literal {
  Lexer *lx;
  const char *text; /* between the quotes */
  size_t len;
  Span at; /* of text[0] */
  bool raw, triple;
} Literal;

static void put_utf8(Buf *out, uint32_t c) {
  if (c < 0x80) {
    buf_putc(out, (char)c);
  } else if (c < 0x800) {
    buf_putc(out, (char)(0xc0 | c >> 6));
    buf_putc(out, (char)(0x80 | (c & 0x3f)));
  } else if (c < 0x10000) {
    buf_putc(out, (char)(0xe0 | c >> 12));
    buf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
    buf_putc(out, (char)(0x80 | (c & 0x3f)));
  } else {
    buf_putc(out, (char)(0xf0 | c >> 18));
    buf_putc(out, (char)(0x80 | (c >> 12 & 0x3f)));
    buf_putc(out, (char)(0x80 | (c >> 6 & 0x3f)));
    buf_putc(out, (char)(0x80 | (c & 0x3f)));
  }
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c |= 0x20;
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The value of `n` hex digits at s[0..len), or -1. */
static int64_t hex_value(const char *s, size_t len, size_t n) {
  if (len < n) return -1;
  int64_t v = 0;
  for (size_t i = 0; i < n; i++) {
    int d = hex_digit(s[i]);
    if (d < 0) return -1;
    v = v * 16 + d;
  }
  return v;
}

/* Moves a place over s[0..n). */
static Span advance(Span at, const char *s, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (s[i] == '\n') {
      at.line++;
      at.col = 1;
    } else if (((unsigned char)s[i] & 0xc0) != 0x80) {
      at.col++;
    }
  }
  return at;
}

/* Decodes the escape at s[1..len); returns its length with the backslash, 0 after an error. */
static size_t escape(const Literal *lit, Buf *out, const char *s, size_t len, Span at) {
  static const char simple[] = "\\\\''\"\"a\ab\bf\fn\nr\rt\tv\v";
  for (const char *p = simple; *p; p += 2) {
    if (*p != s[1]) continue;
    buf_putc(out, p[1]);
    return 2;
  }
  if (s[1] == '\n') return 2;
  if (s[1] == '\r') return len > 2 && s[2] == '\n' ? 3 : 2;
  if (s[1] >= '0' && s[1] <= '7') {
    uint32_t v = 0;
    size_t n = 1;
    while (n < 4 && n < len && s[n] >= '0' && s[n] <= '7') v = v * 8 + (uint32_t)(s[n++] - '0');
    put_utf8(out, v);
    return n;
  }
  size_t digits = s[1] == 'x' ? 2 : s[1] == 'u' ? 4 : s[1] == 'U' ? 8 : 0;
  if (!digits) { /* Python keeps an unknown escape as it is */
    buf_write(out, s, 2);
    return 2;
  }
  int64_t v = hex_value(s + 2, len - 2, digits);
  if (v < 0 || v > 0x10ffff) {
    diag_error(lit->lx->diag, at, "'\\%c' needs %zu hexadecimal digits of a character", s[1],
               digits);
    lit->lx->failed = true;
    return 0;
  }
  put_utf8(out, (uint32_t)v);
  return 2 + digits;
}

static SynText take_text(Lexer *lx, Buf *b) {
  SynText t = {arena_strndup(lx->arena, buf_str(b), b->len), b->len};
  buf_free(b);
  return t;
}

/* Blanks at s[0..len) up to the end of the line, if there is nothing else on it. */
static size_t blank_line(const char *s, size_t len) {
  size_t n = 0;
  while (n < len && (s[n] == ' ' || s[n] == '\t')) n++;
  return n < len && (s[n] == '\n' || s[n] == '\r') ? n : 0;
}

static bool decode(const Literal *lit, SynText *text) {
  Buf out = {0};
  bool in_class = lit->lx->depth > 0; /* there a line of blanks within a string is an empty line */
  for (size_t i = 0; i < lit->len;) {
    if (lit->text[i] == '\\' && !lit->raw && i + 1 < lit->len) {
      size_t n = escape(lit, &out, lit->text + i, lit->len - i, advance(lit->at, lit->text, i));
      if (!n) {
        buf_free(&out);
        return false;
      }
      i += n;
    } else if (lit->text[i] == '\r' && i + 1 < lit->len && lit->text[i + 1] == '\n') {
      i++; /* a line end within a string is always one newline */
    } else {
      bool newline = lit->text[i] == '\n';
      buf_putc(&out, lit->text[i++]);
      if (newline && in_class) i += blank_line(lit->text + i, lit->len - i);
    }
  }
  *text = take_text(lit->lx, &out);
  return true;
}

/* ---------------------------------------------------------------- f-strings */

static SynExpr *fail_at(Lexer *lx, Span at, const char *message) {
  diag_error(lx->diag, at, "%s", message);
  lx->failed = true;
  return NULL;
}

/* Length of the expression of a field: up to '}', '!' or ':' outside brackets and strings. */
static size_t field_length(const char *s, size_t len) {
  int depth = 0;
  char quote = 0;
  for (size_t i = 0; i < len; i++) {
    char c = s[i];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      depth++;
    } else if (depth && (c == ')' || c == ']' || c == '}')) {
      depth--;
    } else if (!depth && (c == '}' || c == ':' || (c == '!' && i + 1 < len && s[i + 1] != '='))) {
      return i;
    }
  }
  return len;
}

static SynExpr *read_expression(Lexer *outer, const char *text, size_t len, Span at) {
  if (outer->fstrings == MAX_FSTRING_NESTING)
    return fail_at(outer, at, "f-strings are nested too deep");
  Lexer lx;
  lexer_init(&lx, outer->arena, outer->names, outer->diag, text, len, at, true);
  lx.fstrings = outer->fstrings + 1;
  SynResult result = {0};
  bool ok = yyparse(&lx, &result) == 0;
  lexer_free(&lx);
  if (!ok) outer->failed = true;
  return ok ? result.expr : NULL;
}

/* {expression!r:format}; *used is the length with both braces. */
static SynExpr *read_field(const Literal *lit, size_t from, size_t *used) {
  Lexer *lx = lit->lx;
  const char *s = lit->text + from + 1;
  size_t rest = lit->len - from - 1, n = field_length(s, rest);
  Span at = advance(lit->at, lit->text, from + 1);
  if (n == rest) return fail_at(lx, at, "this field of an f-string is not closed");
  size_t blank = 0;
  while (blank < n && (s[blank] == ' ' || s[blank] == '\n')) blank++;
  if (blank == n) return fail_at(lx, at, "this field of an f-string is empty");
  bool self = s[n - 1] == '='; /* f"{x=}" */
  SynExpr *value = read_expression(lx, s, self ? n - 1 : n, at);
  if (!value) return NULL;

  size_t end = n;
  for (int depth = 1; end < rest; end++) { /* the format may hold fields itself */
    depth += s[end] == '{' ? 1 : s[end] == '}' ? -1 : 0;
    if (!depth) break;
  }
  if (end == rest) return fail_at(lx, at, "this field of an f-string is not closed");
  size_t tail = self ? n - 1 : n;
  *used = end + 2;
  return syn_field(lx, value,
                   (SynText){arena_strndup(lx->arena, s + tail, end - tail), end - tail});
}

static bool add_text(const Literal *lit, SynExprList *parts, Buf *raw, Span at) {
  if (!raw->len) return true;
  Literal piece = *lit;
  piece.text = buf_str(raw);
  piece.len = raw->len;
  piece.at = at;
  SynText text;
  bool ok = decode(&piece, &text);
  buf_free(raw);
  if (ok) *parts = syn_exprs_add(lit->lx, *parts, syn_string(lit->lx, at, at.line, text));
  return ok;
}

static SynExpr *read_fstring(const Literal *lit, Span at, uint32_t end_line) {
  SynExprList parts = {0};
  Buf raw = {0};
  Span piece_at = lit->at;
  for (size_t i = 0; i < lit->len;) {
    char c = lit->text[i];
    bool doubled = i + 1 < lit->len && lit->text[i + 1] == c;
    if ((c == '{' || c == '}') && doubled) {
      buf_putc(&raw, c);
      i += 2;
    } else if (c == '}') {
      buf_free(&raw);
      return fail_at(lit->lx, advance(lit->at, lit->text, i),
                     "a single '}' in an f-string is written '}}'");
    } else if (c != '{') {
      buf_putc(&raw, c);
      i++;
    } else {
      size_t used = 0;
      if (!add_text(lit, &parts, &raw, piece_at)) return NULL;
      SynExpr *field = read_field(lit, i, &used);
      if (!field) return NULL;
      parts = syn_exprs_add(lit->lx, parts, field);
      i += used;
      piece_at = advance(lit->at, lit->text, i);
    }
  }
  if (!add_text(lit, &parts, &raw, piece_at)) return NULL;
  return syn_sequence(lit->lx, SYN_FSTRING, at, end_line, parts);
}

int lexer_string(Lexer *lx, YYSTYPE *value, const char *text, size_t len, Span at) {
  Literal lit = {.lx = lx};
  bool format = false;
  size_t prefix = 0;
  for (; text[prefix] != '\'' && text[prefix] != '"'; prefix++) {
    char c = text[prefix] | 0x20;
    if (c == 'r') lit.raw = true;
    if (c == 'f') format = true;
  }
  lit.triple =
      len >= prefix + 6 && text[prefix + 1] == text[prefix] && text[prefix + 2] == text[prefix];
  size_t quotes = lit.triple ? 3 : 1;
  lit.text = text + prefix + quotes;
  lit.len = len - prefix - 2 * quotes;
  lit.at = (Span){at.line, at.col + (uint32_t)(prefix + quotes)};
  if (format) {
    value->expr = read_fstring(&lit, at, lx->line);
  } else {
    SynText decoded;
    value->expr = decode(&lit, &decoded) ? syn_string(lx, at, lx->line, decoded) : NULL;
  }
  if (value->expr) return STRING;
  lx->failed = true;
  return YYUNDEF;
}
