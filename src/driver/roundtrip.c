#include "driver/roundtrip.h"

#include "ir/equal.h"
#include "ir/print.h"
#include "parser/parser.h"

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
    diag_error(ir->diag, NO_SPAN, "the printed IR reads back as another program: %s", buf_str(&why));
  if (!q) diag_note(ir->diag, NO_SPAN, "the IR printed after %s cannot be read back", after);
  ir->diag->source = original;
  buf_free(&text);
  buf_free(&why);
  return ok;
}
