# One hop where the chip has it, else the shortest chain; only the last hop keeps the saturation.
import pypto.language as pl


@pl.program
class Cast:
    @pl.function(type=pl.FunctionType.AIV)
    def k(self, i: pl.Tile[[16, 32], pl.INT32, pl.Mem.Vec], h: pl.Tile[[16, 32], pl.FP16, pl.Mem.Vec]):
        f: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.cast(i, target_type=pl.FP32)
        b: pl.Tile[[16, 32], pl.BF16, pl.Mem.Vec] = pl.tile.cast(i, target_type=pl.BF16)
        hb: pl.Tile[[16, 32], pl.BF16, pl.Mem.Vec] = pl.tile.cast(h, target_type=pl.BF16)
        c: pl.Tile[[16, 32], pl.INT8, pl.Mem.Vec] = pl.tile.cast(i, target_type=pl.INT8)
