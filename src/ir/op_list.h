/* op_list.h -- the operator table as text. */
#ifndef PYPTOC_IR_OP_LIST_H
#define PYPTOC_IR_OP_LIST_H

#include "base/buf.h"
#include "ir/ir.h"

/* One line per operator: name, family, arguments, keywords, effects, spaces, targets. */
void op_list_text(Buf *out, Ir *ir);
/* The same as a JSON array of objects. */
void op_list_json(Buf *out, Ir *ir);

#endif
