/* dsa_plan.h -- the placement problem of a function, for the planner dsa-rp.
 *
 * Textbook: the instance of dynamic storage allocation: intervals, sizes, interference.
 */
#ifndef PYPTOC_PASSES_MEMORY_DSA_PLAN_H
#define PYPTOC_PASSES_MEMORY_DSA_PLAN_H

#include "passes/memory/reserve.h"
#include "target/options.h"

/* Chooses the address of every on-chip allocation: allocation -> address + 1 in `addresses`.  `whole`: as in lives.h.
 * False after reporting that no placement fits. */
bool dsa_plan(Ir *ir, const CompileOptions *opts, const Function *f, const Reserved *reserved,
              bool whole, Map *addresses);

#endif
