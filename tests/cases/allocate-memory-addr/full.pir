# Three tiles are needed at once, and two fit.
import pypto.language as pl


@pl.program
class Full:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 512], pl.FP32], y: pl.Out[pl.Tensor[[64, 512], pl.FP32]]) -> pl.Tensor[[64, 512], pl.FP32]:
        a = pl.load(x, [0, 0], [32, 512])
        b = pl.load(x, [32, 0], [32, 512])
        c = pl.mul(a, b)
        d = pl.add(b, 1.0)
        e = pl.add(c, d)
        f = pl.add(e, a)
        y = pl.store(f, [0, 0], y)
        return y
