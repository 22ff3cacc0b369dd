# The matrix unit does not write INT16.
import pypto.language as pl


@pl.program
class Narrow:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[16, 32], pl.INT8],
        y: pl.Tensor[[32, 16], pl.INT8],
        out: pl.Out[pl.Tensor[[16, 16], pl.INT16]],
    ) -> pl.Tensor[[16, 16], pl.INT16]:
        a = pl.load(x, [0, 0], [16, 32], target_memory=pl.Mem.Mat)
        b = pl.load(y, [0, 0], [32, 16], target_memory=pl.Mem.Mat)
        c = pl.tile.matmul(a, b)
        out = pl.store(c, [0, 0], out)
        return out
