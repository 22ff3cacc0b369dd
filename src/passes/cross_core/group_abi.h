/* group_abi.h -- members of written groups take the group's parameters; docs/passes/expand-mixed-kernel.md.
 *
 * Textbook: calling convention, one for all members of a group.
 */
#ifndef PYPTOC_PASSES_CROSS_CORE_GROUP_ABI_H
#define PYPTOC_PASSES_CROSS_CORE_GROUP_ABI_H

#include "ir/ir.h"
#include "target/target.h"

/* The runtime starts both members of a group with one list of arguments.  `p` itself if all do with the
 * group's; NULL after an error. */
Program *unify_members(Ir *ir, const Target *target, Program *p);

#endif
