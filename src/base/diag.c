#include "base/diag.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_INTERNAL = 70, MAX_SHOWN_LINE = 400 };

void diag_init(Diag *d, Arena *arena, Source *source) {
  *d = (Diag){.arena = arena, .source = source, .out = stderr};
}

static void find_lines(Diag *d) {
  Source *s = d->source;
  size_t n = 1;
  for (size_t i = 0; i < s->len; i++) n += s->text[i] == '\n';
  s->line_start = NEW_ARRAY(d->arena, size_t, n + 1);
  size_t k = 0;
  s->line_start[k++] = 0;
  for (size_t i = 0; i < s->len; i++)
    if (s->text[i] == '\n') s->line_start[k++] = i + 1;
  s->lines = n;
}

static bool is_continuation(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

/* The source line and, under it, a caret at the column; long lines are cut around the caret. */
static void show_line(Diag *d, Span at, const char *green, const char *off) {
  Source *s = d->source;
  if (!s->line_start) find_lines(d);
  if (at.line > s->lines) return;
  const char *line = s->text + s->line_start[at.line - 1];
  const char *end = memchr(line, '\n', s->len - s->line_start[at.line - 1]);
  if (!end) end = s->text + s->len;
  if (end > line && end[-1] == '\r') end--;

  uint32_t col = 1;
  const char *caret = line;
  while (caret < end && col < at.col) {
    caret++;
    while (caret < end && is_continuation(*caret)) caret++;
    col++;
  }
  const char *from = line, *to = end;
  if (caret - from > MAX_SHOWN_LINE / 2) from = caret - MAX_SHOWN_LINE / 2;
  while (from < caret && is_continuation(*from)) from++;
  if (to - from > MAX_SHOWN_LINE) to = from + MAX_SHOWN_LINE;
  while (to < end && is_continuation(*to)) to++;

  fprintf(d->out, "%5u | %.*s\n      | ", at.line, (int)(to - from), from);
  for (const char *p = from; p < caret; p++)
    if (!is_continuation(*p)) fputc(*p == '\t' ? '\t' : ' ', d->out);
  fprintf(d->out, "%s^%s\n", green, off);
}

void diag_vreport(Diag *d, DiagLevel level, Span at, const char *fmt, va_list ap) {
  static const char *const label[] = {"error", "warning", "note", "hint"};
  static const char *const tint[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m", "\033[1;34m"};
  bool promoted = level == DIAG_WARNING && d->werror;
  if (promoted) level = DIAG_ERROR;
  if (level == DIAG_ERROR) d->errors++;
  if (level == DIAG_WARNING) d->warnings++;
  if (d->first && level == DIAG_ERROR && !d->first->text)
    *d->first = (FirstError){at, arena_vprintf(d->arena, fmt, ap)};
  if (d->first || d->quiet || d->errors > DIAG_MAX_ERRORS) return;

  bool color = d->color == COLOR_ALWAYS || (d->color == COLOR_AUTO && isatty(fileno(d->out)));
  const char *bold = color ? "\033[1m" : "", *off = color ? "\033[0m" : "";
  fprintf(d->out, "%s%s", bold, d->source ? d->source->path : "pyptoc");
  if (at.line) fprintf(d->out, ":%u:%u", at.line, at.col);
  fprintf(d->out, ":%s %s%s:%s %s", off, color ? tint[level] : "", label[level], off, bold);
  vfprintf(d->out, fmt, ap);
  fprintf(d->out, "%s%s\n", promoted ? " [-Werror]" : "", off);
  if (at.line && d->source) show_line(d, at, color ? "\033[1;32m" : "", off);
}

#define REPORT(level)                  \
  va_list ap;                          \
  va_start(ap, fmt);                   \
  diag_vreport(d, level, at, fmt, ap); \
  va_end(ap)

void diag_error(Diag *d, Span at, const char *fmt, ...) { REPORT(DIAG_ERROR); }
void diag_warning(Diag *d, Span at, const char *fmt, ...) { REPORT(DIAG_WARNING); }
void diag_note(Diag *d, Span at, const char *fmt, ...) { REPORT(DIAG_NOTE); }

static void report(Diag *d, DiagLevel level, Span at, const char *fmt, ...) { REPORT(level); }

void diag_hint(Diag *d, Span at, const char *code, const char *fmt, ...) {
  if (!d->hints) return;
  va_list ap;
  va_start(ap, fmt);
  report(d, DIAG_HINT, at, "%s [%s]", arena_vprintf(d->arena, fmt, ap), code);
  va_end(ap);
}

void diag_internal(Diag *d, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  fprintf(stderr, "%s: internal error%s%s: ", d->source ? d->source->path : "pyptoc",
          d->phase ? " in " : "", d->phase ? d->phase : "");
  vfprintf(stderr, fmt, ap);
  fputs("\nThis is a defect of pyptoc, not of your program. Please report it with the input.\n",
        stderr);
  va_end(ap);
  exit(EXIT_INTERNAL);
}

/* Edit distance with a bound; names are short, so the quadratic table is small. */
static size_t distance(const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b);
  enum { MAX = 63 };
  if (n > MAX || m > MAX) return MAX;
  size_t row[MAX + 1];
  for (size_t j = 0; j <= m; j++) row[j] = j;
  for (size_t i = 1; i <= n; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= m; j++) {
      size_t best = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      row[j] = best;
    }
  }
  return row[m];
}

const char *diag_suggest(const char *word, const char *const *candidates, size_t n) {
  const char *best = NULL;
  size_t limit = strlen(word) / 3 + 1, best_distance = limit + 1;
  for (size_t i = 0; i < n; i++) {
    size_t d = distance(word, candidates[i]);
    if (d < best_distance) best = candidates[i], best_distance = d;
  }
  return best;
}
