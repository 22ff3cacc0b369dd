# Twelve tiles are needed at once: only the largest are shown.
import pypto.language as pl


@pl.program
class Many:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[512, 64], pl.FP32], y: pl.Out[pl.Tensor[[512, 64], pl.FP32]]) -> pl.Tensor[[512, 64], pl.FP32]:
        t0 = pl.load(x, [0, 0], [56, 64])
        t1 = pl.load(x, [32, 0], [64, 64])
        t2 = pl.load(x, [64, 0], [72, 64])
        t3 = pl.load(x, [96, 0], [56, 64])
        t4 = pl.load(x, [128, 0], [64, 64])
        t5 = pl.load(x, [160, 0], [72, 64])
        t6 = pl.load(x, [192, 0], [56, 64])
        t7 = pl.load(x, [224, 0], [64, 64])
        t8 = pl.load(x, [256, 0], [72, 64])
        t9 = pl.load(x, [288, 0], [56, 64])
        t10 = pl.load(x, [320, 0], [64, 64])
        t11 = pl.load(x, [352, 0], [72, 64])
        y = pl.store(t11, [352, 0], y)
        y = pl.store(t10, [320, 0], y)
        y = pl.store(t9, [288, 0], y)
        y = pl.store(t8, [256, 0], y)
        y = pl.store(t7, [224, 0], y)
        y = pl.store(t6, [192, 0], y)
        y = pl.store(t5, [160, 0], y)
        y = pl.store(t4, [128, 0], y)
        y = pl.store(t3, [96, 0], y)
        y = pl.store(t2, [64, 0], y)
        y = pl.store(t1, [32, 0], y)
        y = pl.store(t0, [0, 0], y)
        return y
