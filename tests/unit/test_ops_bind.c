/* From calls as people write them to operators: defaults, conversions, short names, and what is
 * refused. */
#include <string.h>

#include "op_spec.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const OpCase full_names[] = {
    /* positions, keywords, defaults */
    {"tensor.slice", "G64x64:FP32 [16,16] [0,N]", NULL, "pl.tensor.slice(g0, [16, 16], [0, N])"},
    {"tensor.slice", "G64x64:FP32 [16,16]", "offset=[0,0] drop_dims=[]",
     "pl.tensor.slice(g0, [16, 16], [0, 0])"},
    {"tensor.slice", "G64x64:FP32 [1,16] [0,0]", "drop_dims=[0]",
     "pl.tensor.slice(g0, [1, 16], [0, 0], [], [0])"},
    {"tensor.slice", "G64x64:FP32 [16,16] [0,0] None", "pad_value=0.0",
     "pl.tensor.slice(g0, [16, 16], [0, 0], pad_value=pl.PadValue.zero)"},
    {"tensor.create", "[16,16] FP32", NULL,
     "pl.tensor.create([16, 16], dtype=pl.FP32, layout=pl.TensorLayout.ND)"},
    {"tensor.create", "[16,16]", "dtype=FP32 manual_dep=False init_value=0",
     "pl.tensor.create([16, 16], dtype=pl.FP32, layout=pl.TensorLayout.ND, init_value=0.0)"},
    {"tensor.full", "[16] FP16 3", NULL, "pl.tensor.full([16], dtype=pl.FP16, value=3)"},
    {"tensor.full", "[16]", "dtype=INT32 value=-1",
     "pl.tensor.full([16], dtype=pl.INT32, value=-1)"},
    {"tensor.read", "G16:FP32 3", NULL, "pl.tensor.read(g0, [3])"},
    {"tensor.read", "G16x16:FP32 [N,3]", NULL, "pl.tensor.read(g0, [N, 3])"},
    {"tensor.cast", "G16:FP32 FP16", "mode=1",
     "pl.tensor.cast(g0, target_type=pl.FP16, mode='rint')"},
    {"tensor.cmp", "G16:FP32 G16:FP32", "cmp_type=2", "cmp_type=2"},
    {"tile.load", "G64x64:FP32 [0,0] [16,16]", NULL,
     "pl.tile.load(g0, [0, 0], [16, 16], [16, 16], target_memory=pl.Mem.Vec)"},
    {"tile.load", "G64x64:FP32 [0,0] [16,16]", "target_memory=Mat valid_shape=[8,8]",
     "pl.tile.load(g0, [0, 0], [16, 16], [8, 8], target_memory=pl.Mem.Mat)"},
    {"tensor.ci", "0 [1,32]", "dtype=INT16",
     "pl.tensor.ci(pl.const(0, pl.INT16), [1, 32], dtype=pl.INT16, descending=False)"},

    /* a number beside elements takes their type; one with a type of its own keeps it */
    {"tensor.adds", "G16:FP32 3", NULL, "pl.tensor.adds(g0, 3.0)"},
    {"tensor.adds", "G16:FP16 3", NULL, "pl.tensor.adds(g0, pl.const(3.0, pl.FP16))"},
    {"tensor.adds", "G16:INT32 3", NULL, "pl.tensor.adds(g0, pl.const(3, pl.INT32))"},
    {"tensor.adds", "G16:FP16 1.5", NULL, "pl.tensor.adds(g0, 1.5)"},
    {"tensor.adds", "G16:FP32 S:INT32", NULL, "pl.tensor.adds(g0, s1)"},
    {"tensor.adds", "G16:FP32 N", NULL, "'rhs' is an INDEX value"},
    {"tensor.add", "G16:FP32 3", NULL, "pl.tensor.adds(g0, 3.0)"},
    {"tensor.add", "G16:FP32 G16:FP32", NULL, "pl.tensor.add(g0, g1)"},
    {"tensor.sub", "G16:FP32", "rhs=2.5", "pl.tensor.subs(g0, 2.5)"},

    /* as the printer writes them */
    {"tensor.full", "[16] 3.0", "dtype=FP32", "pl.tensor.full([16], dtype=pl.FP32, value=3.0)"},
    {"tensor.reinterpret_view", "G16x16:FP32", "dtype=INT32 shape=[256]",
     "pl.tensor.reinterpret_view(g0, dtype=pl.INT32, shape=[256])"},

    /* operators with a rule of their own */
    {"tensor.gather", "G16x16:FP32 G16x16:INT32", NULL,
     "'dim' must be an integer written in the call, not Tensor"},
    {"tensor.gather", "G16x16:FP32", "dim=-1 index=G16x4:INT32", "pl.tensor.gather(g0, "},
    {"tensor.scatter", "G16x16:FP32", "dim=-1 index=G16x4:INT32 src=G16x4:FP32",
     "pl.tensor.scatter("},
    {"tensor.mrgsort", "G1x128:FP32", "block_len=64",
     "pl.tensor.mrgsort_format1(g0, pl.const(64, pl.INT32))"},
    {"tensor.mrgsort", "G1x64:FP32 G1x64:FP32", NULL, "pl.tensor.mrgsort_format2("},
    {"tile.mrgsort", "T1x128:FP32@Vec", "block_len=64",
     "pl.tile.mrgsort_format1(t0, pl.const(64, pl.INT32))"},
    {"tile.mrgsort", "T1x64:FP32@Vec T1x64:FP32@Vec", "tmp=T1x128:FP32@Vec",
     "pl.tile.mrgsort_format2(t0, t1, t9, exhausted=False)"},
    {"tile.mrgsort", "T1x64:FP32@Vec T1x64:FP32@Vec T1x64:FP32@Vec", "tmp=T1x192:FP32@Vec",
     "pl.tile.mrgsort_format2(t0, t1, t2, t9, exhausted=False)"},
    {"tile.mrgsort", "T1x64:FP32@Vec T1x64:FP32@Vec T1x64:FP32@Vec T1x64:FP32@Vec T1x256:FP32@Vec",
     "exhausted=True", "pl.tile.mrgsort_format2(t0, t1, t2, t3, t4, exhausted=True)"},
    {"tile.mrgsort", "T1x64:FP32@Vec T1x64:FP32@Vec", NULL,
     "merging several lists of tiles needs tmp="},
    {"tile.matmul_acc", "T16x16:FP32@Acc T16x16:FP16@Left T16x16:FP16@Right", "init_cond=True",
     "pl.tile.matmul_acc(t0, t1, t2, pl.const(1, pl.BOOL))"},
    {"system.syncall", "", "mode='hard' core_type='mix'", "pl.system.syncall("},
    {"system.sync_set", "3", "pipe=MTE1", "pl.system.sync_set"},
    {"pld.tensor.alloc_window_buffer", "1024", "name='buf'", "alloc_window_buffer(1024"},

    /* refused */
    {"tensor.slice", "G64x64:FP32 [16,16]", "ofset=[0,0]", "did you mean 'offset'?"},
    {"tensor.slice", "G64x64:FP32 [16,16]", NULL, "tensor.slice: 'offset' is missing: a list"},
    {"tensor.slice", "G64x64:FP32 [16,16] [0,0]", "shape=[1,1]", "'shape' is given twice"},
    {"tensor.add", "G16:FP32 G16:FP32 3", NULL, "takes 2 values by position, not 3"},
    {"tensor.assemble", "G16:FP32 G8:FP32 [0] 1", NULL, "takes 3 values by position, not 4"},
    {"tensor.add", "T16x16:FP32@Vec T16x16:FP32@Vec", NULL, "'lhs' must be a Tensor, not Tile"},
    {"tensor.create", "[16] 3", NULL,
     "'dtype' must be an element type such as pl.FP32, not Scalar[INDEX]"},
    {"tensor.create", "[16] FP32", "manual_dep=3", "'manual_dep' must be True or False, not 3"},
    {"tensor.cast", "G16:FP32 FP16", "mode='up'", "'mode' must be 'none', 'rint'"},
    {"tensor.fillpad", "G16:FP32", "pad_value=3",
     "'pad_value' must be pl.PadValue.zero, max or min"},
    {"tensor.fillpad", "G16:FP32", "pad_value='zero'",
     "'pad_value' must be pl.PadValue.zero, max or min"},
    {"tile.load", "G64x64:FP32 [0,0] [16,16]", "target_memory='Mat'",
     "'target_memory' must be a memory space"},
    {"tile.load", "G64x64:FP32 [0,0] [16,16]", "target_memory=FP32",
     "'target_memory' must be a memory space"},
    {"tensor.dim", "G16:FP32 N", NULL, "'axis' must be a constant integer"},
};

