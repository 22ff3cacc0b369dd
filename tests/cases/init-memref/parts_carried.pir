import pypto.language as pl

# Columns of a wider tile are copied before they are carried or come out of a branch.
@pl.program
class PartsCarried:
    @pl.function(type=pl.FunctionType.InCore)
    def begins(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 32], pl.FP32]]) -> pl.Tensor[[16, 32], pl.FP32]:
        s = pl.tile.load(x, [0, 0], [16, 64])
        h = pl.tile.slice(s, [16, 32], [0, 32])
        for i, (t,) in pl.range(n, init_values=(h,)):
            u = pl.tile.adds(t, 1.0)
            r = pl.yield_(u)
        z = pl.tile.store(r, [0, 0], z)
        return z

    @pl.function(type=pl.FunctionType.InCore)
    def leaves(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], y: pl.Tensor[[16, 32], pl.FP32], z: pl.Out[pl.Tensor[[16, 32], pl.FP32]]) -> pl.Tensor[[16, 32], pl.FP32]:
        s = pl.tile.load(x, [0, 0], [16, 64])
        o = pl.tile.load(y, [0, 0], [16, 32])
        if n > 2:
            h = pl.tile.slice(s, [16, 32], [0, 32])
            r = pl.yield_(h)
        else:
            r = pl.yield_(o)
        z = pl.tile.store(r, [0, 0], z)
        return z
