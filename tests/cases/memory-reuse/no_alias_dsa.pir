# Results that may not lie over an operand that is read for the last time: of recip, of a cast to a wider type, of the
# vector that every row is multiplied by. The others may.
import pypto.language as pl


@pl.program
class NoAlias:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], h: pl.Tensor[[64, 64], pl.FP16], w: pl.Tensor[[1, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        a = pl.load(x, [0, 0], [16, 64])
        b = pl.recip(a)
        y = pl.store(b, [0, 0], y)
        c = pl.load(h, [0, 0], [16, 64])
        d = pl.cast(c, pl.FP32)
        e = pl.cast(d, pl.FP16)
        f = pl.cast(e, pl.FP32)
        y = pl.store(f, [16, 0], y)
        g = pl.load(x, [32, 0], [16, 64])
        v = pl.load(w, [0, 0], [1, 64])
        k = pl.col_expand_mul(g, v)
        y = pl.store(k, [32, 0], y)
        return y
