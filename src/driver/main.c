/* main.c -- pyptoc: a standalone compiler for PyPTO IR. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "driver/compile.h"

/* A list that did not reach its reader whole is a failure. */
static int finish_list(void) {
  if (fflush(stdout) == 0 && !ferror(stdout)) return EXIT_DONE;
  fprintf(stderr, "pyptoc: cannot write '-': %s\n", strerror(errno));
  return EXIT_BAD_INPUT;
}

int main(int argc, char **argv) {
  Options o;
  switch (options_parse(&o, argc, argv)) {
    case RUN_DONE: return finish_list();
    case RUN_USAGE_ERROR: return EXIT_USAGE;
    case RUN_COMPILE: break;
  }
  return compile(&o);
}
