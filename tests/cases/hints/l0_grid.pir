# Products whose rows or columns would have to be cut, but whose pieces have no place.
import pypto.language as pl


@pl.program
class Grid:
    @pl.function(type=pl.FunctionType.InCore)
    def added(self, a: pl.Tile[[512, 512], pl.FP32, pl.Mem.Acc], x: pl.Tile[[512, 64], pl.BF16, pl.Mem.Mat], y: pl.Tile[[64, 512], pl.BF16, pl.Mem.Mat]):
        p: pl.Tile[[512, 512], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_acc(a, x, y)

    @pl.function(type=pl.FunctionType.InCore)
    def from_vec(self, x: pl.Tile[[512, 64], pl.BF16, pl.Mem.Vec], y: pl.Tile[[64, 512], pl.BF16, pl.Mem.Mat]):
        p: pl.Tile[[512, 512], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(x, y)

    @pl.function(type=pl.FunctionType.InCore)
    def unread(self, x: pl.Tile[[512, 64], pl.BF16, pl.Mem.Mat], y: pl.Tile[[64, 512], pl.BF16, pl.Mem.Mat]):
        p: pl.Tile[[512, 512], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(x, y)

    @pl.function(type=pl.FunctionType.InCore)
    def chained(self, x: pl.Tile[[256, 64], pl.BF16, pl.Mem.Mat], y: pl.Tile[[64, 256], pl.BF16, pl.Mem.Mat], z: pl.Tile[[256, 16], pl.FP32, pl.Mem.Mat]):
        p: pl.Tile[[256, 256], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(x, y)
        q: pl.Tile[[256, 16], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(p, z)

    @pl.function(type=pl.FunctionType.InCore)
    def huge(self, x: pl.Tile[[1024, 64], pl.BF16, pl.Mem.Mat], y: pl.Tile[[64, 1024], pl.BF16, pl.Mem.Mat], z: pl.Tile[[1024, 16], pl.BF16, pl.Mem.Mat]):
        p: pl.Tile[[1024, 1024], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(x, y)
        h: pl.Tile[[1024, 1024], pl.BF16, pl.Mem.Acc] = pl.tile.cast(p, target_type=pl.BF16, mode="rint")
        q: pl.Tile[[1024, 16], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(h, z)
