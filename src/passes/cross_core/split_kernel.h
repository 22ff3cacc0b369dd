/* split_kernel.h -- a kernel for both kinds of core becomes two; docs/passes/expand-mixed-kernel.md.
 *
 * Textbook: partitioning of one thread into two communicating processes.
 */
#ifndef PYPTOC_PASSES_CROSS_CORE_SPLIT_KERNEL_H
#define PYPTOC_PASSES_CROSS_CORE_SPLIT_KERNEL_H

#include "ir/ir.h"
#include "target/target.h"

typedef struct SplitKernel {
  Function *aic, *aiv;
  Function *group; /* starts both under the kernel's name */
} SplitKernel;

/* False after an error. */
bool split_kernel(Ir *ir, const Target *target, Function *f, SplitKernel *out);

/* The function with dual_aiv_dispatch=True. */
Function *on_both_vector_cores(Ir *ir, Function *f);

#endif
