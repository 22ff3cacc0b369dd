# This chip has no such product.
import pypto.language as pl


@pl.program
class Mx:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, l: pl.Tile[[16, 64], pl.FP8E4M3FN, pl.Mem.Left], ls: pl.Tile[[16, 2], pl.FP8E8M0, pl.Mem.LeftScale], r: pl.Tile[[64, 32], pl.FP8E4M3FN, pl.Mem.Right], rs: pl.Tile[[2, 32], pl.FP8E8M0, pl.Mem.RightScale]):
        acc: pl.Tile[[16, 32], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_mx(l, ls, r, rs)
