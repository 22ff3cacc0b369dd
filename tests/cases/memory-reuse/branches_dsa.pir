# The values of both branches are one value afterwards, and may lie in one place; what is alive beside them may not.
import pypto.language as pl


@pl.program
class Branches:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        a = pl.load(x, [0, 0], [16, 64])
        if n > 3:
            b = pl.load(x, [16, 0], [16, 64])
            r = pl.recip(b)
        else:
            c = pl.load(x, [32, 0], [16, 64])
            r = pl.exp(c)
        s = pl.add(r, a)
        y = pl.store(s, [0, 0], y)
        return y
