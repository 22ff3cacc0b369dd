import pypto.language as pl

# Values that change places, begin as one tile, or come out of branches from where they may not stay.
@pl.program
class JoinsPlaced:
    @pl.function(type=pl.FunctionType.InCore)
    def swapped(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], y: pl.Tensor[[16, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.tile.load(x, [0, 0], [16, 64])
        b = pl.tile.load(y, [0, 0], [16, 64])
        for i, (s, t) in pl.range(n, init_values=(a, b)):
            o, q = pl.yield_(t, s)
        w = pl.tile.sub(o, q)
        z = pl.tile.store(w, [0, 0], z)
        return z

    @pl.function(type=pl.FunctionType.InCore)
    def shifted(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], y: pl.Tensor[[16, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.tile.load(x, [0, 0], [16, 64])
        b = pl.tile.load(y, [0, 0], [16, 64])
        for i, (s, t) in pl.range(n, init_values=(a, b)):
            c = pl.tile.add(s, t)
            v = pl.tile.reshape(t, [16, 64])
            o, q = pl.yield_(v, c)
        w = pl.tile.sub(o, q)
        z = pl.tile.store(w, [0, 0], z)
        return z

    @pl.function(type=pl.FunctionType.InCore)
    def parted(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.tile.load(x, [0, 0], [16, 64])
        for i, (s, t) in pl.range(n, init_values=(a, a)):
            c = pl.tile.adds(s, 1.0)
            d = pl.tile.muls(t, 2.0)
            o, q = pl.yield_(c, d)
        w = pl.tile.sub(o, q)
        z = pl.tile.store(w, [0, 0], z)
        return z

    @pl.function(type=pl.FunctionType.InCore)
    def chosen(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.tile.load(x, [0, 0], [16, 64])
        for i, (t,) in pl.range(n, init_values=(a,)):
            if i > 2:
                p = pl.yield_(t)
            else:
                u = pl.tile.recip(t)
                p = pl.yield_(u)
            q = pl.tile.add(p, t)
            o = pl.yield_(q)
        z = pl.tile.store(o, [0, 0], z)
        return z

    @pl.function(type=pl.FunctionType.InCore)
    def nested(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.tile.load(x, [0, 0], [16, 64])
        for i, (t,) in pl.range(n, init_values=(a,)):
            for j, (v,) in pl.range(2, init_values=(t,)):
                u = pl.tile.recip(v)
                p = pl.yield_(u)
            b = pl.tile.adds(p, 1.0)
            o = pl.yield_(b)
        z = pl.tile.store(o, [0, 0], z)
        return z
