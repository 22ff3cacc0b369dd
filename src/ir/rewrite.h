/* rewrite.h -- builds a changed copy of the IR that shares what did not change.
 *
 * A pass sets the hooks it needs and leaves the rest to the defaults.  A hook
 * that has nothing to change calls rewrite_expr_children/rewrite_stmt_children,
 * which return the same pointer when no child changed.
 */
#ifndef PYPTOC_IR_REWRITE_H
#define PYPTOC_IR_REWRITE_H

#include "base/map.h"
#include "ir/ir.h"

typedef struct Rewriter Rewriter;
struct Rewriter {
  Ir *ir;
  void *ctx;
  /* Variables to replace where they are used: Expr* variable -> Expr*.  The rewriter itself adds a
   * variable whose type had to change because a dimension in it was replaced. */
  Map subst;
  /* NULL: rewrite_expr_children. */
  Expr *(*expr)(Rewriter *r, Expr *e);
  /* Puts what stands for `s` into `out`: nothing, one or several.  NULL: rewrite_stmt_children. */
  void (*stmt)(Rewriter *r, Stmt *s, StmtList *out);
  /* What a bound variable becomes.  NULL: rewrite_def_default. */
  Expr *(*def)(Rewriter *r, Expr *var);
  /* NULL: rewrite_type_children. */
  const Type *(*type)(Rewriter *r, const Type *t);
  /* What a block inside a statement becomes.  NULL: rewrite_block_children. */
  Block (*block)(Rewriter *r, Block b);
  /* Called before and after the statements of each block.  NULL: nothing. */
  void (*enter)(Rewriter *r);
  void (*leave)(Rewriter *r);
};

void rewriter_init(Rewriter *r, Ir *ir, void *ctx);
void rewriter_free(Rewriter *r);

Expr *rewrite_expr(Rewriter *r, Expr *e);
Expr *rewrite_expr_children(Rewriter *r, Expr *e);
const Type *rewrite_type(Rewriter *r, const Type *t);
const Type *rewrite_type_children(Rewriter *r, const Type *t); /* replaces variables in it */
Expr *rewrite_def(Rewriter *r, Expr *var);
/* The same variable, or a new one entered in subst if its type changes. */
Expr *rewrite_def_default(Rewriter *r, Expr *var);
Stmt *rewrite_stmt_children(Rewriter *r, Stmt *s);
Block rewrite_block(Rewriter *r, Block b);
Block rewrite_block_children(Rewriter *r, Block b);
/* Runs the stmt hook (or the default) on one statement. */
void rewrite_stmt(Rewriter *r, Stmt *s, StmtList *out);
AttrList rewrite_attrs(Rewriter *r, AttrList list);
/* Parameters, return types and body; the same pointer if nothing changed. */
Function *rewrite_func(Rewriter *r, Function *f);

/* The same with nothing but a stmt hook. */
Function *rewrite_func_stmts(Ir *ir, Function *f, void (*stmt)(Rewriter *r, Stmt *s, StmtList *out),
                             void *ctx);

/* Applies `f` to each function; the same pointer if nothing changed, NULL if one gave NULL. */
Program *rewrite_program(Ir *ir, Program *p, Function *(*f)(void *ctx, Function *), void *ctx);

#endif
