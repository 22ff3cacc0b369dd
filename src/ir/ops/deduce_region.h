/* deduce_region.h -- valid regions through windows, writes and reshapes, for tensors and tiles.
 *
 * The rules are in docs/operators/tensor.md under the names used here.
 */
#ifndef PYPTOC_IR_OPS_DEDUCE_REGION_H
#define PYPTOC_IR_OPS_DEDUCE_REGION_H

#include "ir/ops/deduce_common.h"

/* A window at `offsets` read from a source; see "Window read". */
typedef struct WindowRead {
  Dims physical, valid; /* of the source */
  Dims offsets, window;
  Dims requested; /* n == 0: none */
  bool exact;     /* the whole window must lie in the source, not only what is requested */
  bool clamp;
  bool materialize;   /* also where the order of extents is known only at run time */
  const char *remedy; /* hint for a read past the end, or NULL */
} WindowRead;
/* The valid extents of the window, `window.n` of them; NULL after op_error. */
Expr **window_read_valid(OpCall *c, const WindowRead *w);

/* What a write finds and brings: the target, how much of it holds data, and the block of data that
 * is put over it with its first element at `offsets`; see "Write union". */
typedef struct RegionWrite {
  Dims target, target_valid, source, source_valid, offsets;
  bool exact;         /* the whole physical source is written */
  const char *remedy; /* or NULL */
} RegionWrite;
/* How much of the target holds data after the write; .at is NULL after op_error. */
Dims write_union_valid(OpCall *c, const RegionWrite *w);

/* The region of a reshaped tensor or tile; .at is NULL after op_error.  `row_major`: the elements
 * lie in packed row-major order. */
Dims reshape_valid(OpCall *c, Dims valid, Dims from, Dims to, bool row_major);

/* Reads a slice's drop_dims operand (NULL: drops none) into `drop`, shape.n flags; the number of
 * dropped dimensions, or -1 after op_error.  `valid` are the window's valid extents (n == 0: not
 * checked). */
int drop_dims_read(OpCall *c, Expr *operand, Dims shape, Dims valid, bool *drop);
/* The dimensions that are not dropped. */
Dims dims_without(Ir *ir, Dims d, const bool *drop);

/* Refuses a region with a dimension that is provably empty; false after op_error. */
bool want_nonempty(OpCall *c, Dims valid);
/* Refuses an `init_cond` operand that is no BOOL scalar; true if operand `arg` is absent. */
bool want_init_cond(OpCall *c, int arg);
/* The shapes and valid_shape operands of gather_row; false after op_error. */
bool want_gather_row(OpCall *c);

/* `shape` and `valid` (n == 0: all) of elements `from` seen as elements `to`; `axis` is the
 * dimension whose elements lie side by side, `wanted` the shape asked for (n == 0: scale `axis`).
 */
typedef struct Reinterpret {
  Dims shape, valid; /* valid.n == 0: all */
} Reinterpret;
bool reinterpret_shapes(OpCall *c, Dims shape, Dims valid, DType from, DType to, int axis,
                        Dims wanted, Reinterpret *out);
/* The pad that survives a change of element type: zero or none. */
static inline PadValue reinterpret_pad(PadValue p) { return p == PAD_ZERO ? PAD_ZERO : PAD_NULL; }

#endif
