/* bind.h -- from a call as written to operands and keywords; for the binder and for the rows' own
 * bind functions.  Everyone else uses op_bind (ir/op.h). */
#ifndef PYPTOC_IR_OPS_BIND_H
#define PYPTOC_IR_OPS_BIND_H

#include "ir/op.h"

/* What may stand for an operand or a keyword, and what becomes of it: the words behind the colon in
 * rows.  KIND(id, "word", "what is wanted") */
typedef enum ParamKind {
#define KIND(id, word, wants) KIND_##id,
#include "ir/ops/kinds.def"
#undef KIND
  KIND_COUNT
} ParamKind;

/* The kind of that word, or KIND_COUNT. */
ParamKind param_kind(const char *word);

/* A parameter as written and the value given for it. */
typedef struct BoundArg {
  Name name;
  AttrValue value;
  bool given;   /* with something else than None */
  bool keyword; /* as name=value */
  bool used;    /* became an operand or a keyword of the call */
} BoundArg;

enum { FEW_ARGS = 12 }; /* nearly all operators */

typedef struct Binding {
  Written *w;
  OpCall *call; /* for errors; its op is the one written until bind_finish */
  BoundArg *args;
  int n;
  BoundArg few[FEW_ARGS]; /* `args`, if they fit */
} Binding;

/* Matches the values of `w` to the parameters of its operator (or of the short name it was written
 * by); false after the error.  Fills in c->ir, op and span. */
bool bind_match(Written *w, OpCall *c, Binding *b);
/* The parameter of that name; one that is not given where there is none. */
BoundArg *bind_arg(Binding *b, const char *name);
/* Makes the operands and keywords of `op` from the values that have its parameters' names; values
 * that it has no parameter for must be what is meant without them. */
bool bind_finish(Binding *b, const Op *op);

/* A constant integer that was given; false if it is none (no error). */
bool bound_int(const BoundArg *a, int64_t *out);
/* The expression that was given, or NULL. */
Expr *bound_expr(const BoundArg *a);

/* The parameters of a short name (pl.matmul), NULL if it is none; see unified.def. */
const OpParam *short_params(Ir *ir, Name short_name, int *n);

/* Are the operands what the row says?  false after op_error. */
bool op_check_operands(OpCall *c);

#endif
