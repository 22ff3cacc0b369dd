/* choose.h -- the sizes into which a matrix product is cut to fit the matrix unit's buffers. */
#ifndef PYPTOC_PASSES_L0_TILING_CHOOSE_H
#define PYPTOC_PASSES_L0_TILING_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "target/target.h"

/* What stays in its buffer while the other operand streams by. */
typedef enum { HOLD_OUTPUT, HOLD_LEFT, HOLD_RIGHT } Stationary;

typedef struct L0Problem {
  const Target *target;
  int64_t M, N, K;
  int64_t left_bytes, right_bytes, acc_bytes; /* of one element */
  int64_t acc_rows;                  /* an accumulator occupies a multiple of so many rows */
  int64_t align_m, align_n, align_k; /* sizes are multiples of these, and at least min_* */
  int64_t min_m, min_n, min_k;
  int64_t box_m, box_n;                         /* buffers occupy multiples of these */
  int64_t max_n, max_n_pipelined, max_n_nested; /* 0: no limit */
  bool only_output_stationary;
  bool may_double_acc; /* the accumulator may have two buffers */
} L0Problem;

typedef struct L0Tiling {
  int64_t m, n, k;
  Stationary stationary;
  bool left_outer; /* with HOLD_OUTPUT and a whole K: the outer loop runs over rows */
  bool double_acc;
} L0Tiling;

/* The fastest tiling by the chip's cost table; see docs/passes/auto-tile-matmul-l0.md.  False if there is none. */
bool l0_choose(const L0Problem *p, L0Tiling *out);

#endif
