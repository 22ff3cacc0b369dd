# One tile alone is too large.
import pypto.language as pl


@pl.program
class Alone:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[256, 256], pl.FP32], y: pl.Out[pl.Tensor[[256, 256], pl.FP32]]) -> pl.Tensor[[256, 256], pl.FP32]:
        small = pl.load(x, [0, 0], [16, 256])
        large = pl.load(x, [0, 0], [256, 256])
        y = pl.store(large, [0, 0], y)
        y = pl.store(small, [0, 0], y)
        return y
