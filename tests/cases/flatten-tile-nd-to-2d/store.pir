# The product has one batch dimension, the store has two.
import pypto.language as pl


@pl.program
class Pages:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[2, 16, 16], pl.BF16], y: pl.Tensor[[2, 16, 16], pl.BF16], out: pl.Out[pl.Tensor[[4, 2, 16, 16], pl.FP32]]):
        a: pl.Tile[[2, 16, 16], pl.BF16, pl.Mem.Mat] = pl.tile.load(x, [0, 0, 0], [2, 16, 16], [2, 16, 16], target_memory=pl.Mem.Mat)
        b: pl.Tile[[2, 16, 16], pl.BF16, pl.Mem.Mat] = pl.tile.load(y, [0, 0, 0], [2, 16, 16], [2, 16, 16], target_memory=pl.Mem.Mat)
        z = pl.tile.batch_matmul(a, b)
        o = pl.tile.store(z, [0, 0, 0, 0], out)
