/* roundtrip.h -- does the printed IR read back as the same program? */
#ifndef PYPTOC_DRIVER_ROUNDTRIP_H
#define PYPTOC_DRIVER_ROUNDTRIP_H

#include "ir/ir.h"

/* Prints, parses and compares; reports a difference naming `after`, the pass it appears after. */
bool roundtrip_check(Ir *ir, const Program *p, const char *after);

#endif
