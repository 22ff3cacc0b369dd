# A window of a window is one of the tile; aligned ones are read in place, others are extracted.
import pypto.language as pl


@pl.program
class Slice:
    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[32, 64], pl.FP32], y: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
        t: pl.Tile[[32, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [32, 64], [32, 64], target_memory=pl.Mem.Vec)
        outer: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.slice(t, [16, 32], [8, 4])
        inner: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = pl.tile.slice(outer, [8, 8], [2, 4])
        odd: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = pl.tile.slice(outer, [8, 8], [0, 3])
        eight: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = pl.tile.slice(t, [8, 8], [n, n * 8])
        any: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = pl.tile.slice(t, [8, 8], [0, n * 4])
        unread: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = pl.tile.slice(t, [8, 8], [0, 1])
        a: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = pl.tile.add(inner, odd)
        b: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = pl.tile.add(eight, any)
        c: pl.Tile[[8, 8], pl.FP32, pl.Mem.Vec] = pl.tile.add(a, b)
        pl.tile.store(c, [0, 0], y)

    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, x: pl.Tensor[[64, 64], pl.FP16], y: pl.Out[pl.Tensor[[16, 16], pl.FP32]]):
        t: pl.Tile[[64, 64], pl.FP16, pl.Mem.Mat] = pl.tile.load(x, [0, 0], [64, 64], [64, 64], target_memory=pl.Mem.Mat)
        l: pl.Tile[[16, 16], pl.FP16, pl.Mem.Mat] = pl.tile.slice(t, [16, 16], [16, 0])
        r: pl.Tile[[16, 16], pl.FP16, pl.Mem.Mat] = pl.tile.slice(t, [16, 16], [0, 48])
        acc: pl.Tile[[16, 16], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(l, r)
        pl.tile.store(acc, [0, 0], y)
