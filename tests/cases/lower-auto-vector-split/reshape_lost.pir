import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore, attrs={"split": pl.SplitMode.UP_DOWN})
    def kernel(self, acc: pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        x: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y: pl.Tile[[1, 1024], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(x, [1, 1024])
        z: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(y, [16, 64])
        s: pl.Tile[[12, 64], pl.FP32, pl.Mem.Vec] = pl.tile.slice(z, [12, 64], [0, 0])
        t: pl.Tile[[3, 256], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(s, [3, 256])
        return out
