/* auto_deps.h -- which task of an orchestration must wait for which: the parts of
 * AutoDeriveTaskDependencies.  The rules are in docs/passes/auto-derive-task-dependencies.md. */
#ifndef PYPTOC_PASSES_AUTO_DEPS_H
#define PYPTOC_PASSES_AUTO_DEPS_H

#include "base/map.h"
#include "base/vec.h"
#include "ir/buffer_roots.h"
#include "ir/ir.h"

/* The part of a buffer that a variable shows.  Only boxes can be disjoint. */
typedef enum RegionKind {
  REGION_FULL,   /* all of it, indexed as the buffer is */
  REGION_BOX,    /* constant offsets and extents, in the buffer's own indices */
  REGION_OPAQUE, /* some part or all, indexed otherwise */
} RegionKind;

typedef struct Region {
  RegionKind kind;
  int rank;
  int64_t *offsets, *ends; /* ends: one past the last */
} Region;

/* What a tensor variable names. */
typedef struct Place {
  Expr *root; /* owner of the memory; NULL if that is not sure */
  const Region *region;
} Place;

/* A task's use of a buffer. */
typedef struct Use {
  Expr *id;  /* names the task in an edge; NULL if nothing does */
  int block; /* the branch or loop it is in; these are counted in the order of the text */
  int loop;  /* the innermost loop around it, 0 if none: only tasks inside can name it */
  int frame; /* the braces it will be in: branch, loop or scope */
  const Region *region;
} Use;

typedef VEC(Use) UseList;

/* The uses of one buffer that later tasks must still look at, each list in the order of blocks. */
typedef struct Uses {
  UseList reads, writes;
} Uses;

typedef struct Task {
  const Expr *call;
  Expr *id; /* or NULL */
  int block;
  VEC(Expr *) edges; /* derived */
  VEC(int) covered;  /* arguments that have conflicts: edges cover them all */
} Task;

typedef struct Derive {
  Ir *ir;
  const Program *program;
  const Map *loop_bases; /* base names of loops' results anywhere in the program */
  BufferRoots roots;
  Map views;           /* view -> Place* */
  Map tails;           /* submit's tuple -> variable with its id */
  Map uses;            /* root -> Uses* */
  Map made_in;         /* created tensor -> block */
  Map tasks;           /* call -> Task* */
  Map by_id;           /* id -> Task* */
  Map waited;          /* ids that the task at work waits for */
  VEC(Expr *) touched; /* roots in the order of their uses, for the loops around */
  VEC(int) blocks;     /* open branches and loops */
  VEC(int) frames;     /* open branches, loops and scopes */
  VEC(int) loops;      /* open loops; first 0 */
  VEC(int) excluded;   /* pairs: blocks of the other branch, first and one past the last */
  int last_block;
  bool automatic; /* scopes are the compiler's to place */
  bool scoped;    /* there are scopes of the user's */
  bool homes;     /* ids have variables outside of all frames */
  bool failed;    /* something cannot be said with edges: leave it to the runtime */
} Derive;

enum { MAX_LIVE_USES = 1024 }; /* uses of a buffer that one task looks at; else the pass gives up */

/* ---- regions.c ---- */

extern const Region region_full, region_opaque;

/* May both touch an element? */
bool regions_meet(const Region *a, const Region *b);
/* Does whatever meets `b` meet `a`? */
bool region_covers(const Region *a, const Region *b);
/* Where a tensor variable lies. */
Place auto_deps_place(const Derive *d, const Expr *e);
/* Remembers the place of a view of a tensor: the result `var` of the operator `call`. */
void auto_deps_note_view(Derive *d, const Expr *var, const Expr *call);

/* ---- uses.c ---- */

void auto_deps_fail(Derive *d);
Uses *auto_deps_uses(Derive *d, const Expr *root);
/* Makes the task wait for all that conflicts with a use of `place`; tells whether anything does. */
bool auto_deps_wait(Derive *d, Task *task, Place place, bool writes);
/* Records a use, after the waits of its task; a write retires the uses that it follows. */
void auto_deps_record(Derive *d, Expr *root, Use use, bool writes);
/* Drops what a task that writes `region` in the block at hand is known to wait for. */
void auto_deps_retire(Derive *d, Expr *root, const Region *region);
/* A use here. */
Use auto_deps_use(const Derive *d, Expr *id, const Region *region);

/* ---- walk.c ---- */

/* Opens a branch or a loop, and closes it. */
int auto_deps_enter(Derive *d);
void auto_deps_leave(Derive *d);
void auto_deps_walk(Derive *d, Block b);

/* ---- loops.c ---- */

void auto_deps_for(Derive *d, const Stmt *s);

#endif
