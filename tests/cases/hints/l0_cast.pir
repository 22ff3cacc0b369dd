# A cast between two products that only the vector core can do as it is asked for, and one that needs no advice.
import pypto.language as pl


@pl.program
class Casts:
    @pl.function(type=pl.FunctionType.InCore)
    def away(self, x: pl.Tile[[64, 64], pl.BF16, pl.Mem.Mat], y: pl.Tile[[64, 64], pl.BF16, pl.Mem.Mat], z: pl.Tile[[64, 64], pl.BF16, pl.Mem.Mat]):
        p: pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(x, y)
        h: pl.Tile[[64, 64], pl.BF16, pl.Mem.Vec] = pl.tile.cast(p, target_type=pl.BF16, mode="round")
        q: pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(h, z)

    @pl.function(type=pl.FunctionType.InCore)
    def even(self, x: pl.Tile[[64, 64], pl.BF16, pl.Mem.Mat], y: pl.Tile[[64, 64], pl.BF16, pl.Mem.Mat], z: pl.Tile[[64, 64], pl.BF16, pl.Mem.Mat]):
        p: pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(x, y)
        h: pl.Tile[[64, 64], pl.BF16, pl.Mem.Vec] = pl.tile.cast(p, target_type=pl.BF16, mode="rint")
        q: pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(h, z)
