import pypto.language as pl

# A tile that a `while` carries lies in one place, as one that a `for` carries.
@pl.program
class WhileCarried:
    @pl.function(type=pl.FunctionType.InCore)
    def alone(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.tile.load(x, [0, 0], [16, 64])
        for (t, m) in pl.while_(init_values=(a, n)):
            pl.cond(m > 0)
            u = pl.tile.adds(t, 1.0)
            q = m - 1
            r, w = pl.yield_(u, q)
        z = pl.tile.store(r, [0, 0], z)
        return z

    @pl.function(type=pl.FunctionType.InCore)
    def nested(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.tile.load(x, [0, 0], [16, 64])
        for i, (t,) in pl.range(4, init_values=(a,)):
            for (s, m) in pl.while_(init_values=(t, n)):
                pl.cond(m > 0)
                for j, (v,) in pl.range(2, init_values=(s,)):
                    u = pl.tile.mul(v, v)
                    p = pl.yield_(u)
                q = m - 1
                r, w = pl.yield_(p, q)
            b = pl.tile.adds(r, 1.0)
            o = pl.yield_(b)
        z = pl.tile.store(o, [0, 0], z)
        return z
