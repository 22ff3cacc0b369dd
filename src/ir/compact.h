/* compact.h -- moving what lives of the IR together.
 *
 * Passes leave behind what they replace, and what they keep lies further and further apart: a walk over a
 * large program then waits for memory more than it computes.
 */
#ifndef PYPTOC_IR_COMPACT_H
#define PYPTOC_IR_COMPACT_H

#include "ir/ir.h"

/* The same program in fresh memory, statement behind statement, and all that only other programs of this Ir use
 * given back.  No pointer to a node or type from before may be used afterwards; names and operators stay, the ids
 * of variables too. */
Program *ir_compact(Ir *ir, Program *p);

/* Was so much allocated since the last time that it pays? */
bool ir_compact_due(const Ir *ir);

#endif
