# Seven iterations of two stages: three rounds and one copy behind; five of them in steps of 3 leave nothing over.
import pypto.language as pl


@pl.program
class Static:
    @pl.function(type=pl.FunctionType.AIV)
    def sum(self, x: pl.Tensor[[128, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        zero: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.full([16, 64], dtype=pl.FP32, value=0.0)
        for i, (acc,) in pl.pipeline(7, stage=2, init_values=(zero,)):
            part: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [i * 16, 0], [16, 64], [16, 64], target_memory=pl.Mem.Vec)
            acc_1: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.add(acc, part)
            total = pl.yield_(acc_1)
        y_1: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(total, [0, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.AIV)
    def exact(self, x: pl.Tensor[[128, 64], pl.FP32], y: pl.Out[pl.Tensor[[128, 64], pl.FP32]]):
        for i in pl.pipeline(4, 16, 3, stage=4):
            part: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [i, 0], [1, 64], [1, 64], target_memory=pl.Mem.Vec)
            pl.tile.store(part, [i, 0], y)
