/* plan_watch.h -- follows a program through the addresses of its tiles.
 *
 * Textbook: translation validation of a storage allocation by abstract interpretation.
 *
 * The planner reasons about lifetimes; this walk doesn't.  It follows the program
 * and remembers, for each stretch of memory, whose values are whole there: a write
 * leaves only the writer (and what it is a window of, where an operator works in a
 * view), a view or a copy of a name joins its source, paths that meet keep what is
 * whole on both.  Whoever reads a tile must find it whole.  At the head of a loop,
 * memory that the body writes holds the loop-carried tiles only, provided that what
 * the body yields is whole in their place.
 *
 * So it proves a plan safe, and on the way sees when each tile is needed.
 */
#ifndef PYPTOC_PASSES_MEMORY_PLAN_WATCH_H
#define PYPTOC_PASSES_MEMORY_PLAN_WATCH_H

#include "passes/memory/reserve.h"
#include "passes/util/pass_ctx.h"

typedef struct WatchedTile {
  Expr *var;
  uint64_t begin, end; /* bytes */
  uint64_t shift;    /* without addresses: so far from where its type says, as it is another name */
  int first, behind; /* stretches of memory, for the walk */
  int window;        /* the tile that it is a view of; 0: none */
  int value;  /* the first tile of those that take turns in its memory by what the program says */
  int source; /* the tile that it is another name for, or a view of; 0: it has been filled itself */
  bool read;  /* something needs it */
  int def, last; /* points: where it is defined, where it is needed last */
} WatchedTile;

typedef struct PlanWatch {
  VEC(WatchedTile) tiles; /* those with an address, in order of definition; tile 0 is nobody */
  VEC(Span)
  points; /* places of statements in program order: assignments, expressions, yields, returns */
  Reserved reserved;
} PlanWatch;

/* Watches an on-chip function whose tiles have been placed; without addresses, allocations lie apart.  False if the plan is not safe, which is reported if
 * `report` is set.  Free in either case. */
bool plan_watch_init(PlanWatch *w, PassCtx *ctx, const Function *f, bool report);
void plan_watch_free(PlanWatch *w);
/* The same where nothing else is asked. */
bool plan_is_safe(PassCtx *ctx, const Function *f, bool report);

/* A tile that is read where its memory has been written again, and by what: an assigned variable, a name that a loop
 * carries, the result of an `if`. */
typedef struct LostTile {
  Expr *tile, *by;
} LostTile;
typedef VEC(LostTile) LostTiles;

/* Watches a function whose tiles have no addresses yet and whose yields make no copies: they will be made at the end
 * of a round, all at once.  Adds the lost tiles to `lost`, each once. */
void plan_find_lost(PassCtx *ctx, const Function *f, LostTiles *lost);

#endif
