import pypto.language as pl

# Without addresses: a view of what a branch gives, and a part of a tile that begins a loop.
@pl.program
class ResultsViewed:
    @pl.function(type=pl.FunctionType.InCore)
    def reshaped(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], y: pl.Tensor[[16, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.tile.load(x, [0, 0], [16, 64])
        b = pl.tile.load(y, [0, 0], [16, 64])
        if n > 2:
            c = pl.tile.adds(a, 1.0)
            r = pl.yield_(c)
        else:
            d = pl.tile.adds(b, 2.0)
            r = pl.yield_(d)
        g = pl.tile.reshape(r, [32, 32])
        h = pl.tile.adds(g, 1.0)
        k = pl.tile.reshape(h, [16, 64])
        z = pl.tile.store(k, [0, 0], z)
        return z

    @pl.function(type=pl.FunctionType.InCore)
    def rows(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], z: pl.Out[pl.Tensor[[8, 64], pl.FP32]]) -> pl.Tensor[[8, 64], pl.FP32]:
        s = pl.tile.load(x, [0, 0], [16, 64])
        h = pl.tile.slice(s, [8, 64], [8, 0])
        for i, (t,) in pl.range(n, init_values=(h,)):
            u = pl.tile.adds(t, 1.0)
            r = pl.yield_(u)
        z = pl.tile.store(r, [0, 0], z)
        return z
