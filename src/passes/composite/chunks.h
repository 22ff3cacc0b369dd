/* chunks.h -- what allreduce over a mesh and over a ring share: the target in one row, chunk by chunk. */
#ifndef PYPTOC_PASSES_COMPOSITE_CHUNKS_H
#define PYPTOC_PASSES_COMPOSITE_CHUNKS_H

#include "passes/composite/rules.h"

enum { CHUNK_BYTES = 16 * 1024, BLOCK_BYTES = 32 };

typedef struct Chunks {
  const Expr *call;
  Expr *target;      /* as given */
  Expr *row;         /* seen in two dimensions */
  Expr *columns;     /* how many elements it has */
  Expr *chunk;       /* at most so many at once */
  Expr *shape;       /* of a chunk's tile */
  int64_t block;     /* elements in BLOCK_BYTES */
  bool whole_blocks; /* peers are read block by block */
} Chunks;

/* Is the target packed, row by row?  false after the error. */
bool chunks_check_target(Emit *e, const Expr *call);
/* The valid shape of a partly valid target, or NULL. */
Expr *const *chunks_partial(const Type *target);
/* Is the valid box, in its first n dimensions, one run in row-major order? */
bool chunks_is_prefix(Expr *const *valid, Expr *const *shape, int n);
/* The product of dimensions. */
Expr *chunks_product(Emit *e, Expr *const *dims, int n);
/* The target as rows x columns, of which valid_rows x valid_cols count (NULL: all). */
Expr *chunks_view(Emit *e, Expr *target, Expr *rows, Expr *cols, Expr *valid_rows,
                  Expr *valid_cols);
/* Sets block, chunk and shape for parts of `most` elements. */
void chunks_size(Emit *e, Chunks *c, Expr *most);
/* a / b, rounded up, times b where `times`. */
Expr *chunks_round_up(Emit *e, Expr *a, Expr *b, bool times);

/* `cols` elements from `offsets` on, padded with zero to a chunk; `name` is of the result. */
Expr *chunks_load(Emit *e, const Chunks *c, Expr *offsets, Expr *cols, const char *loaded,
                  const char *name);
Expr *chunks_load_peer(Emit *e, const Chunks *c, Expr *peer, Expr *offsets, Expr *cols,
                       const char *name);
/* Stores the first `cols` elements of a tile. */
void chunks_store(Emit *e, const Chunks *c, Expr *tile, Expr *col, Expr *cols, const char *narrowed,
                  const char *name);

#endif
