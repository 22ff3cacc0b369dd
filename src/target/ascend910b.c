#include "target/target.h"

#define TO(space) (1u << MEM_##space)

extern const Target target_ascend910b;
const Target target_ascend910b = {
  .name = "ascend910b",
  .alias = "a2a3",
  .spaces = {
    [MEM_DDR] = {0, 32, TO(VEC) | TO(MAT)},
    [MEM_VEC] = {184 * 1024, 32, TO(DDR)}, /* of 192 KB: the rest is not safe to use */
    [MEM_MAT] = {512 * 1024, 32, TO(LEFT) | TO(RIGHT) | TO(BIAS)},
    [MEM_LEFT] = {64 * 1024, 32, 0},
    [MEM_RIGHT] = {64 * 1024, 32, 0},
    [MEM_ACC] = {128 * 1024, 32, TO(MAT) | TO(DDR)},
    [MEM_BIAS] = {1024, 32, 0},
    [MEM_SCALAR_LOCAL] = {0, 32, 0},
    [MEM_LEFT_SCALE] = {0, 32, 0},
    [MEM_RIGHT_SCALE] = {0, 32, 0},
  },
  .acc_rows = 16,
  .acc_rows_int32 = 32,
  .load_pop_hazard = true,
  .prelu_reads_tmp = true,
};
