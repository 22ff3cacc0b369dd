/* compile.h -- one compilation, from the input file to the files written. */
#ifndef PYPTOC_DRIVER_COMPILE_H
#define PYPTOC_DRIVER_COMPILE_H

#include "driver/options.h"

enum { EXIT_DONE = 0, EXIT_BAD_INPUT = 1, EXIT_USAGE = 2 };

/* Returns the exit status. */
int compile(const Options *o);

#endif
