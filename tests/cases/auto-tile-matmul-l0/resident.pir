# An operand that its author put next to the matrix unit must fit there.
import pypto.language as pl


@pl.program
class Manual:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tile[[256, 256], pl.BF16, pl.Mem.Left], y: pl.Tile[[256, 64], pl.BF16, pl.Mem.Right]):
        z: pl.Tile[[256, 64], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(x, y)
