/* What a row says of its operands, and how a call's operands are found by their names. */
#include "op_args.h"
#include "op_spec.h"

static Expr *make(Fixture *f, const char *op, const char *args, const char *kwargs) {
  fixture_init(f);
  Expr *call = op_spec_call(f, &(OpCase){op, args, kwargs, ""});
  ck_assert_msg(call != NULL, "%s: %s", op, fixture_messages(f));
  return call;
}

START_TEST(operands_have_their_place) {
  Fixture f;
  Expr *call = make(&f, "tile.store", "T16x32:FP32@Vec [0,0] G16x32:FP32", NULL);
  ck_assert_ptr_eq(tile_store_tile(call), call->u.call.args[0]);
  ck_assert_ptr_eq(tile_store_offsets(call), call->u.call.args[1]);
  ck_assert_ptr_eq(tile_store_output_tensor(call), call->u.call.args[2]);
  ck_assert_ptr_null(tile_store_shapes(call));
  ck_assert_int_eq(ARG_TILE_STORE_OUTPUT_TENSOR, 2);
  fixture_free(&f);
}
END_TEST

/* One staging tile: the lists behind it come one place earlier than in the row. */
START_TEST(operands_behind_one_left_out_are_found) {
  Fixture f;
  Expr *call =
      make(&f, "pld.tile.put", "W16x32:FP32 S:INT32 G16x32:FP32 T8x32:FP32@Vec [0,0] [8,0] [8,32]",
           "atomic=None_");
  ck_assert_ptr_eq(pld_tile_put_stage(call), call->u.call.args[3]);
  ck_assert_ptr_null(pld_tile_put_stage2(call));
  ck_assert_ptr_eq(pld_tile_put_dst_offsets(call), call->u.call.args[4]);
  ck_assert_ptr_eq(pld_tile_put_src_offsets(call), call->u.call.args[5]);
  ck_assert_ptr_eq(pld_tile_put_shape(call), call->u.call.args[6]);
  fixture_free(&f);
}
END_TEST

START_TEST(nothing_left_out_nothing_moves) {
  Fixture f;
  Expr *call =
      make(&f, "pld.tile.put",
           "W16x32:FP32 S:INT32 G16x32:FP32 T8x32:FP32@Vec T8x32:FP32@Vec [0,0] [8,0] [8,32]",
           "atomic=None_");
  ck_assert_ptr_eq(pld_tile_put_stage2(call), call->u.call.args[4]);
  ck_assert_ptr_eq(pld_tile_put_dst_offsets(call), call->u.call.args[5]);
  ck_assert_ptr_eq(pld_tile_put_shape(call), call->u.call.args[7]);
  fixture_free(&f);
}
END_TEST

START_TEST(operands_left_out_at_the_end_are_null) {
  Fixture f;
  Expr *call =
      make(&f, "pld.tile.put", "W16x32:FP32 S:INT32 G16x32:FP32 T16x32:FP32@Vec", "atomic=None_");
  ck_assert_ptr_null(pld_tile_put_stage2(call));
  ck_assert_ptr_null(pld_tile_put_dst_offsets(call));
  ck_assert_ptr_null(pld_tile_put_shape(call));
  fixture_free(&f);
}
END_TEST

Suite *suite_op_rows(void) {
  Suite *s = suite_create("op_rows");
  TCase *t = tcase_create("operands");
  tcase_add_test(t, operands_have_their_place);
  tcase_add_test(t, operands_behind_one_left_out_are_found);
  tcase_add_test(t, nothing_left_out_nothing_moves);
  tcase_add_test(t, operands_left_out_at_the_end_are_null);
  suite_add_tcase(s, t);
  return s;
}
