/* test_type_tensor.c -- pl.Tensor and pld.DistributedTensor, their layouts and views. */
#include "annot_case.h"

START_TEST(shapes) {
  ANNOT_SAME("pl.Tensor[[64, 128], pl.FP32]");
  ANNOT_SAME("pl.Tensor[[], pl.FP32]");
  ANNOT_SAME("pl.Tensor[[M, 128], pl.BF16]");
  annot_prints("pl.Tensor[[TILE * 2, 8], HALF]", "pl.Tensor[[64, 8], pl.FP16]");
  annot_prints("Tensor[SHAPE, INT8]", "pl.Tensor[[4, 8], pl.INT8]");
  annot_prints("pl.Tensor((4, 8), pl.INT8)", "pl.Tensor[[4, 8], pl.INT8]");
  ANNOT_SAME("pl.Tensor[[M * pl.const(2, pl.INDEX), 8], pl.FP32]");
  annot_prints("pl.Tensor[[pl.const(64, pl.INT64)], pl.FP32]", "pl.Tensor[[64], pl.FP32]");
  annot_fails("pl.Tensor[[64, nope], pl.FP32]", "nope");
  annot_fails("pl.Tensor[[64, x], pl.FP32]", "must be an integer");
  annot_fails("pl.Tensor[[64, -1], pl.FP32]", "negative");
  annot_fails("pl.Tensor[64, pl.FP32]", "a shape is a list");
  annot_fails("pl.Tensor[[64]]", "is written [[shape], dtype]");
  annot_fails("pl.Tensor", "needs its shape");
  annot_fails("pl.Tensro[[64], pl.FP32]", "did you mean 'pl.Tensor'");
  annot_fails("pl.Tensor[[64], pl.FP33]", "did you mean 'FP32'");
}
END_TEST

START_TEST(packed_fp4) {
  ANNOT_SAME("pl.Tensor[[16, 32], pl.FP4]");
  ANNOT_SAME("pl.Tensor[[16, M], pl.FP4]");
  annot_fails("pl.Tensor[[16, 31], pl.FP4]", "positive and even");
  annot_fails("pl.Tensor[[16, 0], pl.FP4]", "positive and even");
  annot_fails("pl.Tensor[[], pl.FP4]", "need a dimension");
}
END_TEST

START_TEST(layouts) {
  annot_prints("pl.Tensor[[64, 128], pl.FP32, pl.ND]", "pl.Tensor[[64, 128], pl.FP32]");
  annot_prints(
      "pl.Tensor[[64, 128], pl.FP16, pl.NZ]",
      "pl.Tensor[[64, 128], pl.FP16, pl.TensorView(stride=[], layout=pl.TensorLayout.NZ)]");
  annot_prints(
      "pl.Tensor[[64, 128], pl.FP16, ORDER]",
      "pl.Tensor[[64, 128], pl.FP16, pl.TensorView(stride=[], layout=pl.TensorLayout.NZ)]");
  annot_prints(
      "pl.Tensor[[16, 2], pl.FP8E8M0, pl.MX_A_ZZ]",
      "pl.Tensor[[16, 2], pl.FP8E8M0, pl.TensorView(stride=[], layout=pl.TensorLayout.MX_A_ZZ)]");
  annot_prints(
      "pl.Tensor[[2, 16], pl.FP8E8M0, pl.TensorLayout.MX_B_NN]",
      "pl.Tensor[[2, 16], pl.FP8E8M0, pl.TensorView(stride=[], layout=pl.TensorLayout.MX_B_NN)]");
  annot_fails("pl.Tensor[[64, 128], pl.FP32, pl.DN]", "DN alone");
  annot_fails("pl.Tensor[[64, 128], pl.FP32, pl.QQ]", "is not a layout");
}
END_TEST

