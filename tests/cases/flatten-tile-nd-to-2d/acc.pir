# The accumulator is no matrix of all rows.
import pypto.language as pl


@pl.program
class Pages:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, a: pl.Tile[[2, 16, 16], pl.FP32, pl.Mem.Acc], x: pl.Tile[[2, 16, 16], pl.BF16, pl.Mem.Mat], y: pl.Tile[[2, 16, 16], pl.BF16, pl.Mem.Mat]):
        z = pl.tile.batch_matmul_acc(a, x, y)