static const OpCase short_names[] = {
    {"pl.add", "G16:FP32 G16:FP32", NULL, "pl.tensor.add(g0, g1)"},
    {"pl.add", "T16x16:FP32@Vec T16x16:FP32@Vec", NULL, "pl.tile.add(t0, t1)"},
    {"pl.add", "T16x16:FP32@Vec 2", NULL, "pl.tile.adds(t0, 2.0)"},
    {"pl.add", "S:FP32 S:FP32", NULL, "scalars"},
    {"pl.max", "N M", NULL, "scalars"},
    {"pl.cast", "S:FP32 INT32", NULL, "scalars"},
    {"pl.mul", "", "lhs=G16:FP32 rhs=2.0", "pl.tensor.muls(g9, 2.0)"},
    {"pl.maximum", "T16x16:FP32@Vec 2", NULL, "pl.tile.maximums(t0, 2.0)"},
    {"pl.slice", "G64x64:FP32 [16,16] [0,0]", NULL, "pl.tensor.slice(g0, [16, 16], [0, 0])"},
    {"pl.slice", "T64x64:FP32@Vec [16,16] [0,0]", NULL, "pl.tile.slice(t0, [16, 16], [0, 0])"},
    {"pl.matmul", "G16x16:FP32 G16x16:FP32", "b_trans=True", "b_trans=True"},
    {"pl.matmul", "T16x16:FP32@Left T16x16:FP32@Right", "b_trans=False", "pl.tile.matmul(t0, t1)"},
    {"pl.matmul", "T16x16:FP16@Left T16x16:FP16@Right", "out_dtype=FP32", "pl.tile.matmul(t0, t1)"},
    {"pl.row_sum", "G16x16:FP32", NULL, "pl.tensor.row_sum(g0)"},
    {"pl.row_sum", "T16x16:FP32@Vec T16x16:FP32@Vec", NULL, "pl.tile.row_sum(t0, t1)"},
    {"pl.reshape", "G16x16:FP32 [256]", NULL, "pl.tensor.reshape(g0, [256])"},
    {"pl.read", "T16x16:FP32@Vec [0,1]", NULL, "pl.tile.read(t0, [0, 1])"},
    {"pl.rsqrt", "T16x16:FP32@Vec", "high_precision=False", "pl.tile.rsqrt(t0)"},
    {"pl.rsqrt", "T16x16:FP32@Vec", "high_precision=True", "give a scratch tile instead"},
    {"pl.mrgsort", "T1x128:FP32@Vec", "block_len=64", "pl.tile.mrgsort_format1("},
    {"pl.mrgsort", "G1x64:FP32 G1x64:FP32", "tmp=T1x128:FP32@Vec", "tensors need no scratch tile"},
    {"pl.load", "G64x64:FP32 [0,0] [16,16]", NULL, "pl.tile.load("},
    {"pl.create_tensor", "[16] FP32", NULL, "pl.tensor.create([16]"},
    {"pl.arange", "0 [1,32]", NULL, "pl.tensor.ci("},

    {"pl.matmul", "T16x16:FP32@Left T16x16:FP32@Right", "b_trans=True", "pl.tile.transpose_view"},
    {"pl.matmul", "T16x16:FP16@Left T16x16:FP16@Right", "out_dtype=FP16",
     "'out_dtype' cannot be FP16"},
    {"pl.row_sum", "G16x16:FP32 T16x16:FP32@Vec", NULL, "tensors need no scratch tile"},
    {"pl.slice", "T64x64:FP32@Vec [16,16] [0,0]", "clamp=True", "clamp where the tile is loaded"},
    {"pl.row_sum", "S:FP32", NULL,
     "the first operand must be a Tensor or a Tile, not Scalar[FP32]"},
    {"pl.add", "", NULL, "the first operand must be a Tensor or a Tile or a Scalar, not nothing"},
    {"pl.load", "T16x16:FP32@Vec [0,0] [16,16]", NULL, "must be a Tensor, not Tile"},
    {"pl.add", "T16x16:FP32@Vec G16x16:FP32", NULL, "'rhs' must be a Tile, not Tensor"},
    {"pl.matmul", "G16x16:FP32 G16x16:FP32", "a_tran=True", "did you mean 'a_trans'?"},
};

START_TEST(full_names_bind) { op_cases_bind(full_names, COUNT(full_names)); }
END_TEST

START_TEST(short_names_bind) { op_cases_bind(short_names, COUNT(short_names)); }
END_TEST

Suite *suite_ops_bind(void) {
  Suite *s = suite_create("ops_bind");
  TCase *t = tcase_create("written calls");
  tcase_add_test(t, full_names_bind);
  tcase_add_test(t, short_names_bind);
  suite_add_tcase(s, t);
  return s;
}
