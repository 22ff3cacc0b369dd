#include "target/target.h"

#define TO(space) (1u << MEM_##space)

extern const Target target_ascend950;
const Target target_ascend950 = {
  .name = "ascend950",
  .alias = "a5",
  .spaces = {
    [MEM_DDR] = {0, 32, TO(VEC) | TO(MAT)},
    [MEM_VEC] = {240 * 1024, 32, TO(MAT) | TO(DDR)}, /* of 248 KB: the rest is not safe to use */
    [MEM_MAT] = {512 * 1024, 32,
                 TO(LEFT) | TO(RIGHT) | TO(BIAS) | TO(LEFT_SCALE) | TO(RIGHT_SCALE)},
    [MEM_LEFT] = {64 * 1024, 32, 0},
    [MEM_RIGHT] = {64 * 1024, 32, 0},
    [MEM_ACC] = {256 * 1024, 32, TO(VEC) | TO(MAT) | TO(DDR)},
    [MEM_BIAS] = {4096, 32, 0},
    [MEM_SCALAR_LOCAL] = {0, 32, 0},
    [MEM_LEFT_SCALE] = {4096, 32, 0},
    [MEM_RIGHT_SCALE] = {4096, 32, 0},
  },
  .acc_rows = 16,
  .acc_rows_int32 = 16,
  .load_pop_hazard = false,
  .prelu_reads_tmp = false,
};
