/* Buffer operators: what calls are possible. */
#include <string.h>

#include "op_spec.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char none[] = "pl.VoidType";

static const OpCase right[] = {
    {"buffer.set_validshape", "B16x32:FP32@Vec/-1x-1 [3,N]", NULL, none},
    {"buffer.set_validshape", "B16x32:FP32@Vec/-1x32 [3,32]", NULL, none},
    {"buffer.copy", "B16x32:FP32@Vec B16x32:FP32@Vec", NULL, none},
    {"buffer.copy", "B16x32:FP16@Mat B16x32:FP16@Left", NULL, none},
    {"buffer.add", "B16x32:FP32@Vec B16x32:FP32@Vec B16x32:FP32@Vec", NULL, none},
    {"buffer.mul", "B16x32:INT32@Vec/8x32 B16x32:INT32@Vec/8x32 B16x32:INT32@Vec/8x32", NULL, none},
    {"buffer.matmul", "B16x32:FP16@Left B32x64:FP16@Right B16x64:FP32@Acc", NULL, none},
    {"buffer.matmul_acc", "B16x32:INT8@Left/9x32 B32x64:INT8@Right B16x64:INT32@Acc/9x64", NULL,
     none},
    {"buffer.extract", "B64x64:FP16@Mat 16 N B16x32:FP16@Left", NULL, none},
    {"buffer.load", "G64x64:FP32 [0,N] [16,32] B16x32:FP32@Vec", NULL, none},
    {"buffer.load", "G64x64:INT8 [48,0] [16,32] B16x32:INT8@Mat", NULL, none},
    {"buffer.load", "G64x64:FP32 [0,0] [N,32] B16x32:FP32@Vec/-1x32", NULL, none},
    {"buffer.store", "B16x32:FP32@Acc [0,0] [16,32] G64x64:BF16", NULL, none},
    {"buffer.store", "B16x32:FP32@Vec [0,0] [16,32] G64x64:FP32", NULL, none},
};

static const OpCase wrong[] = {
    {"buffer.set_validshape", "B16x32:FP32@Vec/-1x32 [3,31]", NULL,
     "the valid extent of dimension 1 must be 32, not 31"},
    {"buffer.set_validshape", "B16x32:FP32@Vec/-1x32 [17,32]", NULL,
     "the valid extent 17 of dimension 0 is not between 0 and 16"},
    {"buffer.set_validshape", "B16x32:FP32@Vec/-1x32 [3]", NULL,
     "'valid_extents' must hold 2 integers"},
    {"buffer.copy", "B16x32:FP32@Vec B16x32:FP16@Vec", NULL,
     "copies between equal buffers in Vec, or from Mat into Left or Right"},
    {"buffer.copy", "T16x32:FP32@Vec B16x32:FP32@Vec", NULL, "'src' must be a buffer, not Tile"},
    {"buffer.add", "B16x32:FP32@Vec B16x32:FP32@Vec B16x32:FP32@Mat", NULL,
     "all three buffers must be in Vec and have the same type"},
    {"buffer.mul", "B16x32:FP32@Vec B16x32:FP32@Vec/8x32 B16x32:FP32@Vec", NULL,
     "all three buffers must be in Vec and have the same type"},
    {"buffer.matmul", "B16x32:FP16@Left B32x64:FP16@Right B16x64:FP16@Acc", NULL,
     "FP16 and FP16 do not add up to FP16"},
    {"buffer.matmul", "B16x32:FP16@Left B32x64:FP16@Right B16x64:FP32@Acc/9x64", NULL,
     "valid extents [16, 32] x [32, 64] do not give [9, 64]"},
    {"buffer.matmul", "B16x32:FP16@Vec B32x64:FP16@Right B16x64:FP32@Acc", NULL,
     "the buffers must be in Left, Right and Acc"},
    {"buffer.matmul_acc", "B16x32:FP16@Left B64x64:FP16@Right B16x64:FP32@Acc", NULL,
     "the shapes must be [M, K], [K, N] and [M, N]"},
    {"buffer.extract", "B64x64:FP16@Mat 56 0 B16x32:FP16@Left", NULL,
     "dimension 0 of the window, 16 from 56, is not within 64"},
    {"buffer.extract", "B64x64:FP16@Vec 0 0 B16x32:FP16@Left", NULL,
     "copies a window of two dimensions from Mat into Left or Right, or within Vec"},
    {"buffer.load", "G64x64:FP32/20x64 [8,0] [16,32] B16x32:FP32@Vec", NULL,
     "dimension 0 of the window, 16 from 8, is not within 20"},
    {"buffer.load", "G64x64:FP32 [0,0] [8,32] B16x32:FP32@Vec", NULL,
     "the valid extent of dimension 0 must be 16, not 8"},
    {"buffer.load", "G64x64:INT8 [0,0] [16,32] B16x32:INT8@Vec", NULL,
     "'tensor' must have an element type of FP16, BF16, FP32, INT32, not INT8"},
    {"buffer.store", "B16x32:INT32@Acc [0,0] [16,32] G64x64:FP16", NULL,
     "INT32 cannot be stored as FP16"},
    {"buffer.store", "B16x32:FP16@Mat [0,0] [16,32] G64x64:FP16", NULL,
     "stores from Vec or Acc, not Mat"},
    {"buffer.alloc", "[] B16x32:FP32@Vec/-1x32", NULL, "'valid_extents' must hold 1 integers"},
    {"buffer.alloc", "[] -4 B16x32:FP32@Vec", NULL, "the address -4 is negative"},
    {"buffer.alloc", "[17] B16x32:FP32@Vec/-1x32", NULL,
     "the valid extent 17 of dimension 0 is not between 0 and 16"},
    {"buffer.alloc", "[] T16x32:FP32@Vec", NULL, "the result must be a buffer, not Tile"},
    {"buffer.subview", "B64x64:FP32@Vec [56,0] B16x32:FP32@Vec", NULL,
     "dimension 0 of the window, 16 from 56, is not within 64"},
    {"buffer.subview", "B64x64:FP32@Vec [0,0] B16x32:FP16@Vec", NULL,
     "a window is a row-major matrix in Vec with the source's element type"},
    {"buffer.subview", "B64x64:FP32@Vec [0,0] B16x32:FP32@Vec/8x32", NULL,
     "a window that is not valid as a whole needs its valid extents"},
    {"buffer.subview", "B64x64:FP32@Vec [0,0] [0,32] B16x32:FP32@Vec/-1x32", NULL,
     "the valid extent 0 of dimension 0 is not between 1 and 16"},
    {"buffer.reshape", "B16x32:FP32@Vec B16x16:FP32@Vec", NULL,
     "source and result must be buffers in one space with the same bytes and constant valid "
     "extents"},
    {"buffer.reshape", "B16x32:FP32@Vec B64x4:INT64@Vec", NULL,
     "source and result must be packed row-major matrices with rows of whole 32-byte blocks"},
    {"buffer.reshape", "B16x32:FP16@Mat B16x32:INT16@Mat", NULL,
     "only the layout of a buffer in Mat can change, not its element type"},
};

