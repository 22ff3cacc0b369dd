/* Every operator of arrays, synchronisation, pipes, tasks and prefetch: right uses with the type
 * that follows, wrong ones with the message. */
#include <string.h>

#include "op_spec.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const OpCase right[] = {
    {"array.create", "8", "dtype=TASK_ID", "pl.Array[8, pl.TASK_ID]"},
    {"array.get_element", "A8:INT32 i", NULL, "pl.Scalar[pl.INT32]"},
    {"array.update_element", "A8:INT32 0 i", NULL, "pl.Array[8, pl.INT32]"},
    {"array.update_element", "A8:TASK_ID i S:TASK_ID", NULL, "pl.Array[8, pl.TASK_ID]"},
    {"system.sync_src", "", "set_pipe=MTE2 wait_pipe=V event_id=1", "pl.UnknownType"},
    {"system.sync_dst", "", "set_pipe=MTE2 wait_pipe=V event_id=1", "pl.UnknownType"},
    {"system.bar_v", "", NULL, "pl.UnknownType"},
    {"system.bar_m", "", NULL, "pl.UnknownType"},
    {"system.bar_all", "", NULL, "pl.UnknownType"},
    {"system.fence", "", NULL, "pl.UnknownType"},
    {"system.cacheinvalid", "", NULL, "pl.UnknownType"},
    {"system.cacheinvalid", "G16x32:FP32 [1,8] [i,0]", NULL, "pl.UnknownType"},
    {"system.syncall", "", "core_type='mix'", "pl.UnknownType"},
    {"system.syncall", "G16:INT32 4:INT32", "core_type='aiv_only' mode='soft'", "pl.UnknownType"},
    {"system.set_ffts", "G256:INT64", NULL, "pl.UnknownType"},
    {"system.sync_set", "", "pipe=MTE3 event_id=3 ffts_mode=1", "pl.UnknownType"},
    {"system.sync_set", "i", "pipe=MTE3 core_type='aiv'", "pl.UnknownType"},
    {"system.sync_wait", "", "pipe=MTE3 event_id=0", "pl.UnknownType"},
    {"system.aic_initialize_pipe", "S:INT32 0:INT32", "dir_mask=1 slot_size=512", "pl.UnknownType"},
    {"system.aiv_initialize_pipe", "S:INT32 0:INT32", "dir_mask=1 slot_size=512", "pl.UnknownType"},
    {"system.reserve_buffer", "", "name='buf' size=4096 base=-1", "pl.Scalar[pl.INT32]"},
    {"system.import_peer_buffer", "", "name='buf' peer_func='aiv'", "pl.Scalar[pl.INT32]"},
    {"system.tfree_to_aic", "T16x16:FP32@Vec", NULL, "pl.UnknownType"},
    {"system.tfree_to_aiv", "T16x16:FP32@Mat", "split=1 id=2", "pl.UnknownType"},
    {"system.task_invalid", "", NULL, "pl.Scalar[pl.TASK_ID]"},
    {"system.task_dummy", "", NULL, "pl.Scalar[pl.TASK_ID]"},
    {"system.task_is_valid", "S:TASK_ID", NULL, "pl.Scalar[pl.BOOL]"},
    {"system.available_cluster_count", "", NULL, "pl.Scalar[pl.INT32]"},
    {"system.available_aiv_count", "", NULL, "pl.Scalar[pl.INT32]"},
    {"prefetch.make_context", "", NULL, "pl.PrefetchAsyncContext"},
    {"prefetch.async_prefetch", "G1x1024:FP32 prefetch", NULL, "pl.AsyncEvent"},
    {"prefetch.session", "prefetch", NULL, "pl.AsyncSession"},
    {"prefetch.wait", "event session", NULL, "pl.Scalar[pl.BOOL]"},
};

