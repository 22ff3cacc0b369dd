/* type_rules.h -- what a type must satisfy to exist at all. */
#ifndef PYPTOC_IR_TYPE_RULES_H
#define PYPTOC_IR_TYPE_RULES_H

#include "ir/ir.h"

/* Why `t` is no type (one clause, arena string), or NULL if it is one.  `t` need not be interned. */
const char *type_problem(Ir *ir, const Type *t);
/* Why a tensor of this type cannot be read as stored in NZ order, or NULL. */
const char *type_nz_problem(Ir *ir, const Type *t);

#endif
