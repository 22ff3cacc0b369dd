import pypto.language as pl

@pl.program
class PtoasOverwrites:
    @pl.function(type=pl.FunctionType.InCore)
    def twice(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        s = pl.tile.load(x, [0, 0], [16, 64])
        for i, (t,) in pl.range(n, init_values=(s,)):
            u = pl.tile.adds(t, 1.0)
            p = pl.yield_(u)
        q = pl.tile.sub(p, s)
        z = pl.tile.store(q, [0, 0], z)
        return z
