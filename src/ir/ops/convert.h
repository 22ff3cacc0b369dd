/* convert.h -- single values of a written call as operands and keywords; private to the binder. */
#ifndef PYPTOC_IR_OPS_CONVERT_H
#define PYPTOC_IR_OPS_CONVERT_H

#include "ir/ops/bind.h"

/* "a Tile", "an integer": for messages. */
const char *param_wants(ParamKind k);
/* How to say at the other level what a short name's parameter says; NULL if nothing is known. */
const char *short_remedy(Ir *ir, Name short_name, Name param);
/* A default as it stands in a row, "False", "10", "Vec", as a value: numbers and truth values, else
 * text. */
AttrValue value_of_text(Ir *ir, const char *text);
bool value_const_int(const AttrValue *v, int64_t *out);
/* A type for messages: "Scalar[FP32]" for scalars, else its kind. */
const char *type_str_short(Ir *ir, const Type *t);

/* A keyword's value of the kind that the parameter wants; false after op_error. */
bool convert_keyword(OpCall *c, const OpParam *p, const AttrValue *v, AttrValue *out);
/* The same for a value that a person wrote: names of enumerations as text are for defaults only. */
bool convert_written(OpCall *c, const OpParam *p, const AttrValue *v, AttrValue *out);
/* An operand of the kind that the parameter wants; `keyword`: written as name=value.  c->args[0] is
 * the first operand if c->nargs > 0, c->kwargs are complete.  *out stays NULL if the value says
 * that there is none; false after op_error. */
bool convert_operand(OpCall *c, const OpParam *p, const AttrValue *v, bool keyword, Expr **out);

#endif
