import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore, attrs={"split": pl.SplitMode.UP_DOWN})
    def kernel(self, acc: pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc], w: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        x: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        for i, (c,) in pl.range(4, init_values=(w,)):
            d: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.add(c, x)
            e: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.yield_(d)
        return out