START_TEST(possible_calls) { op_cases_type(right, COUNT(right)); }
END_TEST

START_TEST(impossible_calls) { op_cases_fail_exactly(wrong, COUNT(wrong)); }
END_TEST

START_TEST(calls_with_a_written_type) {
  static const OpCase typed[] = {
      {"buffer.alloc", "[] B16x32:FP32@Vec", NULL, ""},
      {"buffer.alloc", "[N] B16x32:FP32@Vec/-1x32", NULL, ""},
      {"buffer.alloc", "[] 0 B16x32:FP32@Vec", NULL, ""},
      {"buffer.subview", "B128x32:UINT8@Vec [2,0] B64x32:UINT8@Vec", NULL, ""},
      {"buffer.subview", "B64x64:FP32@Vec [N,0] [M,32] B16x32:FP32@Vec/-1x32", NULL, ""},
      {"buffer.reshape", "B64x32:UINT8@Vec B16x32:FP32@Vec", NULL, ""},
  };
  for (size_t i = 0; i < COUNT(typed); i++) {
    Fixture f;
    fixture_init(&f);
    Expr *call = op_spec_call(&f, &typed[i]);
    ck_assert_msg(call != NULL, "%s %s: %s", typed[i].op, typed[i].args, fixture_messages(&f));
    ck_assert_int_eq(call->type->kind, TYPE_BUFFER);
    fixture_free(&f);
  }
}
END_TEST

START_TEST(effects_on_data_and_extents) {
  static const struct {
    OpCase call;
    int arg;
    OpEffect data, meta;
  } cases[] = {
      {{"buffer.add", "B16x32:FP32@Vec B16x32:FP32@Vec B16x32:FP32@Vec", NULL, ""},
       2,
       EFFECT_WRITE,
       EFFECT_READ},
      {{"buffer.set_validshape", "B16x32:FP32@Vec/-1x32 [N,32]", NULL, ""},
       0,
       EFFECT_NONE,
       EFFECT_WRITE},
      {{"buffer.matmul_acc", "B16x32:FP16@Left B32x64:FP16@Right B16x64:FP32@Acc", NULL, ""},
       2,
       EFFECT_READ_WRITE,
       EFFECT_READ},
      {{"buffer.load", "G64x64:FP32 [0,0] [16,32] B16x32:FP32@Vec", NULL, ""},
       1,
       EFFECT_NONE,
       EFFECT_NONE},
  };
  for (size_t i = 0; i < COUNT(cases); i++) {
    Fixture f;
    fixture_init(&f);
    Expr *call = op_spec_call(&f, &cases[i].call);
    ck_assert_ptr_nonnull(call);
    ck_assert_int_eq(op_arg_effect(call, cases[i].arg), cases[i].data);
    ck_assert_int_eq(op_arg_meta_effect(call, cases[i].arg), cases[i].meta);
    fixture_free(&f);
  }
}
END_TEST

START_TEST(existing_calls_are_checked_again) {
  Fixture f;
  fixture_init(&f);
  OpCase good = {"tile.add", "T16x32:FP32@Vec T16x32:FP32@Vec", NULL, ""};
  Expr *call = op_spec_call(&f, &good);
  ck_assert(op_recheck(&f.ir, call));
  call->type = type_with_space(&f.ir, call->type, MEM_MAT);
  ck_assert(op_recheck(&f.ir, call));
  call->type = type_scalar(&f.ir, DT_FP32);
  ck_assert(!op_recheck(&f.ir, call));
  ck_assert_ptr_nonnull(strstr(fixture_messages(&f), "where its operands give"));
  fixture_free(&f);
}
END_TEST

Suite *suite_ops_buffer(void) {
  Suite *s = suite_create("ops_buffer");
  TCase *t = tcase_create("calls");
  tcase_add_test(t, possible_calls);
  tcase_add_test(t, impossible_calls);
  tcase_add_test(t, calls_with_a_written_type);
  tcase_add_test(t, effects_on_data_and_extents);
  tcase_add_test(t, existing_calls_are_checked_again);
  suite_add_tcase(s, t);
  return s;
}
