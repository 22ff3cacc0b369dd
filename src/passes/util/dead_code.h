/* dead_code.h -- assignments and branch results that nothing needs.  SSA form. */
#ifndef PYPTOC_PASSES_UTIL_DEAD_CODE_H
#define PYPTOC_PASSES_UTIL_DEAD_CODE_H

#include "ir/ir.h"

/* `b` without the assignments that `removable` allows to drop and whose variable nothing needs.  Every
 * other statement, condition, bound, initial value and scope attribute needs what it reads; the types of
 * carried values and results need what stands in them. */
Block remove_dead(Ir *ir, Block b, bool (*removable)(const Stmt *assign));

/* A scalar computed without calls, except the producer id of a task's results. */
bool is_removable_scalar(const Stmt *assign);

/* `b` without results of branches that nothing uses, and without their places in the yields. */
Block remove_dead_results(Ir *ir, Block b);

#endif
