/* ascend910b.c -- Ascend 910B and its relatives, A2 and A3: separate cube and vector cores. */
#include "target/target.h"

#define B(id) DTYPE_BIT(id)
#define TO(space) (1u << MEM_##space)

static const InstructionTypes instruction_types[OP_COUNT] = {
#define ARG(n) n
#define RESULT -1
#define TYPES(id, which, on_910b, on_950) [OP_##id] = {on_910b, which},
#include "target/instruction_types.def"
#undef TYPES
#undef RESULT
#undef ARG
};

extern const Target target_ascend910b;
const Target target_ascend910b = {
    .name = "ascend910b",
    .alias = "a2a3",
    .pto_arch = "a2a3",
    .core_count_method = "set_block_num",
    .spaces =
        {
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
    .copies_within = TO(VEC),
    .cube_cores = 24,
    .vector_cores = 48,
    .vector_cores_per_cube = 2,
    .conversions =
        {
            [DT_FP32] = B(FP16) | B(BF16) | B(INT16) | B(INT32) | B(INT64),
            [DT_FP16] = B(FP32) | B(INT32) | B(INT16) | B(INT8) | B(UINT8) | B(INT4),
            [DT_BF16] = B(FP32) | B(INT32),
            [DT_INT16] = B(FP16) | B(FP32),
            [DT_INT32] = B(FP32) | B(INT16) | B(INT64) | B(FP16),
            [DT_INT64] = B(FP32) | B(INT32),
            [DT_UINT8] = B(FP16),
            [DT_INT8] = B(FP16),
            [DT_INT4] = B(FP16),
        },
    .bias_from = {[DT_INT32] = B(INT32), [DT_FP32] = B(FP32) | B(FP16)},
    .acc_store_types = B(INT32) | B(FP32) | B(FP16) | B(BF16),
    .instruction_types = instruction_types,
    .tri_refused = B(INT8) | B(UINT8) | B(BF16),
    .mgather_refused = B(FP8E4M3FN) | B(FP8E5M2) | B(HF8),
    .gm_pipe_buffer = true,
    .load_pop_hazard = true,
    .runtime_subblock = true,
    .dual_vector_without_split = true,
    .low_precision_mat_scratch = true,
    .scratch_exclusive = true,
    .prelu_reads_tmp = true,
    .vector_gather_linear = true,
    .gm_access_bytes = 512,
    .l2_line_bytes = 512,
    .innermost_bytes = 512,
    .acc_rows = 16,
    .acc_rows_int32 = 32,
    .l0_align = 16,
    .l0_min_dim = 16,
    .l0_cost = {.left_bytes_per_cycle = 129.7,
                .right_bytes_per_cycle = 85.4,
                .drain_bytes_per_cycle = 118.0,
                .drain_fixed = 164.0,
                .drain_row = 4.45,
                .drain_odd_row = 2.6,
                .drain_unit = 32,
                .mad_head = 21,
                .mad_k_unit = 32,
                .mad_fp32_passes = 2},
};
