import pypto.language as pl

@pl.program
class Scalars:
    @pl.function
    def main(self, a: pl.Tensor[[64], pl.FP32], n: pl.Scalar[pl.INT32], m: pl.Scalar[pl.INDEX], flag: pl.Scalar[pl.BOOL]):
        k = m * 2 + 1
        w = n // 3 - n % 4
        s = -m
        t = min(k, s)
        u = max(m, pl.const(3, pl.INDEX))
        v = abs(s)
        q = pl.cast(n, pl.INDEX) << 2 | 1
        f = 1.5
        g = pl.cast(m, pl.FP32) * f / 3.0
        p = not flag or m >= 4 and k != 5
        e = m ** 2
        k += 3
        x = pl.read(a, [k])
        return a
