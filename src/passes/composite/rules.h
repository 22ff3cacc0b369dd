/* rules.h -- one rule for each composite operator; see docs/passes/lower-composite-ops.md.
 *
 * A rule emits the statements and gives the result, or NULL after it reported an error (or e->failed). `call`
 * is the composite call; its operands are already rewritten.
 */
#ifndef PYPTOC_PASSES_COMPOSITE_RULES_H
#define PYPTOC_PASSES_COMPOSITE_RULES_H

#include "passes/composite/emit.h"

typedef Expr *CompositeRule(Emit *e, const Expr *call);

CompositeRule composite_sin, composite_cos;
CompositeRule composite_barrier, composite_broadcast, composite_reduce_scatter;
CompositeRule composite_allgather, composite_all_to_all, composite_all_to_all_v;
CompositeRule composite_allreduce;

/* Reports against the call and gives NULL. */
void *composite_error(Emit *e, const Expr *call, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Is the operand a signal of one cell per rank? */
bool composite_check_signal(Emit *e, const Expr *call, const Expr *signal);
/* acc and other, reduced by the call's op=. */
Expr *composite_reduce(Emit *e, const Expr *call, Expr *acc, Expr *other);
/* For composite_allreduce, mode="ring". */
CompositeRule composite_ring;

#endif
