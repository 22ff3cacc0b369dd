# What a loop carries is written where it was read: the new buffer of each round goes.
import pypto.language as pl


@pl.program
class Carried:
    @pl.function(type=pl.FunctionType.InCore)
    def double(self, x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]) -> pl.Tensor[[16, 32], pl.FP32]:
        t: pl.Tile[[16, 32], pl.FP32] = pl.tile.load(x, [0, 0], [16, 32], [16, 32])
        u: pl.Tile[[16, 32], pl.FP32] = pl.tile.add(t, t)
        y_1: pl.Tensor[[16, 32], pl.FP32] = pl.tile.store(u, [0, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[16, 32], pl.FP32]) -> pl.Tensor[[16, 32], pl.FP32]:
        for i, (c,) in pl.range(4, init_values=(a,)):
            new: pl.Tensor[[16, 32], pl.FP32] = pl.tensor.create([16, 32], dtype=pl.FP32)
            d: pl.Tensor[[16, 32], pl.FP32] = self.double(c, new)
            e = pl.yield_(d)
        return e
