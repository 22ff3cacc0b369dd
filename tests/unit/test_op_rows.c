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

/* A row with one of its strings wrong, and the fault that is told. */
static const struct {
  Op row;
  const char *fault;
} faulty[] = {
    {{.args = "lhs:tile rhs:tile", .in_mem = "Vec Vex"}, "unknown space in 'Vex'"},
    {{.args = "lhs:tile", .in_mem = "Vec|Axx"}, "unknown space in 'Vec|Axx'"},
    {{.args = "lhs:tile", .in_mem = "Vec Vec"}, "a space for an operand that is not there"},
    {{.args = "lhs:tile", .effects = "x"}, "unknown effect 'x'"},
    {{.args = "lhs:tile", .effects = "wr"}, "unknown effect 'wr'"},
    {{.args = "lhs:tile", .effects = "r w"}, "an effect on an operand that is not there"},
    {{.args = "lhs:tile", .meta = "r r"}, "an effect on an operand that is not there"},
    {{.args = "lhs:tile", .meta = "q"}, "unknown effect 'q'"},
    {{.args = "lhs:tile", .out_mem = "Vek"}, "unknown space 'Vek'"},
    {{.args = "lhs:tile", .out_mem = "kw:target"}, "no keyword 'target'"},
    {{.args = "lhs:tile", .kwargs = "target:mem", .out_mem = "kw:target=Vek"},
     "unknown space 'Vek'"},
    {{.args = "lhs:tile", .kwargs = "target:mem", .out_mem = "kw:target="}, "unknown space ''"},
};

START_TEST(a_faulty_row_is_told) {
  Fixture f;
  fixture_init(&f);
  for (size_t i = 0; i < sizeof faulty / sizeof faulty[0]; i++) {
    Op row = faulty[i].row;
    const char *fault = op_read_row(&f.ir, &row);
    ck_assert_msg(fault != NULL, "row %zu has no fault", i);
    ck_assert_str_eq(fault, faulty[i].fault);
  }
  fixture_free(&f);
}
END_TEST

START_TEST(a_row_is_read_into_fields) {
  Fixture f;
  fixture_init(&f);
  Op row = {.args = "a:tile b:tensor? c:tile",
            .kwargs = "target:mem",
            .in_mem = "Acc|Vec -",
            .effects = "rw w",
            .meta = "- r",
            .out_mem = "kw:target=Mat"};
  ck_assert_ptr_null(op_read_row(&f.ir, &row));
  ck_assert_int_eq(row.nargs, 3);
  const OpParam *a = &row.arg_params[0], *b = &row.arg_params[1], *c = &row.arg_params[2];
  ck_assert_uint_eq(a->spaces, 1u << MEM_VEC | 1u << MEM_ACC);
  ck_assert_int_eq(a->space, MEM_ACC); /* named first */
  ck_assert_int_eq(a->effect, EFFECT_READ_WRITE);
  ck_assert_int_eq(a->meta_effect, EFFECT_NONE);
  ck_assert_uint_eq(b->spaces, 0);
  ck_assert_int_eq(b->space, MEM_NONE);
  ck_assert_int_eq(b->effect, EFFECT_WRITE);
  ck_assert_int_eq(b->meta_effect, EFFECT_READ);
  ck_assert(b->optional && !a->optional);
  ck_assert_uint_eq(c->spaces, 0); /* no word for it: any space, read, no valid extents */
  ck_assert_int_eq(c->effect, EFFECT_READ);
  ck_assert_int_eq(c->meta_effect, EFFECT_NONE);
  ck_assert_int_eq(row.place.kind, PLACE_KEYWORD);
  ck_assert_int_eq(row.place.space, MEM_MAT);
  ck_assert_str_eq(row.place.keyword, "target");
  fixture_free(&f);
}
END_TEST

START_TEST(places_of_results) {
  Fixture f;
  fixture_init(&f);
  AttrList none = {NULL, 0};
  AttrList left =
      attr_with(&f.ir, none, ir_name(&f.ir, "target_memory"), attr_of_enum(ENUM_MEM, MEM_LEFT));
  const Op *move = op_get(&f.ir, OP_TILE_MOVE), *load = op_get(&f.ir, OP_TILE_LOAD);
  ck_assert_int_eq(op_result_space(move, none), MEM_VEC);
  ck_assert_int_eq(op_result_space(move, left), MEM_LEFT);
  ck_assert_int_eq(op_result_space(load, none), MEM_NONE);
  ck_assert_int_eq(op_result_space(load, left), MEM_LEFT);
  ck_assert_int_eq(op_result_space(op_get(&f.ir, OP_TILE_FULL), left), MEM_VEC);
  ck_assert_int_eq(op_result_space(op_get(&f.ir, OP_TILE_STORE), left), MEM_NONE);
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
  tcase_add_test(t, a_faulty_row_is_told);
  tcase_add_test(t, a_row_is_read_into_fields);
  tcase_add_test(t, places_of_results);
  suite_add_tcase(s, t);
  return s;
}
