/* pipe.h -- which of a core's pipes executes a call.
 *
 * Textbook: functional units, one in-order queue of instructions each.
 */
#ifndef PYPTOC_PASSES_MEMORY_PIPE_H
#define PYPTOC_PASSES_MEMORY_PIPE_H

#include "ir/ir.h"
#include "target/target.h"

/* From the memory spaces of operands and results and the ways between them on the chip.  False if that
 * doesn't decide it, or if the call executes nothing. */
bool call_pipe(const Target *target, const Expr *call, PipeKind *pipe);

#endif
