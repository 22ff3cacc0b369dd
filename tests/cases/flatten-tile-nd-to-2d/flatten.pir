# Tiles of three dimensions become matrices; a store keeps the old shape; a transpose gets its scratch tile.
import pypto.language as pl


@pl.program
class Flatten:
    @pl.function(type=pl.FunctionType.AIV)
    def k(self, x: pl.Tensor[[4, 8, 32], pl.FP32], y: pl.Out[pl.Tensor[[4, 8, 32], pl.FP32]]):
        t: pl.Tile[[2, 8, 32], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [1, 0, 0], [2, 8, 32], [2, 8, 32], target_memory=pl.Mem.Vec)
        ones: pl.Tile[[2, 8, 32], pl.FP32, pl.Mem.Vec] = pl.tile.full([2, 8, 32], dtype=pl.FP32, value=1.0)
        sum: pl.Tile[[2, 8, 32], pl.FP32, pl.Mem.Vec] = pl.tile.add(t, ones)
        pl.tile.store(sum, [1, 0, 0], y)

    @pl.function(type=pl.FunctionType.AIV)
    def turn(self, x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[32, 16], pl.FP32]]):
        t: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [16, 32], [16, 32], target_memory=pl.Mem.Vec)
        u: pl.Tile[[32, 16], pl.FP32, pl.Mem.Vec] = pl.tile.transpose(t, 0, 1)
        pl.tile.store(u, [0, 0], y)
