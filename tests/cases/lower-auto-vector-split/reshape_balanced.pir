import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore, attrs={"split": pl.SplitMode.UP_DOWN})
    def kernel(self, acc: pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[13, 64])], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        x: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[13, 64])] = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y: pl.Tile[[1, 1024], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(x, [1, 1024])
        return out
