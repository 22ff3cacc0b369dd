import pypto.language as pl
@pl.program
class PoppedCarried:
    @pl.function(type=pl.FunctionType.AIV)
    def k(self, n: pl.Scalar[pl.INDEX], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        s: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aic(split=0)
        for i, (t,) in pl.range(n, init_values=(s,)):
            u = pl.tile.adds(t, 1.0)
            r = pl.yield_(u)
        z = pl.tile.store(r, [0, 0], z)
        return z
