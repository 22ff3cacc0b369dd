/* print.h -- the IR as text: the language it is read from. */
#ifndef PYPTOC_IR_PRINT_H
#define PYPTOC_IR_PRINT_H

#include "base/buf.h"
#include "ir/ir.h"

typedef struct PrintOptions {
  bool concise;         /* no annotations on intermediate variables */
  bool explicit_layout; /* every tile's resolved layout */
} PrintOptions;

/* Appends the program, ending without a newline. */
void print_program(Buf *out, Ir *ir, const Program *p, const PrintOptions *opts);
/* Appends a type, an expression or one statement (indented by `indent` spaces), with variables under
 * their own names; for messages and tests. */
void print_type(Buf *out, Ir *ir, const Type *t);
void print_expr(Buf *out, Ir *ir, const Expr *e);
void print_stmt(Buf *out, Ir *ir, const Stmt *s, int indent);
/* The same as arena strings, for messages. */
const char *type_str(Ir *ir, const Type *t);
const char *expr_str(Ir *ir, const Expr *e);

#endif
