import pypto.language as pl

@pl.program
class Control:
    @pl.function
    def f(self, n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INT32]) -> pl.Scalar[pl.INDEX]:
        acc: pl.Scalar[pl.INDEX] = 0
        for i, (s, t) in pl.range(1, n, 2, init_values=(n, acc)):
            if i > 3 and not i == n:
                r: pl.Scalar[pl.INDEX] = pl.yield_(s + i)
            else:
                r: pl.Scalar[pl.INDEX] = pl.yield_(s - (t - i))
            s2, t2 = pl.yield_(r, t * 2)
        for (k,) in pl.while_(init_values=(s2,)):
            pl.cond(k < n // 2 + 1)
            k2: pl.Scalar[pl.INDEX] = pl.yield_(k + pl.max(1, k % 7))
        # unsigned and wide constants keep their type
        big: pl.Scalar[pl.INT64] = pl.cast(m, pl.INT64) + pl.const(4294967296, pl.INT64)
        for j in pl.pipeline(8, stage=2):
            w: pl.Scalar[pl.INDEX] = j ** 2
        for u in pl.unroll(0, 4):
            v: pl.Scalar[pl.INDEX] = -u
        while acc < 4:
            acc = acc + 1
        return k2 + t2
