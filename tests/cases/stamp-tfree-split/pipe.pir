# Taken from one pipe, given back to another.
import pypto.language as pl


@pl.program
class Free:
    @pl.function(type=pl.FunctionType.AIV)
    def vector(self):
        p: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aic(split=2, id=1)
        pl.system.tfree_to_aic(p, id=3)
