/* overfull.h -- says why the tiles of a function don't fit in a space, and what would help.
 *
 * Textbook: register pressure: the point where what is live exceeds the capacity.
 */
#ifndef PYPTOC_PASSES_MEMORY_OVERFULL_H
#define PYPTOC_PASSES_MEMORY_OVERFULL_H

#include "passes/memory/reserve.h"
#include "target/options.h"

/* Reports that a planner found no room in `space`, with the tiles alive at the fullest point.  `needed`: the bytes
 * that its plan would take; 0 if it has none. */
void report_overfull(Ir *ir, const CompileOptions *opts, const Function *f,
                     const Reserved *reserved, MemSpace space, uint64_t needed);
/* Warns, with the same notes, of every space that no planner can find room in: what is alive at one point is more
 * than it holds. */
void warn_overfull(Ir *ir, const CompileOptions *opts, const Function *f);

#endif
