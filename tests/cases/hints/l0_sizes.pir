# Products that cannot be cut at all: elements of half a byte, rows too few, a K that is no multiple of 16.
import pypto.language as pl


@pl.program
class Sizes:
    @pl.function(type=pl.FunctionType.InCore)
    def small(self, x: pl.Tile[[8, 256], pl.BF16, pl.Mem.Mat], y: pl.Tile[[256, 512], pl.BF16, pl.Mem.Mat]):
        p: pl.Tile[[8, 512], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(x, y)

    @pl.function(type=pl.FunctionType.InCore)
    def odd(self, x: pl.Tile[[64, 1000], pl.BF16, pl.Mem.Mat], y: pl.Tile[[1000, 64], pl.BF16, pl.Mem.Mat]):
        p: pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(x, y)

    @pl.function(type=pl.FunctionType.InCore)
    def half(self, x: pl.Tile[[64, 1024], pl.INT4, pl.Mem.Mat], y: pl.Tile[[1024, 64], pl.INT4, pl.Mem.Mat]):
        p: pl.Tile[[64, 64], pl.INT32, pl.Mem.Acc] = pl.tile.matmul(x, y)

    @pl.function(type=pl.FunctionType.InCore)
    def whole(self, x: pl.Tile[[64, 64], pl.BF16, pl.Mem.Mat], y: pl.Tile[[64, 64], pl.BF16, pl.Mem.Mat]):
        p: pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(x, y)
