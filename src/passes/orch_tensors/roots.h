/* roots.h -- which tensor an orchestration's variable is part of, as far as narrowing calls asks. */
#ifndef PYPTOC_PASSES_ORCH_TENSORS_ROOTS_H
#define PYPTOC_PASSES_ORCH_TENSORS_ROOTS_H

#include "passes/orch_tensors/windows.h"

typedef struct PartUndo {
  const Expr *var;
  void *was;
  bool had;
} PartUndo;

typedef struct Roots {
  WindowPass *w;
  Map first;    /* carried value or loop result -> its first value */
  Map returned; /* loop result -> its first value */
  /* Of the block at hand: */
  Map outputs;    /* what a call gives -> the tensor that it writes */
  Map unwindowed; /* tensors that some call writes without a window */
  Map tuples;     /* tuple that a call gives -> Expr*[] of those, by position */
  /* Of all blocks around: */
  Map parts; /* a slice, or the source of an assemble -> the tensor; NULL: of two */
  VEC(PartUndo) undo;
} Roots;

/* What belongs to a block; taken away while an inner one is at work. */
typedef struct BlockRoots {
  Map outputs, unwindowed, tuples;
  size_t undo;
} BlockRoots;

/* Begins a block, looking at all of its statements; roots_leave ends it. */
BlockRoots roots_enter(Roots *r, Block b);
void roots_leave(Roots *r, BlockRoots *outer);
void roots_free(Roots *r);
/* A loop's carried values are their first ones inside it; its results behind it. */
void roots_enter_loop(Roots *r, const Stmt *loop);
void roots_leave_loop(Roots *r, const Stmt *loop);

/* The tensor that `e` is part of; NULL if that is not clear. */
const Expr *root_of(const Roots *r, Expr *e);
/* The first value of a loop's result, else `e`. */
Expr *root_of_result(const Roots *r, Expr *e);
/* The variable behind carried values and calls, not behind slices; NULL if there is none. */
const Expr *root_storage(const Roots *r, Expr *e);

#endif
