# More pages than a product is taken apart into.
import pypto.language as pl


@pl.program
class Pages:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tile[[20000, 16, 16], pl.BF16, pl.Mem.Mat], y: pl.Tile[[20000, 16, 16], pl.BF16, pl.Mem.Mat]):
        z = pl.tile.batch_matmul(x, y)
