import pypto.language as pl

@pl.program
class Views:
    @pl.function(type=pl.FunctionType.InCore)
    def f(self, nd: pl.Tensor[[16, 64], pl.FP16, pl.ND], none: pl.Tensor[[16, 64], pl.FP16, pl.TensorView()],
          part: pl.Tensor[[16, 64], pl.FP16, pl.TensorView(stride=[64, 1], layout=pl.TensorLayout.ND, valid_shape=[8, 64], pad=pl.PadValue.zero)],
          dn: pl.Tensor[[16, 64], pl.FP16, pl.TensorView(layout=pl.TensorLayout.DN)],
          a: pl.Tensor[[16, 2], pl.FP8E8M0, pl.MX_A_ZZ], b: pl.Tensor[[2, 16], pl.FP8E8M0, pl.TensorLayout.MX_B_NN],
          tile: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec, pl.TileView()],
          said: pl.Tile[[16, 16], pl.FP16, pl.Mem.Left, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major)],
          tid: pl.TaskId):
        return
