# The scratch tile has a bit for each column, however many there are.
# pypto.program: Unsure
import pypto.language as pl


@pl.program
class Unsure:
    @pl.function(type=pl.FunctionType.AIV)
    def columns(x: pl.Tensor[[16, 16], pl.FP32], n: pl.Scalar[pl.INDEX]):
        a: pl.Tile[[16, 16], pl.FP32, pl.MemRef("a", 0, 1024), pl.Mem.Vec, pl.TileView(valid_shape=[16, n])] = pl.tile.load(x, [0, 0], [16, 16], [16, n], target_memory=pl.Mem.Vec)
        b: pl.Tile[[16, 16], pl.FP32, pl.MemRef("b", 0, 1024), pl.Mem.Vec, pl.TileView(valid_shape=[16, n])] = pl.tile.load(x, [0, 0], [16, 16], [16, n], target_memory=pl.Mem.Vec)
        t: pl.Tile[[17, 32], pl.UINT8, pl.MemRef("t", 0, 544), pl.Mem.Vec, pl.TileView(valid_shape=[17, (n + 7) // 8])] = pl.tile.create([17, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        r: pl.Tile[[16, 16], pl.FP32, pl.MemRef("r", 0, 1024), pl.Mem.Vec, pl.TileView(valid_shape=[16, n])] = pl.tile.prelu(a, b, t)
