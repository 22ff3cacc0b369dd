# What a loop carries lies in a tile of its own.
import pypto.language as pl


@pl.program
class Slice:
    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, x: pl.Tensor[[32, 64], pl.FP32], y: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
        t: pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [32, 64], [32, 64], target_memory=pl.Mem.Vec)
        first: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = pl.tile.slice(t, [8, 8], [0, 1])
        for i, (acc,) in pl.range(4, init_values=(first,)):
            next: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = pl.tile.slice(t, [8, 8], [i, 1])
            last = pl.yield_(next)
        pl.tile.store(last, [0, 0], y)
