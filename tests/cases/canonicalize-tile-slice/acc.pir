# An Acc tile lies in blocks of 16 columns over all rows: half of the rows are no single run of it.
import pypto.language as pl


@pl.program
class Slice:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, l: pl.Tile[[16, 32], pl.FP16, pl.Mem.Left], r: pl.Tile[[32, 32], pl.FP16, pl.Mem.Right], acc: pl.Tile[[32, 32], pl.FP32, pl.Mem.Acc]):
        half: pl.Tile[[16, 32], pl.FP32, pl.Mem.Acc] = pl.tile.slice(acc, [16, 32], [16, 0])
        sum: pl.Tile[[16, 32], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_acc(half, l, r)
