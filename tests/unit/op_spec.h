/* op_spec.h -- operator calls as short texts, for tables of tests.
 *
 * Operands are separated by blanks:
 *   T16x32:FP32@Vec/8x32   a tile, optionally with space, valid shape and block layout (^col, ^row)
 *   B16x32:FP32@Vec/-1x32  a buffer; the last one of a call with a written type shows that type
 *   G64xN:FP16/8x8         a tensor; ^DN, ^NZ, ^MX_A_ZZ, ^MX_B_NN give its layout
 *   W2x64:FP32             a window (distributed tensor)
 *   A8:INT32               an array
 *   ptr comm prefetch event session   a variable of that type
 *   S:INT32                a scalar variable
 *   3  3:INT32  1.5:FP32   constants (INDEX if no type is given); Vec for a memory space
 *   [0,N,8]                a list of constants and scalar variables
 * An extent that is a letter is a scalar INDEX variable; one letter is one variable in a call.
 * Keywords are "name=value": integers, True, False, 'text', element types, and names of
 * enumerations.
 */
#ifndef PYPTOC_TESTS_OP_SPEC_H
#define PYPTOC_TESTS_OP_SPEC_H

#include "ir/op.h"
#include "unit.h"

typedef struct OpCase {
  const char *op, *args, *kwargs;
  const char *result; /* the type as printed, or a part of the message */
} OpCase;

/* The call, or NULL after an error was reported. */
Expr *op_spec_call(Fixture *f, const OpCase *t);
/* Asserts that each call has the type, or (op_cases_fail) that it is refused with the message. */
void op_cases_type(const OpCase *cases, size_t n);
/* Asserts that each operator of the families (a set of bits 1 << FAMILY_X) whose type is deduced has both a right
 * and a wrong use. */
void op_cases_cover(unsigned families, const OpCase *right, size_t nright, const OpCase *wrong,
                    size_t nwrong);
void op_cases_fail(const OpCase *cases, size_t n);
/* The same with the whole message, after the operator's name. */
void op_cases_fail_exactly(const OpCase *cases, size_t n);

/* A call as people write it, by a full name or as "pl.add": `args` are the values by position,
 * where a list is a list and element types, Mem.Vec, True, None and 'text' are possible.  The call
 * as printed, or "scalars" where arithmetic on scalars is meant, or NULL after an error was
 * reported. */
const char *op_spec_bind(Fixture *f, const OpCase *t);
/* Asserts that each written call is printed, or refused, with the text. */
void op_cases_bind(const OpCase *cases, size_t n);

#endif
