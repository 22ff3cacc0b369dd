# Nothing leads from an unsigned integer to a float of eight bits.
import pypto.language as pl


@pl.program
class Cast:
    @pl.function(type=pl.FunctionType.AIV)
    def k(self, i: pl.Tile[[16, 32], pl.UINT32, pl.Mem.Vec]):
        b: pl.Tile[[16, 32], pl.FP8E4M3FN, pl.Mem.Vec] = pl.tile.cast(i, target_type=pl.FP8E4M3FN)
