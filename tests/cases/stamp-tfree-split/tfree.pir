# Each slot is given back with the split and the pipe it was taken with.
import pypto.language as pl


@pl.program
class Free:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self):
        p: pl.Tile[[32, 32], pl.FP16, pl.Mem.Mat] = pl.tile.tpop_from_aiv(split=1, id=2)
        q: pl.Tile[[32, 32], pl.FP16, pl.Mem.Mat] = pl.tile.tpop_from_aiv(split=0)
        pl.system.tfree_to_aiv(p)
        pl.system.tfree_to_aiv(q)

    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, n: pl.Scalar[pl.INDEX]):
        for i in pl.range(n):
            p: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aic(split=2, id=1)
            pl.system.tfree_to_aic(p, split=0, id=1)
        q: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aic(split=1)
        pl.system.tfree_to_aic(q, id=0)
