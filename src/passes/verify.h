/* verify.h -- checks of what must hold between passes. */
#ifndef PYPTOC_PASSES_VERIFY_H
#define PYPTOC_PASSES_VERIFY_H

#include "passes/pass.h"

/* Runs the verifiers of all properties in the set `props`; names the pass after which one fails
 * (NULL: at the start, where it is the program's own fault). */
bool verify_properties(PassCtx *ctx, const Program *p, uint64_t props, const char *after);
/* Runs the verifiers of `props`, which the pass named `pass` requires of its input `p`.  The first that does not hold
 * is reported at the first place that its verifier names, with the pass that gives it and the verifier's message. */
bool verify_required(PassCtx *ctx, const Program *p, uint64_t props, const char *pass);
/* Warns about variables that nothing reads, and values that an output parameter gets instead of being
 * written.  For programs as they are written, before any pass. */
void warn_program(Ir *ir, const Program *p);
/* Advice on transfers between global memory and tiles that move short rows (PH001), once for each statement
 * that the program was written with.  For programs that have passed the pipeline. */
void hint_program(Ir *ir, const Target *target, const Program *p);

#endif
