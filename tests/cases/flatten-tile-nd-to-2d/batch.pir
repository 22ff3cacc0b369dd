# A product for each page, each stored for itself.
import pypto.language as pl


@pl.program
class Batch:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, a: pl.Tensor[[2, 16, 32], pl.FP16], b: pl.Tensor[[2, 32, 16], pl.FP16], y: pl.Out[pl.Tensor[[2, 16, 16], pl.FP32]]) -> pl.Tensor[[2, 16, 16], pl.FP32]:
        l: pl.Tile[[2, 16, 32], pl.FP16] = pl.tile.load(a, [0, 0, 0], [2, 16, 32], [2, 16, 32])
        r: pl.Tile[[2, 32, 16], pl.FP16] = pl.tile.load(b, [0, 0, 0], [2, 32, 16], [2, 32, 16])
        c: pl.Tile[[2, 16, 16], pl.FP32] = pl.tile.batch_matmul(l, r)
        y_1: pl.Tensor[[2, 16, 16], pl.FP32] = pl.tile.store(c, [0, 0, 0], y)
        return y_1
