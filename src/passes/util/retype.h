/* retype.h -- when values change type, variables follow.
 *
 * Variables take the types of their values, carried variables those of their first values, the results of
 * a loop those of its carried variables, the results of an `if` those of the values its branches yield.
 */
#ifndef PYPTOC_PASSES_UTIL_RETYPE_H
#define PYPTOC_PASSES_UTIL_RETYPE_H

#include "ir/rewrite.h"

/* A rewriter that does so; set further hooks behind it. */
void retype_init(Rewriter *r, Ir *ir, void *ctx);
/* `s`, an assignment whose value has become `value`: the same variable, or a new one of the new type. */
void retype_assign(Rewriter *r, Stmt *s, Expr *value, StmtList *out);
/* The statement hook, for those that set their own. */
void retype_stmt(Rewriter *r, Stmt *s, StmtList *out);

#endif
