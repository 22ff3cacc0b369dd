/* ascend950.c -- Ascend 950 (A5): clusters of one cube and two vector cores, MX formats. */
#include "target/target.h"

#define B(id) DTYPE_BIT(id)
#define TO(space) (1u << MEM_##space)

static const InstructionTypes instruction_types[OP_COUNT] = {
#define ARG(n) n
#define RESULT -1
#define TYPES(id, which, on_910b, on_950) [OP_##id] = {on_950, which},
#include "target/instruction_types.def"
#undef TYPES
#undef RESULT
#undef ARG
};

extern const Target target_ascend950;
const Target target_ascend950 = {
    .name = "ascend950",
    .alias = "a5",
    .pto_arch = "a5",
    .core_count_method = "set_core_num",
    .spaces =
        {
            [MEM_DDR] = {0, 32, TO(VEC) | TO(MAT)},
            [MEM_VEC] = {240 * 1024, 32,
                         TO(MAT) | TO(DDR)}, /* of 248 KB: the rest is not safe to use */
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
    .copies_within = TO(VEC),
    .cube_cores = 36,
    .vector_cores = 72,
    .vector_cores_per_cube = 2,
    .four_bit_types = B(FP4),
    .conversions =
        {
            [DT_FP32] = B(FP16) | B(BF16) | B(INT16) | B(INT32) | B(INT64) | B(FP8E4M3FN) |
                        B(FP8E5M2) | B(HF8),
            [DT_FP16] = B(FP32) | B(INT32) | B(INT16) | B(INT8) | B(UINT8) | B(HF8),
            [DT_BF16] = B(FP32) | B(INT32) | B(FP16) | B(FP4),
            [DT_INT16] = B(FP16) | B(FP32) | B(UINT8) | B(UINT32) | B(INT32),
            [DT_INT32] = B(FP32) | B(INT16) | B(INT64) | B(UINT16) | B(UINT8),
            [DT_INT64] = B(FP32) | B(INT32),
            [DT_UINT8] = B(FP16) | B(UINT16),
            [DT_INT8] = B(FP16) | B(INT16) | B(INT32),
            [DT_UINT32] = B(UINT8) | B(UINT16) | B(INT16),
            [DT_FP8E4M3FN] = B(FP32),
            [DT_FP8E5M2] = B(FP32),
            [DT_HF8] = B(FP32),
            [DT_FP4] = B(BF16),
        },
    .instruction_types = instruction_types,
    .bias_from = {[DT_INT32] = B(INT32), [DT_FP32] = B(FP32) | B(FP16) | B(BF16)},
    .acc_store_types = B(INT32) | B(FP32) | B(FP16) | B(BF16),
    .atomic_add_refused = B(BF16),
    .vector_push_fractal = true,
    .mx_matmul = true,
    .flat_gather = true,
    .gm_access_bytes = 128,
    .l2_line_bytes = 512,
    .innermost_bytes = 128,
    .acc_rows = 16,
    .acc_rows_int32 = 16,
    .l0_align = 16,
    .l0_min_dim = 16,
    .l0_cost = {.left_bytes_per_cycle = 206.3,
                .right_bytes_per_cycle = 223.8,
                .drain_bytes_per_cycle = 30.0,
                .drain_fixed = 343.4,
                .drain_row = 4.59,
                .drain_odd_row = 0.26,
                .drain_unit = 32,
                .mad_head = 25,
                .mad_k_unit = 32,
                .mad_fp32_passes = 8},
};