START_TEST(nz_alignment) {
  annot_fails("pl.Tensor[[64, 130], pl.FP16, pl.NZ]", "multiple of 16 columns");
  annot_fails("pl.Tensor[[60, 128], pl.FP16, pl.NZ]", "multiple of 16 rows");
  annot_fails("pl.Tensor[[64, 16], pl.INT8, pl.NZ]", "multiple of 32 columns");
  annot_fails("pl.Tensor[[M, 128], pl.FP16, pl.NZ]", "shape of constants");
  annot_fails("pl.Tensor[[64], pl.FP16, pl.NZ]", "not 1 dimensions");
  annot_fails("pl.Tensor[[2, 2, 64, 64], pl.FP16, pl.NZ]", "not 4 dimensions");
  annot_fails("pl.Tensor[[64, 64], pl.FP4, pl.NZ]", "whole bytes");
  annot_prints(
      "pl.Tensor[[3, 32, 8], pl.FP32, pl.NZ]",
      "pl.Tensor[[3, 32, 8], pl.FP32, pl.TensorView(stride=[], layout=pl.TensorLayout.NZ)]");
}
END_TEST

START_TEST(views) {
  ANNOT_SAME(
      "pl.Tensor[[16, 64], pl.FP32, pl.TensorView(stride=[1024, 1], layout=pl.TensorLayout.ND)]");
  ANNOT_SAME(
      "pl.Tensor[[16, 64], pl.FP32, pl.TensorView(valid_shape=[n, 64], stride=[], "
      "layout=pl.TensorLayout.ND, pad=pl.PadValue.zero)]");
  ANNOT_SAME(
      "pl.Tensor[[16, 64], pl.FP32, pl.TensorView(stride=[1, 16], layout=pl.TensorLayout.DN)]");
  annot_prints(
      "pl.Tensor[[16, 64], pl.FP32, STRIDED]",
      "pl.Tensor[[16, 64], pl.FP32, pl.TensorView(stride=[128, 1], layout=pl.TensorLayout.ND)]");
  /* The whole is valid: that is no view at all. */
  annot_prints("pl.Tensor[[16, 64], pl.FP32, pl.TensorView(valid_shape=[16, 64], layout=pl.ND)]",
               "pl.Tensor[[16, 64], pl.FP32]");
  annot_prints("pl.Tensor[[16, 64], pl.FP32, pl.TensorView()]", "pl.Tensor[[16, 64], pl.FP32]");
  annot_fails("pl.Tensor[[16, 64], pl.FP32, pl.TensorView(stride=[64, 1])]", "needs layout=");
  annot_fails("pl.Tensor[[16, 64], pl.FP32, pl.TensorView([64, 1])]", "keyword arguments only");
  annot_fails("pl.Tensor[[16, 64], pl.FP32, pl.TensorView(strid=[1], layout=pl.ND)]",
              "did you mean 'stride'");
  annot_fails("pl.Tensor[[16, 64], pl.FP32, pl.TensorView(stride=[x, 1], layout=pl.ND)]",
              "must be an integer");
  annot_fails("pl.Tensor[[16, 64], pl.FP32, pl.TensorView(layout=pl.ND, pad=pl.PadValue.nul)]",
              "did you mean 'null'");
}
END_TEST

START_TEST(distributed) {
  ANNOT_SAME("pld.DistributedTensor[[256], pl.FP32]");
  annot_prints("pld.DistributedTensor[[256], pl.FP32, \"window_buffer=buf\"]",
               "pld.DistributedTensor[[256], pl.FP32]");
  /* A dump does not declare the dimensions that only stand here. */
  ANNOT_SAME("pld.DistributedTensor[[ANY, 4], pl.FP32]");
  annot_fails("pld.DistributedTensor[[256], pl.FP32, pl.DN]", "DN alone");
}
END_TEST

Suite *suite_type_tensor(void) {
  Suite *s = suite_create("tensor types");
  TCase *t = tcase_create("annotations");
  tcase_add_test(t, shapes);
  tcase_add_test(t, packed_fp4);
  tcase_add_test(t, layouts);
  tcase_add_test(t, nz_alignment);
  tcase_add_test(t, views);
  tcase_add_test(t, distributed);
  suite_add_tcase(s, t);
  return s;
}
