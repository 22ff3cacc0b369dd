/* Every distributed operator, and the collectives dispatched to chips: right uses with the type
 * that follows, wrong ones with the message. */
#include <string.h>

#include "op_spec.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const OpCase right[] = {
    {"pld.tensor.alloc_window_buffer", "1024", "name='buf'", "pl.Ptr"},
    {"pld.tensor.window", "ptr [N,64]", "dtype=FP32", "pld.DistributedTensor[[N, 64], pl.FP32]"},
    {"pld.tensor.put", "W16x32:FP32 S:INT32 G16x32:FP32", "atomic=None_", "pl.UnknownType"},
    {"pld.tensor.put", "W16x32:FP32 S:INT32 G8x32:FP32 [8,0] [0,0] [8,32]", "atomic=Add",
     "pl.UnknownType"},
    {"pld.tensor.put", "WNx32:FP32 S:INT32 GNx32:FP32", "atomic=None_ chunk_rows=8",
     "pl.UnknownType"},
    {"pld.tensor.get", "G16x32:FP32 S:INT32 W16x32:FP32", NULL, "pl.UnknownType"},
    {"pld.tensor.remote_store", "G16x32:FP32 W2x64x32:FP32 S:INT32 [0,16,0]", "atomic=Add",
     "pl.UnknownType"},
    {"pld.tensor.allreduce", "W64:FP16 W2:INT32", "op=1 mode='ring' core_num=1",
     "pld.DistributedTensor[[64], pl.FP16]"},
    {"pld.tensor.allreduce", "W64:FP16", "op=0 mode='mesh' core_num=4",
     "pld.DistributedTensor[[64], pl.FP16]"},
    {"pld.tensor.barrier", "W2:INT32", NULL, "pld.DistributedTensor[[2], pl.INT32]"},
    {"pld.tensor.broadcast", "W64:FP32 W2:INT32", "root=1", "pld.DistributedTensor[[64], pl.FP32]"},
    {"pld.tensor.allgather", "G1x64:FP32 W4x64:FP32 W4:INT32", NULL,
     "pld.DistributedTensor[[4, 64], pl.FP32]"},
    {"pld.tensor.reduce_scatter", "W4x64:FP32 W4x1:INT32", "op=0",
     "pld.DistributedTensor[[4, 64], pl.FP32]"},
    {"pld.tensor.all_to_all", "G4x64:FP32 W4x64:FP32 W4x1:INT32", NULL,
     "pld.DistributedTensor[[4, 64], pl.FP32]"},
    {"pld.tensor.all_to_all_v", "G16x64:FP32 W16x64:FP32 W4x1:INT32 G4:INT32 W4x1:INT32", NULL,
     "pld.DistributedTensor[[16, 64], pl.FP32]"},
    {"pld.tile.put", "W16x32:FP32 S:INT32 G16x32:FP32 T8x32:FP32@Vec", "atomic=None_",
     "pl.UnknownType"},
    {"pld.tile.put",
     "W16x32:FP32 S:INT32 G16x32:FP32 T8x32:FP32@Vec T8x32:FP32@Vec [0,0] [0,0] "
     "[8,32]",
     "atomic=Add", "pl.UnknownType"},
    {"pld.tile.get", "G16x32:FP32 S:INT32 W16x32:FP32 T8x32:FP32@Vec", NULL, "pl.UnknownType"},
    {"pld.tile.remote_load", "W64x32:FP32 S:INT32 [i,0] [16,32]", NULL,
     "pl.Tile[[16, 32], pl.FP32]"},
    {"pld.tile.remote_load", "W64x32:FP32 S:INT32 [48,0] [32,32] [16,32]", NULL,
     "pl.Tile[[32, 32], pl.FP32, pl.TileView(valid_shape=[16, 32])]"},
    {"pld.tile.remote_store", "T16x32:FP32@Vec/8x32 W64x32:FP32 S:INT32 [0,0]", NULL,
     "pl.UnknownType"},
    {"pld.system.world_size", "", NULL, "pl.Scalar[pl.INT64]"},
    {"pld.system.get_comm_ctx", "W64:FP32", NULL, "pld.CommCtxType"},
    {"pld.system.rank", "comm", NULL, "pl.Scalar[pl.INT32]"},
    {"pld.system.nranks", "comm", NULL, "pl.Scalar[pl.INT32]"},
    {"pld.system.notify", "W4x1:INT32 S:INT32 [i,0] 1:INT32", "op=1", "pl.UnknownType"},
    {"pld.system.wait", "W4x1:INT32 [i,0] 1:INT32", "cmp=1", "pl.UnknownType"},
    {"pld.system.defer_wait", "W4x1:INT32 [i,0] 1:INT32", "cmp=1", "pl.UnknownType"},
    {"builtin.tensor.allreduce", "W64:FP32 W2x4:INT32", "op=0 dtype=FP32 core_num=4",
     "pld.DistributedTensor[[64], pl.FP32]"},
    {"builtin.tensor.allreduce_ring", "W64:FP32 W3x2:INT32", "op=0 dtype=FP32",
     "pld.DistributedTensor[[64], pl.FP32]"},
    {"builtin.tensor.barrier", "W2:INT32", NULL, "pld.DistributedTensor[[2], pl.INT32]"},
    {"builtin.tensor.broadcast", "W64:FP32 W2:INT32", "root=0 dtype=FP32",
     "pld.DistributedTensor[[64], pl.FP32]"},
    {"builtin.tensor.reduce_scatter", "W2x64:FP32 W2:INT32", "op=0 dtype=FP32",
     "pld.DistributedTensor[[2, 64], pl.FP32]"},
    {"builtin.tensor.allgather", "W1x64:FP32 W2x64:FP32 W2:INT32", "dtype=FP32",
     "pld.DistributedTensor[[2, 64], pl.FP32]"},
    {"builtin.tensor.all_to_all", "W2x64:FP32 W2x64:FP32 W2:INT32", "dtype=FP32",
     "pld.DistributedTensor[[2, 64], pl.FP32]"},
    {"builtin.tensor.all_to_all_v", "W16x64:FP32 W16x64:FP32 W4x1:INT32 W4:INT32 W4x1:INT32",
     "dtype=FP32", "pld.DistributedTensor[[16, 64], pl.FP32]"},
};

