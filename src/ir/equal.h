/* equal.h -- structural equality of whole programs, up to the names of variables. */
#ifndef PYPTOC_IR_EQUAL_H
#define PYPTOC_IR_EQUAL_H

#include "base/buf.h"
#include "ir/ir.h"

/* Spans and comments do not count, and variables correspond by where they are bound.  If the programs
 * differ, `why` (may be NULL) gets one line: the path to the first difference and both sides. */
bool program_equal(Ir *ir, const Program *a, const Program *b, Buf *why);
bool func_equal(Ir *ir, const Function *a, const Function *b, Buf *why);
/* Equal programs have equal hashes. */
uint64_t program_hash(const Program *p);

#endif
