# A batch without pages.
import pypto.language as pl


@pl.program
class Pages:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tile[[0, 16, 16], pl.BF16, pl.Mem.Mat], y: pl.Tile[[0, 16, 16], pl.BF16, pl.Mem.Mat]):
        z = pl.tile.batch_matmul(x, y)
