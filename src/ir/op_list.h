/* op_list.h -- the operator table as text, for --list-ops and docs/operators.md. */
#ifndef PYPTOC_IR_OP_LIST_H
#define PYPTOC_IR_OP_LIST_H

#include "base/buf.h"
#include "ir/ir.h"

/* One line per operator, fields between tabs. */
void op_list_text(Buf *out, Ir *ir);
/* An array of objects. */
void op_list_json(Buf *out, Ir *ir);
/* A Markdown page with a table for each family. */
void op_list_markdown(Buf *out, Ir *ir);

#endif
