/* unbuilt.c -- stands in for parts that have not landed yet; each line goes when its part comes. */
#include "codegen/codegen.h"
#include "parser/parser.h"

#define WEAK __attribute__((weak))
WEAK Program *parse_program(Ir *ir) {
  diag_error(ir->diag, NO_SPAN, "the parser is not built yet");
  return NULL;
}