static const OpCase wrong[] = {
    {"array.create", "i", "dtype=INT32", "'extent' must be a constant"},
    {"array.create", "8", "dtype=FP32", "an array holds integers, BOOL or TASK_ID, not FP32"},
    {"array.get_element", "G8:INT32 i", NULL, "'array' must be an Array, not Tensor"},
    {"array.update_element", "A8:INT32 0 S:FP32", NULL, "cannot put FP32 into an array of INT32"},
    {"system.sync_src", "1", "set_pipe=MTE2", "takes 0 operands, not 1"},
    {"system.sync_dst", "1", "set_pipe=MTE2", "takes 0 operands, not 1"},
    {"system.bar_v", "1", NULL, "takes 0 operands, not 1"},
    {"system.bar_m", "1", NULL, "takes 0 operands, not 1"},
    {"system.bar_all", "1", NULL, "takes 0 operands, not 1"},
    {"system.fence", "1", NULL, "takes 0 operands, not 1"},
    {"system.cacheinvalid", "G16x32:FP32 [1] [i,0]", NULL,
     "'shapes' has 1 elements, the tensor 2 dimensions"},
    {"system.syncall", "", "core_type='all'",
     "'core_type' must be 'aiv_only', 'aic_only' or 'mix', not 'all'"},
    {"system.set_ffts", "G128:INT64", NULL,
     "the workspace must be a tensor [n] of INT64 with a constant n of at least "
     "256, not [128] of INT64"},
    {"system.sync_set", "", "pipe=MTE3 event_id=14", "'event_id' must be from 0 to 13, it is 14"},
    {"system.sync_set", "i", "pipe=MTE3 event_id=1",
     "needs one event_id, a number or an INDEX value"},
    {"system.sync_wait", "", "pipe=MTE3", "needs one event_id, a number or an INDEX value"},
    {"system.aic_initialize_pipe", "S:FP32 0:INT32", "dir_mask=1 slot_size=512",
     "'c2v_consumer_buf' must be an integer, not Scalar[FP32]"},
    {"system.aiv_initialize_pipe", "S:FP32 0:INT32", "dir_mask=1 slot_size=512",
     "'c2v_consumer_buf' must be an integer, not Scalar[FP32]"},
    {"system.reserve_buffer", "1", "name='buf'", "takes 0 operands, not 1"},
    {"system.import_peer_buffer", "1", "name='buf'", "takes 0 operands, not 1"},
    {"system.tfree_to_aic", "G16x16:FP32", NULL, "'tile' must be a Tile, not Tensor"},
    {"system.tfree_to_aiv", "G16x16:FP32", NULL, "'tile' must be a Tile, not Tensor"},
    {"system.task_invalid", "1", NULL, "takes 0 operands, not 1"},
    {"system.task_dummy", "1", NULL, "takes 0 operands, not 1"},
    {"system.task_is_valid", "S:INT64", NULL, "'task_id' must be a TASK_ID, not Scalar[INT64]"},
    {"system.available_cluster_count", "1", NULL, "takes 0 operands, not 1"},
    {"system.available_aiv_count", "1", NULL, "takes 0 operands, not 1"},
    {"prefetch.make_context", "1", NULL, "takes 0 operands, not 1"},
    {"prefetch.async_prefetch", "G2x1024:FP32 prefetch", NULL,
     "'src' must be one run of elements, [N] or [1, ..., N], not [2, 1024]"},
    {"prefetch.async_prefetch", "GN:FP32 prefetch", NULL,
     "dimension 0 of 'src' must be a constant: the number of bytes must be known"},
    {"prefetch.session", "event", NULL,
     "'ctx' must be a PrefetchAsyncContext (of pl.prefetch.make_context), not "
     "AsyncEvent"},
    {"prefetch.wait", "session session", NULL,
     "'event' must be an AsyncEvent (of pl.prefetch.async_prefetch), not "
     "AsyncSession"},
};

START_TEST(right_uses_have_their_type) { op_cases_type(right, COUNT(right)); }
END_TEST

START_TEST(wrong_uses_are_refused) { op_cases_fail(wrong, COUNT(wrong)); }
END_TEST

START_TEST(every_operator_has_both) {
  op_cases_cover(1u << FAMILY_ARRAY | 1u << FAMILY_SYSTEM | 1u << FAMILY_PREFETCH, right,
                 COUNT(right), wrong, COUNT(wrong));
}
END_TEST

Suite *suite_ops_system(void) {
  Suite *s = suite_create("ops_system");
  TCase *t = tcase_create("types");
  tcase_add_test(t, right_uses_have_their_type);
  tcase_add_test(t, wrong_uses_are_refused);
  tcase_add_test(t, every_operator_has_both);
  suite_add_tcase(s, t);
  return s;
}
