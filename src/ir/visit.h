/* visit.h -- walks over the IR without changing it. */
#ifndef PYPTOC_IR_VISIT_H
#define PYPTOC_IR_VISIT_H

#include "ir/ir.h"

typedef struct Visitor Visitor;
struct Visitor {
  void *ctx;
  /* Called before the children of a node; returning false skips them.  NULL: always descend. */
  bool (*expr)(Visitor *v, Expr *e);
  bool (*stmt)(Visitor *v, Stmt *s);
  /* Called after the children.  NULL: nothing. */
  void (*stmt_end)(Visitor *v, Stmt *s);
  /* Called for each variable where it is bound: assignment, parameter, loop variable, iter arg, result. */
  void (*def)(Visitor *v, Expr *var);
  /* Also visit the expressions inside types (dimensions, strides, offsets) of bound variables. */
  bool types;
};

/* Children of an expression: operands, arguments, keyword expressions, deps, core_num, predicate; in
 * the order they are printed.  A variable has none. */
void visit_expr(Visitor *v, Expr *e);
void visit_stmt(Visitor *v, Stmt *s);
void visit_block(Visitor *v, Block b);
void visit_func(Visitor *v, Function *f); /* parameters, then the body */
void visit_program(Visitor *v, const Program *p);
/* An expr hook for a walk over statements only. */
bool visit_no_expr(Visitor *v, Expr *e);
/* An expr hook that puts each variable into the Map that is ctx, as its own value. */
bool visit_collect_vars(Visitor *v, Expr *e);
/* The expressions inside a type. */
void visit_type(Visitor *v, const Type *t);

#endif
