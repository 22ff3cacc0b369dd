import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class T:
    @pl.function(type=pl.FunctionType.AIV)
    def scalars(i: pl.Scalar[pl.INDEX], w: pl.Scalar[pl.INT32], l: pl.Scalar[pl.INT64], u: pl.Scalar[pl.UINT32], h: pl.Scalar[pl.UINT16], f: pl.Scalar[pl.FP32], g: pl.Scalar[pl.FP16], b: pl.Scalar[pl.BOOL]):
        i1: pl.Scalar[pl.INDEX] = (i + 3) * 2 - i // 4 + i % 5
        i2: pl.Scalar[pl.INDEX] = pl.min(pl.max(i1, 0), 63)
        w1: pl.Scalar[pl.INT32] = (w << pl.const(3, pl.INT32)) | (w & pl.const(7, pl.INT32)) ^ (w >> w)
        w2: pl.Scalar[pl.INT32] = -w1
        w3: pl.Scalar[pl.INT32] = ~w2
        w4: pl.Scalar[pl.INT32] = abs(w3)
        u1: pl.Scalar[pl.UINT32] = pl.max(pl.min(u, pl.const(9, pl.UINT32)), u) >> u
        u2: pl.Scalar[pl.UINT32] = u1 / u
        f1: pl.Scalar[pl.FP32] = (f + 1.5) * f - f / 2.0
        f2: pl.Scalar[pl.FP32] = pl.min(pl.max(-f1, f), abs(f)) % f
        l1: pl.Scalar[pl.INT64] = pl.cast(w4, pl.INT64) + l
        w5: pl.Scalar[pl.INT32] = pl.cast(l1, pl.INT32)
        l2: pl.Scalar[pl.UINT64] = pl.cast(h, pl.UINT64)
        f3: pl.Scalar[pl.FP32] = pl.cast(g, pl.FP32)
        g1: pl.Scalar[pl.FP16] = pl.cast(f2, pl.FP16)
        f4: pl.Scalar[pl.FP32] = pl.cast(w5, pl.FP32)
        f5: pl.Scalar[pl.FP32] = pl.cast(u2, pl.FP32)
        w6: pl.Scalar[pl.INT32] = pl.cast(f4, pl.INT32)
        u3: pl.Scalar[pl.UINT32] = pl.cast(f5, pl.UINT32)
        u4: pl.Scalar[pl.UINT32] = pl.cast(i2, pl.UINT32)
        i3: pl.Scalar[pl.INDEX] = pl.cast(u4, pl.INDEX)
        b1: pl.Scalar[pl.BOOL] = i3 == i and w6 != w or not f3 < f
        b2: pl.Scalar[pl.BOOL] = i3 <= w or f >= f1 or b1 or not b
        if b2:
            pl.system.bar_all()
