# Bodies of none, one and several statements: nothing is lost, and nothing changes its place.
import pypto.language as pl


@pl.program
class Bodies:
    @pl.function(type=pl.FunctionType.AIV)
    def k(self, n: pl.Scalar[pl.INDEX]) -> pl.Scalar[pl.INDEX]:
        a: pl.Scalar[pl.INDEX] = n + 1
        for i, (s,) in pl.range(n, init_values=(a,)):
            t: pl.Scalar[pl.INDEX] = s * 2
            u: pl.Scalar[pl.INDEX] = t + i
            r = pl.yield_(u)
        if r > 5:
            v = pl.yield_(r)
        else:
            w: pl.Scalar[pl.INDEX] = r - 1
            v = pl.yield_(w)
        return v
