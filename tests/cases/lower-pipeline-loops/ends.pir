# No iteration: a plain loop. Fewer iterations than stages: copies without a loop. One stage: nothing to do.
import pypto.language as pl


@pl.program
class Ends:
    @pl.function(type=pl.FunctionType.AIV)
    def none(self, x: pl.Tensor[[128, 64], pl.FP32], y: pl.Out[pl.Tensor[[128, 64], pl.FP32]]):
        for i in pl.pipeline(8, 8, stage=4):
            part: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [i, 0], [1, 64], [1, 64], target_memory=pl.Mem.Vec)
            pl.tile.store(part, [i, 0], y)

    @pl.function(type=pl.FunctionType.AIV)
    def few(self, x: pl.Tensor[[128, 64], pl.FP32], y: pl.Out[pl.Tensor[[128, 64], pl.FP32]]):
        for i in pl.pipeline(2, 8, 4, stage=4):
            part: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [i, 0], [1, 64], [1, 64], target_memory=pl.Mem.Vec)
            pl.tile.store(part, [i, 0], y)

    @pl.function(type=pl.FunctionType.AIV)
    def one(self, x: pl.Tensor[[128, 64], pl.FP32], y: pl.Out[pl.Tensor[[128, 64], pl.FP32]]):
        for i in pl.pipeline(8, stage=1):
            part: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [i, 0], [1, 64], [1, 64], target_memory=pl.Mem.Vec)
            pl.tile.store(part, [i, 0], y)
