/* waiter.h -- tasks that only register what they wait for (pld.system.defer_wait).
 *
 * Such a task's body computes scalars and registers conditions; it moves no data.  Before its first
 * registration it may read elements of tensors, afterwards not even that.  At most 64 conditions, which
 * must follow from constants.
 */
#ifndef PYPTOC_PASSES_OUTLINE_WAITER_H
#define PYPTOC_PASSES_OUTLINE_WAITER_H

#include "base/map.h"
#include "ir/ir.h"

/* Reports what in a waiting task's body (at `at`) is not allowed; true if nothing is. */
bool check_waiter_body(Ir *ir, Block body, Span at);

/* Enters the names of the functions that are such tasks into `waiters`, and reports what in them or in how they
 * are launched is not allowed; true if nothing is. */
bool check_waiters(Ir *ir, const Program *p, Map *waiters);

#endif
