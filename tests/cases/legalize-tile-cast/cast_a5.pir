# Ties: the float before the integer, then the wider type, then the unsigned one.
import pypto.language as pl


@pl.program
class Cast:
    @pl.function(type=pl.FunctionType.AIV)
    def k(self, a: pl.Tile[[16, 32], pl.INT16, pl.Mem.Vec], b: pl.Tile[[16, 32], pl.INT64, pl.Mem.Vec], c: pl.Tile[[16, 32], pl.INT8, pl.Mem.Vec]):
        to_u16: pl.Tile[[16, 32], pl.UINT16, pl.Mem.Vec] = pl.tile.cast(a, target_type=pl.UINT16)
        to_i16: pl.Tile[[16, 32], pl.INT16, pl.Mem.Vec] = pl.tile.cast(b, target_type=pl.INT16)
        to_u8: pl.Tile[[16, 32], pl.UINT8, pl.Mem.Vec] = pl.tile.cast(c, target_type=pl.UINT8)
        to_f4: pl.Tile[[16, 32], pl.FP4, pl.Mem.Vec] = pl.tile.cast(c, target_type=pl.FP4, saturation_mode="on")
