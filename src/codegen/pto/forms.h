/* forms.h -- the forms of instructions, and what they share; see ops.def. */
#ifndef PYPTOC_CODEGEN_PTO_FORMS_H
#define PYPTOC_CODEGEN_PTO_FORMS_H

#include "codegen/pto/emit.h"

/* .param of the modal form. */
enum { MODE_CMP, MODE_ROUND };
/* .param of the spmd_index form. */
enum { INDEX_BLOCK, INDEX_BLOCKS, INDEX_SUBBLOCK };

/* All operands: first every value, then every type. */
PtoArg *pto_args(PtoFn *f, const Expr *call);
/* " : a, b" of the operands that have types. */
void pto_put_types(Buf *b, const PtoArg *args, int n);
/* " outs(%r : type)" of the statement's result. */
void pto_put_outs(PtoFn *f, Buf *b);
/* The name of a comparison's mode ("eq", ...) or NULL. */
const char *pto_cmp_name(int64_t mode);
/* A window copied out where an instruction cannot read windows; *type becomes the copy's. */
PtoArg pto_whole_operand(PtoFn *f, Expr *e);
/* The whole of a tensor as a partition. */
PtoArg pto_full_partition(PtoFn *f, const Expr *tensor, const char *hint);
/* Is this operand a variable?  Reports it if not. */
bool pto_need_var(PtoFn *f, const Expr *call, int arg);
/* Can the chip store from the tile's space to elements of the tensor's type, adding?  Reports it if
 * not. */
bool pto_can_store(PtoFn *f, const Expr *call, const Type *tile, const Type *tensor, bool add);

#define FORM(name) void form_##name(PtoFn *f, const PtoOp *op, Expr *call);
#include "codegen/pto/forms.def"
#undef FORM

#endif
