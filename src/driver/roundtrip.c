#include "driver/roundtrip.h"

#include <string.h>

#include "ir/equal.h"
#include "ir/print.h"
#include "parser/parser.h"

/* The first line in which printing again what was read differs, to *line; 0 if the texts are the same. */
static int different_line(const char *a, const char *b, const char **line) {
  int n = 1;
  for (*line = b; *a == *b && *a; a++, b++)
    if (*a == '\n') n++, *line = b + 1;
  return *a == *b ? 0 : n;
}

static bool same_text(Ir *ir, const Program *q, const Buf *text) {
  Buf again = {0};
  print_program(&again, ir, q, &(PrintOptions){0});
  buf_putc(&again, '\n');
  const char *line;
  int n = different_line(buf_str(text), buf_str(&again), &line);
  if (n)
    diag_error(ir->diag, (Span){(uint32_t)n, 1},
               "the printed IR reads back as one that prints '%.*s'", (int)strcspn(line, "\n"),
               line);
  buf_free(&again);
  return n == 0;
}

bool roundtrip_check(Ir *ir, const Program *p, const char *after) {
  Buf text = {0}, why = {0};
  if (!p->nfuncs) return true; /* a class without functions is no text that can be read */
  print_program(&text, ir, p, &(PrintOptions){0});
  buf_putc(&text, '\n');

  /* The printed text is a source of its own while it is parsed, for its places in messages. */
  Source *original = ir->diag->source;
  Source printed = {.path = arena_printf(ir->arena, "<printed after %s>", after),
                    .text = arena_strndup(ir->arena, text.data, text.len),
                    .len = text.len};
  ir->diag->source = &printed;
  Program *q = parse_printed(ir);
  bool ok = q && program_equal(ir, p, q, &why);
  if (q && !ok)
    diag_error(ir->diag, NO_SPAN, "the printed IR reads back as another program: %s",
               buf_str(&why));
  if (ok) ok = same_text(ir, q, &text);
  if (!q) diag_note(ir->diag, NO_SPAN, "the IR printed after %s cannot be read back", after);
  ir->diag->source = original;
  buf_free(&text);
  buf_free(&why);
  return ok;
}
