# A return ends the function wherever it stands; what stands behind it is not done.
import pypto.language as pl

@pl.program
class Returns:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 32], pl.FP32], o: pl.Out[pl.Tensor[[64, 32], pl.FP32]]) -> pl.Tensor[[64, 32], pl.FP32]:
        if n == 0:
            return o
        for i in pl.range(8):
            if i == n:
                return o
            t = pl.load(x, [i * 8, 0], [8, 32])
            o = pl.store(t, [i * 8, 0], o)
        u = pl.load(x, [0, 0], [8, 32])
        o = pl.store(u, [0, 0], o)
        return o
        v = pl.load(x, [8, 0], [8, 32])
        o = pl.store(v, [8, 0], o)
