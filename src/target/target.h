/* target.h -- what a chip can do.  One table per chip; passes and code generation ask, never test
 * names. */
#ifndef PYPTOC_TARGET_TARGET_H
#define PYPTOC_TARGET_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/dtype.h"
#include "ir/enums.h"
#include "ir/op.h"

typedef struct TargetSpace {
  int64_t capacity;  /* bytes that tiles may use on one core; 0: not limited, or no such space */
  int64_t alignment; /* bytes, of a buffer's address */
  uint32_t reaches;  /* bit 1 << MEM_X: data moves from here to X directly */
} TargetSpace;

/* A set of element types, one bit each: DTYPE_BIT(FP32) | DTYPE_BIT(FP16). */
typedef uint64_t DTypeSet;
#define DTYPE_BIT(id) (UINT64_C(1) << DT_##id)

/* The element types that an operator's instruction takes; see instruction_types.def. */
typedef struct InstructionTypes {
  DTypeSet types; /* 0: not restricted */
  int operand;    /* the tile whose type is asked; -1: the result */
} InstructionTypes;

/* Measured costs of the matrix unit, for choosing L0 tiles.  Cycles and bytes per cycle. */
typedef struct TargetL0Cost {
  double left_bytes_per_cycle, right_bytes_per_cycle; /* Mat to Left, Mat to Right */
  double drain_bytes_per_cycle;                       /* Acc out, wide rows */
  double drain_fixed;                                 /* cycles per drain */
  double drain_row;                                   /* least cycles per row */
  double drain_odd_row; /* cycles per row and per unit of (odd part of the fractal count - 1) */
  int drain_unit;       /* bytes of one fractal column */
  int mad_head;         /* cycles to start a multiplication */
  int mad_k_unit;       /* bytes of one K fractal */
  int mad_fp32_passes;  /* passes over a K fractal for 4-byte inputs */
} TargetL0Cost;

typedef struct Target {
  const char *name;              /* "ascend910b" */
  const char *alias;             /* "a2a3" */
  const char *pto_arch;          /* `pto.target_arch` in .pto files */
  const char *core_count_method; /* launch_spec's method that sets the number of cores */

  TargetSpace spaces[MEM_COUNT];
  uint32_t copies_within; /* bit 1 << MEM_X: tile.move copies from one buffer of X to another */
  int cube_cores, vector_cores; /* on the whole chip */
  int vector_cores_per_cube;

  DTypeSet four_bit_types;        /* four-bit types that kernels can hold; the others never */
  DTypeSet conversions[DT_COUNT]; /* what one tcvt instruction converts each type to */
  DTypeSet bias_from[DT_COUNT];   /* [bias type]: types that move from Mat to Bias as it */
  DTypeSet acc_store_types;       /* tensor types that Acc can be stored to directly */
  DTypeSet atomic_add_refused;    /* tensor types that atomic add cannot combine */
  DTypeSet tri_refused, mgather_refused;     /* element types that tri and mgather lack */
  const InstructionTypes *instruction_types; /* [OpId] */

  bool gm_pipe_buffer;  /* pipes between cores run through a buffer in global memory */
  bool load_pop_hazard; /* a split vector function may not write over a loaded tile while popping */
  bool vector_push_fractal;       /* a vector core must push in fractal layout */
  bool runtime_subblock;          /* the subblock index comes from the runtime, not a register */
  bool dual_vector_without_split; /* an unsplit mixed kernel still runs on both vector cores */
  bool low_precision_mat_scratch; /* Acc to a part of Mat narrows to FP16 or BF16 */
  bool mx_matmul;
  bool scratch_exclusive; /* scratch operands (sels, prelu) must not overlap the other operands */
  bool prelu_reads_tmp;   /* tile.prelu reads its third argument */
  bool flat_gather;       /* gather takes indices into the whole tile, not into a row */
  bool vector_gather_linear; /* mgather into Vec: ND source, one index row, 32-byte rows */

  int gm_access_bytes; /* what one access to global memory fetches */
  int l2_line_bytes;
  int innermost_bytes; /* least sensible innermost extent of a load or store */
  int acc_rows;        /* accumulators are stored in groups of so many rows ... */
  int acc_rows_int32;  /* ... and of so many with INT32 elements */
  int l0_align;        /* elements; M, N, K granularity of L0 tiles */
  int l0_min_dim;      /* elements */
  TargetL0Cost l0_cost;
} Target;

/* By name or alias; NULL if unknown. */
const Target *target_by_name(const char *name);
/* All targets, ended by NULL. */
extern const Target *const targets[];

/* Can kernels hold elements of this type? */
static inline bool target_has_dtype(const Target *t, DType d) {
  return dtype_bits(d) != 4 || ((t->four_bit_types >> d) & 1);
}
static inline bool target_converts(const Target *t, DType from, DType to) {
  return (t->conversions[from] >> to) & 1;
}
static inline bool target_moves(const Target *t, MemSpace from, MemSpace to) {
  return (t->spaces[from].reaches >> to) & 1;
}
static inline bool target_copies(const Target *t, MemSpace s) {
  return (t->copies_within >> s) & 1;
}
/* Rows to which an accumulator of that element type is rounded up. */
static inline int target_acc_rows(const Target *t, DType dtype) {
  return dtype == DT_INT32 ? t->acc_rows_int32 : t->acc_rows;
}
/* The shortest chain of moves from one space to another, both ends included, into path[MEM_COUNT];
 * its length, or 0 if there is none. */
int target_mem_path(const Target *t, MemSpace from, MemSpace to, MemSpace *path);

#endif
