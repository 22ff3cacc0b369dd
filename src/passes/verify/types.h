/* types.h -- a rule that holds for every type of a program. */
#ifndef PYPTOC_PASSES_VERIFY_TYPES_H
#define PYPTOC_PASSES_VERIFY_TYPES_H

#include "passes/pass.h"

/* Does `t` keep the rule?  If not, the rule reports it at `at`.  Elements of tuples are asked about by themselves. */
typedef bool (*TypeRule)(Ir *ir, const Type *t, Span at);

/* Asks the rule once about each type of an expression, a variable or a result; false if one broke it. */
bool verify_types(PassCtx *ctx, const Program *p, TypeRule rule);

#endif
