/* deduce.h -- the type deduction, binding and effect functions that the operator table names. */
#ifndef PYPTOC_IR_OPS_DEDUCE_H
#define PYPTOC_IR_OPS_DEDUCE_H

#include "ir/op.h"
#include "ir/ops/deduce_tensor.h"
#include "ir/ops/deduce_tile.h"

/* One line per function; each family lists its own in deduce_FAMILY.def. */
#define DEDUCE(fn) const Type *fn(OpCall *c);
#define CHECK_TYPE(fn) bool fn(OpCall *c, const Type *type);
#define BIND_FN(fn) bool fn(Written *w, OpCall *c);
#define EFFECT_FN(fn) OpEffect fn(const Expr *call, int i);
#include "ir/ops/deduce_all.def"
#undef DEDUCE
#undef CHECK_TYPE
#undef BIND_FN
#undef EFFECT_FN

#endif
