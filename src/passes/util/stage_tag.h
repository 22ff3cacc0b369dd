/* stage_tag.h -- notes on calls which copy of a pipeline loop's body they stand in. */
#ifndef PYPTOC_PASSES_UTIL_STAGE_TAG_H
#define PYPTOC_PASSES_UTIL_STAGE_TAG_H

#include "ir/ir.h"

typedef struct StageTag {
  int region, stage;
  /* Is this assignment of a call left without a note?  NULL: none is. */
  bool (*skips)(const struct StageTag *tag, const Stmt *assign);
  const void *ctx; /* for `skips` */
} StageTag;

/* Appends the statements of `b` to `out`; calls in them that give a tile note `region:stage` in
 * `pipeline_membership`, after what is noted there. */
void push_tagged(Ir *ir, Block b, const StageTag *tag, StmtList *out);

/* Statements in `b`, at any depth. */
int64_t block_size(Block b);

#endif
