/* test_type_tile.c -- pl.Tile: memory spaces, views and what they imply. */
#include "annot_case.h"

START_TEST(parts_in_any_order) {
  ANNOT_SAME("pl.Tile[[64, 64], pl.FP32]");
  ANNOT_SAME("pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec]");
  annot_prints("pl.Tile[[64, 64], pl.FP32, pl.MemorySpace.Acc]",
               "pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc]");
  annot_prints("pl.Tile[[64, 64], pl.FP32, pl.TileView(pad=pl.PadValue.zero), pl.Mem.Vec]",
               "pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, pl.TileView(pad=pl.PadValue.zero)]");
  annot_fails("pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, pl.Mem.Acc]", "a second memory space");
  annot_fails("pl.Tile[[64, 64], pl.FP32, pl.TileView(), pl.TileView()]", "a second TileView");
  annot_fails("pl.Tile[[64, 64], pl.FP32, pl.Mem.Vac]", "did you mean 'Vec'");
  annot_fails("pl.Tile[[64, 64], pl.FP32, pl.NZ]", "a Tile has no layout");
  annot_fails("pl.Tile[[64, 64], pl.FP32, 7]", "is not a MemRef, a memory space or a TileView");
  annot_fails("pl.Tile[[64, 64]]", "is written [[shape], dtype]");
  annot_fails("pl.Tile[[64, 63], pl.FP4]", "positive and even");
}
END_TEST

/* A view that says what the memory space implies is no view. */
START_TEST(implied_views) {
  annot_prints("pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, pl.TileView()]",
               "pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec]");
  annot_prints(
      "pl.Tile[[64, 64], pl.FP32, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.col_major, "
      "slayout=pl.TileLayout.row_major, fractal=512)]",
      "pl.Tile[[64, 64], pl.FP32, pl.Mem.Mat]");
  annot_prints("pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc, pl.TileView(fractal=1024)]",
               "pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc]");
  annot_prints(
      "pl.Tile[[64, 64], pl.FP32, pl.Mem.Right, pl.TileView(blayout=pl.TileLayout.row_major, "
      "slayout=pl.TileLayout.col_major)]",
      "pl.Tile[[64, 64], pl.FP32, pl.Mem.Right]");
  annot_prints("pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.LeftScale, pl.TileView(fractal=32)]",
               "pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.LeftScale]");
  annot_prints(
      "pl.Tile[[2, 16], pl.FP8E8M0, pl.Mem.RightScale, "
      "pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.col_major)]",
      "pl.Tile[[2, 16], pl.FP8E8M0, pl.Mem.RightScale]");
  /* A column lies column by column, in vector memory too. */
  annot_prints(
      "pl.Tile[[64, 1], pl.FP32, pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major)]",
      "pl.Tile[[64, 1], pl.FP32, pl.Mem.Vec]");
  ANNOT_SAME("pl.Tile[[64, 1], pl.FP32, pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.row_major)]");
  /* The same view means another thing elsewhere. */
  ANNOT_SAME(
      "pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major, "
      "slayout=pl.TileLayout.row_major)]");
  ANNOT_SAME("pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc, pl.TileView(fractal=512)]");
}
END_TEST

START_TEST(view_fields) {
  ANNOT_SAME(
      "pl.Tile[[16, 16], pl.FP16, pl.Mem.Left, pl.TileView(valid_shape=[8, 16], stride=[1, 16], "
      "start_offset=0)]");
  ANNOT_SAME(
      "pl.Tile[[16, 16], pl.FP16, pl.Mem.Left, pl.TileView(valid_shape=[n, 16], "
      "compact=pl.CompactMode.normal)]");
  ANNOT_SAME(
      "pl.Tile[[16, 16], pl.FP16, pl.TileView(valid_shape=[n * pl.const(2, pl.INDEX), 16])]");
  annot_prints("pl.Tile[[16, 16], pl.FP16, pl.TileView(valid_shape=[16, 16])]",
               "pl.Tile[[16, 16], pl.FP16]");
  annot_fails("pl.Tile[[16, 16], pl.FP16, pl.TileView(valid_shap=[8, 8])]",
              "did you mean 'valid_shape'");
  annot_fails("pl.Tile[[16, 16], pl.FP16, pl.TileView(fractal=0)]", "at least 1");
  annot_fails("pl.Tile[[16, 16], pl.FP16, pl.TileView(fractal=n)]", "integer constant");
  annot_fails("pl.Tile[[16, 16], pl.FP16, pl.TileView(blayout=pl.TileLayout.rowmajor)]",
              "did you mean 'row_major'");
  annot_fails("pl.Tile[[16, 16], pl.FP16, pl.TileView(compact=pl.CompactMode.tight)]",
              "not a pl.CompactMode value");
  annot_fails("pl.Tile[[16, 16], pl.FP16, pl.TileView(start_offset=pl.yield_(n))]", "cannot yield");
  annot_fails("pl.Tile[[16, 16], pl.FP16, pl.TileView(valid_shape=8)]", "is a list");
}
END_TEST

Suite *suite_type_tile(void) {
  Suite *s = suite_create("tile types");
  TCase *t = tcase_create("annotations");
  tcase_add_test(t, parts_in_any_order);
  tcase_add_test(t, implied_views);
  tcase_add_test(t, view_fields);
  suite_add_tcase(s, t);
  return s;
}