static const OpCase wrong[] = {
    {"pld.tensor.alloc_window_buffer", "1024", NULL,
     "must be assigned to a variable, whose name it takes"},
    {"pld.tensor.window", "S:INT64 [N,64]", "dtype=FP32", "'buf' must be a Ptr, not Scalar[INT64]"},
    {"pld.tensor.put", "G16x32:FP32 S:INT32 G16x32:FP32", "atomic=None_",
     "'dst' must be a DistributedTensor, not Tensor"},
    {"pld.tensor.put", "W16x32:FP32 S:INT32 G8x32:FP32", "atomic=None_",
     "'dst' and 'src' differ in dimension 0: 16 and 8"},
    {"pld.tensor.put", "W16x32:FP32 S:INT32 G8x32:FP32 [12,0] [0,0] [8,32]", "atomic=None_",
     "dst_offsets[0] and shape[0], 12 and 8, exceed the dimension, 16"},
    {"pld.tensor.put", "WNx32:FP32 S:INT32 GNx32:FP32", "atomic=None_",
     "a leading dimension is known only at run time, so 'chunk_rows' must be given"},
    {"pld.tensor.get", "G16x32:FP32 S:INT32 G16x32:FP32", NULL,
     "'src' must be a DistributedTensor, not Tensor"},
    {"pld.tensor.remote_store", "G16x32:FP32 W64x32:FP32 S:INT32 [56,0]", NULL,
     "dimension 0 of the window, 64, does not hold 16 elements at 56"},
    {"pld.tensor.remote_store", "G2x16x32:FP32 W64x32:FP32 S:INT32 [0,0]", NULL,
     "only the last two dimensions are stored, so dimension 0 must be 1"},
    {"pld.tensor.allreduce", "W64:FP16", "op=0 mode='ring' core_num=1",
     "mode='ring' needs a signal; only for 'mesh' one is made"},
    {"pld.tensor.allreduce", "W64:INT32", "op=0 mode='mesh' core_num=1",
     "'target' must have an element type of FP16, FP32, not INT32"},
    {"pld.tensor.barrier", "W2:FP32", NULL, "'signal' must have element type INT32, not FP32"},
    {"pld.tensor.broadcast", "W64:FP32 W2:INT32", "root=-1",
     "'root' must not be negative, it is -1"},
    {"pld.tensor.allgather", "G2x64:FP32 W4x64:FP32 W4:INT32", NULL,
     "'local_data' must be one row, not [2, 64]"},
    {"pld.tensor.reduce_scatter", "W4x64:FP32 W4x1:INT32", "op=1",
     "only op=pld.ReduceOp.Sum is possible"},
    {"pld.tensor.all_to_all", "G4x64:FP32 W4x32:FP32 W4x1:INT32", NULL,
     "'input' and 'target' differ in their second dimension"},
    {"pld.tensor.all_to_all_v", "G16x64:FP32 W16x64:FP32 W3x1:INT32 G3:INT32 W3x1:INT32", NULL,
     "16 rows of 'target' do not divide among 3 ranks"},
    {"pld.tile.put", "W16x32:FP32 S:INT32 G16x32:FP32 T32x32:FP32@Vec", "atomic=None_",
     "the staging tile [32, 32] is larger than the transfer [16, 32]"},
    {"pld.tile.get", "G16x32:FP32 S:INT32 W16x32:FP32 T8x32:FP16@Vec", NULL,
     "'stage' and 'dst' must have the same element type, not FP16 and FP32"},
    {"pld.tile.remote_load", "G64x32:FP32 S:INT32 [i,0] [16,32]", NULL,
     "'target' must be a DistributedTensor, not Tensor"},
    {"pld.tile.remote_load", "W64x32:FP32 S:INT32 [56,0] [16,32]", NULL,
     "reads past the end of dimension 0: offset 56 and extent 16 exceed 64"},
    {"pld.tile.remote_store", "T16x32:FP32@Vec W64x32:FP16 S:INT32 [0,0]", NULL,
     "'src_tile' and 'target' must have the same element type, not FP32 and FP16"},
    {"pld.system.world_size", "1", NULL, "takes 0 operands, not 1"},
    {"pld.system.get_comm_ctx", "G64:FP32", NULL,
     "'dist_tensor' must be a DistributedTensor, not Tensor"},
    {"pld.system.rank", "W64:FP32", NULL,
     "'ctx' must be a CommCtx (of pld.system.get_comm_ctx), not DistributedTensor"},
    {"pld.system.nranks", "W64:FP32", NULL,
     "'ctx' must be a CommCtx (of pld.system.get_comm_ctx), not DistributedTensor"},
    {"pld.system.notify", "W4x1:INT32 S:INT32 [i] 1:INT32", "op=1",
     "'offsets' has 1 elements, the window 2 dimensions"},
    {"pld.system.wait", "G4x1:INT32 [i,0] 1:INT32", "cmp=1",
     "'signal' must be a DistributedTensor, not Tensor"},
    {"pld.system.defer_wait", "W4x1:INT32 [i,0] 1:INT32", "cmp=0",
     "only cmp=pld.WaitCmp.Ge is possible"},
    {"builtin.tensor.allreduce", "W64:FP32 W2:INT32", "op=0 dtype=FP32 core_num=4",
     "a signal [NR] is for one core, not 4"},
    {"builtin.tensor.allreduce_ring", "W64:FP32 W4x2:INT32", "op=0 dtype=FP32",
     "the first dimension of 'signal' must be 3 for 2 ranks, not 4"},
    {"builtin.tensor.barrier", "W2x1:INT32", NULL, "'signal' must have one dimension, not 2"},
    {"builtin.tensor.broadcast", "W64:FP32 W2:INT32", "root=0 dtype=FP16",
     "'dtype' is FP16, 'target' has FP32"},
    {"builtin.tensor.reduce_scatter", "W64:FP32 W2:INT32", "op=0 dtype=FP32",
     "'target' must have two dimensions, not 1"},
    {"builtin.tensor.allgather", "W2x64:FP32 W2x64:FP32 W2:INT32", "dtype=FP32",
     "'input' must be one row, not [2, 64]"},
    {"builtin.tensor.all_to_all", "W2x64:FP16 W2x64:FP16 W2:INT32", "dtype=FP16",
     "'target' must have element type FP32, not FP16"},
    {"builtin.tensor.all_to_all_v", "W16x64:FP32 W16x64:FP32 W4x1:INT32 W3:INT32 W4x1:INT32",
     "dtype=FP32",
     "the first dimension of 'send_counts' must be the constant 4, as that of "
     "'signal'"},
};

START_TEST(right_uses_have_their_type) { op_cases_type(right, COUNT(right)); }
END_TEST

START_TEST(wrong_uses_are_refused) { op_cases_fail(wrong, COUNT(wrong)); }
END_TEST

START_TEST(every_operator_has_both) {
  op_cases_cover(1u << FAMILY_PLD | 1u << FAMILY_BUILTIN, right, COUNT(right), wrong, COUNT(wrong));
}
END_TEST

Suite *suite_ops_pld(void) {
  Suite *s = suite_create("ops_pld");
  TCase *t = tcase_create("types");
  tcase_add_test(t, right_uses_have_their_type);
  tcase_add_test(t, wrong_uses_are_refused);
  tcase_add_test(t, every_operator_has_both);
  suite_add_tcase(s, t);
  return s;
}
