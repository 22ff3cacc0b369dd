/* fuzz_parser.c -- libFuzzer on the front end: any bytes must parse or be refused, and what parses
 * must print.  Messages are counted, not printed. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "ir/ir.h"
#include "ir/print.h"
#include "parser/parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Arena arena;
  Diag diag;
  Ir ir;
  arena_init(&arena);
  Source source = {.path = "fuzz.pir", .text = arena_strndup(&arena, (const char *)data, size), .len = size};
  diag_init(&diag, &arena, &source);
  diag.quiet = true;
  ir_init(&ir, &arena, &diag);
  Program *p = parse_program(&ir);
  if (!p && diag.errors == 0) abort(); /* refused without a message */
  if (p && diag.errors == 0) {
    Buf text = {0};
    print_program(&text, &ir, p, &(PrintOptions){0});
    buf_free(&text);
  }
  ir_free(&ir);
  arena_free(&arena);
  return 0;
}
