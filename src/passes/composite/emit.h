/* emit.h -- builds what a composite operator consists of; see docs/passes/lower-composite-ops.md.
 *
 * Functions take and give NULL where an operand could not be built: `failed` says so, and the error has
 * been reported.
 */
#ifndef PYPTOC_PASSES_COMPOSITE_EMIT_H
#define PYPTOC_PASSES_COMPOSITE_EMIT_H

#include "ir/ir.h"
#include "ir/op.h"

typedef struct Emit {
  Ir *ir;
  Name base;     /* of new names */
  int *temps;    /* names given so far in the function */
  Span at;       /* of everything new */
  StmtList *out; /* where statements go; changes while a body is open */
  bool failed;
  /* Of a collective. */
  Expr *signal, *nranks, *my_rank; /* nranks: INDEX; my_rank: INT32 */
  int barriers;                    /* so far in this call */
} Emit;

/* A loop or `if` whose body is being written. */
typedef struct Open {
  Stmt *s;
  StmtList body, *outer;
  Expr *value; /* what the first branch of an `if` yields */
  Name what;   /* result of a loop */
} Open;

Name comp_name(Emit *e, const char *what);
Expr *comp_bind(Emit *e, const char *what, Expr *value);

Expr *comp_index(Emit *e, int64_t n);
Expr *comp_i32(Emit *e, int64_t n);
Expr *comp_binary(Emit *e, ExprKind kind, Expr *a, Expr *b);
Expr *comp_cast(Emit *e, Expr *value, DType to);
Expr *comp_pair(Emit *e, Expr *a, Expr *b);
Expr *comp_call(Emit *e, OpId op, AttrList kwargs, int n, ...); /* n operands */
AttrList comp_kw(Emit *e, AttrList list, const char *key, AttrValue v);
/* A tile.load into vector memory. */
Expr *comp_load(Emit *e, Expr *tensor, Expr *offsets, Expr *shape, Expr *valid);
Expr *comp_create(Emit *e, Expr *shape, DType dtype);

/* for VAR in range(start, stop, step): the variable. */
Expr *comp_for(Emit *e, Open *o, const char *var, Expr *start, Expr *stop, Expr *step);
void comp_end_for(Emit *e, Open *o);
/* The same with a value carried through: *carried is it in the body; comp_end_carry gives its last value. */
Expr *comp_carry(Emit *e, Open *o, const char *var, Expr *stop, Expr *init, Expr **carried);
Expr *comp_end_carry(Emit *e, Open *o, Expr *next);
void comp_if(Emit *e, Open *o, Expr *cond);
void comp_end_if(Emit *e, Open *o);
/* An `if` with a value: the first branch gives `value` and the second begins; comp_end_else gives the result. */
void comp_else(Emit *e, Open *o, Expr *value);
Expr *comp_end_else(Emit *e, Open *o, Expr *value);

/* Context and ranks of a window; sets nranks, my_rank and signal. */
void comp_ranks(Emit *e, Expr *window, Expr *signal);
/* if rank != my_rank: */
void comp_if_other(Emit *e, Open *o, Expr *rank);
/* Adds 1 in all other ranks and waits for `expected` from them, in the signal's row (NULL: [rank, 0]). */
void comp_meet(Emit *e, Expr *row, Expr *expected, const char *suffix);
/* The next barrier of the call. */
void comp_barrier(Emit *e, const char *suffix);
/* Takes `total` out of the signal's cells again; `rows` NULL: [rank, 0]. */
void comp_reset(Emit *e, Expr *rows, Expr *total);
/* comp_reset for all barriers of comp_barrier. */
void comp_reset_barriers(Emit *e);

#endif
