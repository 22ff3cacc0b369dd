/* loop_copies.h -- copies of a pipeline loop's body, each for one iteration.
 *
 * What gives a tile in a copy notes which copy it stands in, so that the passes that place tiles keep apart what
 * different stages use at the same time. */
#ifndef PYPTOC_PASSES_UTIL_LOOP_COPIES_H
#define PYPTOC_PASSES_UTIL_LOOP_COPIES_H

#include "ir/ir.h"

/* Which copy: `region` is unique in a function. */
typedef struct StageTag {
  int region, stage;
  /* Is this assignment of a call left without a note?  NULL: none is. */
  bool (*skips)(const struct StageTag *tag, const Stmt *assign);
  const void *ctx; /* for `skips` */
} StageTag;

/* Appends a copy of `part`, statements of the body of `loop`, for the iteration `index`.  All that it binds is new;
 * calls that give a tile note `region:stage` in `pipeline_membership`, after what is noted there.  `carried` are what
 * the loop's carried variables stand for; they become what `part` yields, if it does.  Gives how many values it yields;
 * the yield is left out. */
int push_copy(Ir *ir, const Stmt *loop, Block part, Expr *index, Expr **carried,
              const StageTag *tag, StmtList *out);

/* The index `offset` behind `base`, a constant if that is one. */
Expr *index_behind(Ir *ir, Expr *base, int64_t offset, Span at);

/* Statements in `b`, at any depth. */
int64_t block_size(Block b);
/* Counts `n` more copies of `size` statements in *made, those of one function; false, with an error, if they are too
 * many: nested loops multiply. */
bool may_copy(Ir *ir, int64_t *made, int64_t n, int64_t size, Span at);
/* Can what stands for `loop` and the pipeline loops in it be that few?  False, with an error, if surely not: loops are
 * lowered inside out, so this is asked before the inner ones have grown. */
bool copies_may_fit(Ir *ir, const Stmt *loop);

#endif
