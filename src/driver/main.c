/* main.c -- pyptoc: a standalone compiler for PyPTO IR. */
#include "driver/compile.h"

int main(int argc, char **argv) {
  Options o;
  switch (options_parse(&o, argc, argv)) {
    case RUN_DONE: return EXIT_DONE;
    case RUN_USAGE_ERROR: return EXIT_USAGE;
    case RUN_COMPILE: break;
  }
  return compile(&o);
}
