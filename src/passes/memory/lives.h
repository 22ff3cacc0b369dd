/* lives.h -- when each tile of a function is alive, and which of them share an allocation.
 *
 * Textbook: liveness analysis, and coalescing of names that are one storage.
 *
 * Statements are numbered in program order ("points"); a tile lives from the
 * point that defines it to its last use, and through every loop that uses a tile
 * from outside.  docs/passes/memory-reuse.md has the rules.
 */
#ifndef PYPTOC_PASSES_MEMORY_LIVES_H
#define PYPTOC_PASSES_MEMORY_LIVES_H

#include "base/map.h"
#include "ir/ir.h"
#include "ir/op.h"

/* An assigned tile that lies in an allocation. */
typedef struct Tile {
  Expr *var;
  Stmt *stmt;    /* the assignment; NULL for a parameter */
  int def, last; /* points */
  int interval;
  int first_family, nfamilies; /* in Lives.families, ascending */
  const char *stages; /* of software pipelines, as the call that gives it says; NULL: none */
} Tile;

/* A stage of a software pipeline that a tile belongs to. */
typedef struct PipeStage {
  int group, stage;
} PipeStage;

/* An allocation: all tiles that lie in it. */
typedef struct Interval {
  Expr *base; /* names the allocation */
  Expr *var;  /* the first tile in it; it gives space and size */
  MemSpace space;
  uint64_t size;
  int def, last;
  int first_member, nmembers; /* in Lives.members, in order of definition */
  int first_stage, nstages;   /* in Lives.stages */
  bool loads;                 /* the tile that gave the stages is loaded */
} Interval;

typedef struct Lives {
  VEC(Tile) tiles;         /* in order of definition */
  VEC(Interval) intervals; /* in order of their first tile */
  VEC(int) members;        /* tile numbers, grouped by interval */
  VEC(int) families;       /* grouped by tile */
  VEC(PipeStage) stages;   /* grouped by interval */
  Map tile_of;             /* variable -> tile number + 1 */
  Map interval_of;         /* allocation -> interval number + 1 */
} Lives;

/* With `params`, tile parameters count as defined at point 0, and results of `if` that are alone in their allocation at its
 * condition.  With `whole`, all results do, and what is used of a loop's or an `if`'s
 * result counts for everything that the result may come from; without, a value that passes through several of
 * them, or comes from outside the `if`, is lost sight of, as the plans that are expected of us do. */
void lives_init(Lives *l, Ir *ir, const Function *f, bool params, bool whole);
/* Do the same tiles live at other times in one than in the other? */
bool lives_differ(const Lives *a, const Lives *b);
void lives_free(Lives *l);

static inline int lives_tile(const Lives *l, const Expr *var) {
  return (int)map_get_int(&l->tile_of, var) - 1;
}
/* The interval of an allocation, or -1. */
static inline int lives_interval(const Lives *l, const Expr *base) {
  return base ? (int)map_get_int(&l->interval_of, base) - 1 : -1;
}
/* Bytes of the largest tile of an interval. */
uint64_t lives_bytes(const Lives *l, const Interval *iv);
/* Touching lives don't overlap: a statement reads its inputs before it writes its result. */
static inline bool points_overlap(int adef, int alast, int bdef, int blast) {
  return alast > bdef && blast > adef;
}

/* Does the pair of intervals, alive together, hold one value on exclusive paths only?  Then they may share. */
bool lives_exclusive(const Lives *l, int a, int b);

/* Reads "group:stage;group:stage" into out (room for max); returns how many it holds.  Parts that are
 * not of this form are skipped. */
int parse_stages(const char *text, PipeStage *out, int max);

#endif
