# Bounds that are not known: a main loop, then one test for each number of iterations that may be left.
import pypto.language as pl


@pl.program
class Dynamic:
    @pl.function(type=pl.FunctionType.AIV)
    def sum(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[1024, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.FP32]]) -> pl.Tensor[[1, 64], pl.FP32]:
        zero: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec] = pl.tile.full([1, 64], dtype=pl.FP32, value=0.0)
        for i, (acc,) in pl.pipeline(n, stage=3, init_values=(zero,)):
            part: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [i, 0], [1, 64], [1, 64], target_memory=pl.Mem.Vec)
            acc_1: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec] = pl.tile.add(acc, part)
            total = pl.yield_(acc_1)
        y_1: pl.Tensor[[1, 64], pl.FP32] = pl.tile.store(total, [0, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.AIV)
    def steps(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[1024, 64], pl.FP32], y: pl.Out[pl.Tensor[[1024, 64], pl.FP32]]):
        for i in pl.pipeline(2, n, 4, stage=2):
            part: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [i, 0], [1, 64], [1, 64], target_memory=pl.Mem.Vec)
            pl.tile.store(part, [i, 0], y)
