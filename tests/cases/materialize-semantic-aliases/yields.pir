# Values that a loop carries crosswise end in each other's place: they are copied there before the loop goes on.
import pypto.language as pl


@pl.program
class Yields:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        a = pl.load(x, [0, 0], [16, 64])
        b = pl.load(x, [16, 0], [16, 64])
        for i, (p, q) in pl.range(4, init_values=(a, b)):
            s = pl.add(p, q)
            t = pl.mul(s, q)
            u, v = pl.yield_(t, s)
        y = pl.store(u, [0, 0], y)
        y = pl.store(v, [16, 0], y)
        return y
