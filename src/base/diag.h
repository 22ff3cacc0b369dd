/* diag.h -- source text, places in it, and messages about them. */
#ifndef PYPTOC_BASE_DIAG_H
#define PYPTOC_BASE_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/arena.h"

/* A place in a source file.  Lines and columns count from 1, columns in characters (not bytes).
 * A zero line means "nowhere": a node that a pass made up. */
typedef struct Span {
  uint32_t line;
  uint32_t col;
} Span;

#define NO_SPAN ((Span){0, 0})

/* One input, kept whole so that messages can show its lines. */
typedef struct Source {
  const char *path; /* as given on the command line; "<stdin>" for "-" */
  const char *text;
  size_t len;
  size_t *line_start; /* byte offset of each line, built on the first message */
  size_t lines;
} Source;

typedef enum { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE, DIAG_HINT } DiagLevel;
typedef enum { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } ColorMode;

enum { DIAG_MAX_ERRORS = 20 }; /* more are counted, not printed */

/* An error that was kept; without text if there was none. */
typedef struct FirstError {
  Span at;
  const char *text;
} FirstError;

typedef struct Diag {
  Arena *arena;
  Source *source;
  FILE *out;
  ColorMode color;
  bool werror;       /* -Werror */
  bool hints;        /* -Whints: performance advice is printed */
  bool quiet;        /* count, print nothing (speculative typing) */
  FirstError *first; /* if set, takes the first error, and nothing is printed */
  const char *phase; /* the pass at work, named in internal errors */
  int errors, warnings;
} Diag;

void diag_init(Diag *d, Arena *arena, Source *source);

/* Prints `file:line:col: error: ...` with the source line and a caret, and counts it.  A place that is
 * nowhere is printed without line.  Text is one sentence without a full stop, names in 'quotes'. */
void diag_error(Diag *d, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
void diag_warning(Diag *d, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Adds to the error or warning before it. */
void diag_note(Diag *d, Span at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Performance advice, with a code that users know (PH-...). */
void diag_hint(Diag *d, Span at, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void diag_vreport(Diag *d, DiagLevel level, Span at, const char *fmt, va_list ap);

/* A state that must not be: prints the phase, asks for a report, and ends with status 70. */
_Noreturn void diag_internal(Diag *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The candidate closest to `word` if it is close enough to be a slip, else NULL. */
const char *diag_suggest(const char *word, const char *const *candidates, size_t n);

#endif
