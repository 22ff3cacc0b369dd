# Tiles share a declared allocation with nobody but each other; what is not declared is packed around them.
import pypto.language as pl

ping, pong = pl.MemRef(), pl.MemRef()
ring = pl.MemRef(slots=2)


@pl.program
class Declared:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        a: pl.Tile[[16, 64], pl.FP32, ping, pl.Mem.Vec] = pl.load(x, [0, 0], [16, 64])
        b: pl.Tile[[16, 64], pl.FP32, pong, pl.Mem.Vec] = pl.exp(a)
        c: pl.Tile[[16, 64], pl.FP32, ping, pl.Mem.Vec] = pl.exp(b)
        y = pl.store(c, [0, 0], y)
        d = pl.load(x, [16, 0], [16, 64])
        e: pl.Tile[[16, 64], pl.FP32, ring[0], pl.Mem.Vec] = pl.exp(d)
        f: pl.Tile[[8, 64], pl.FP32, ring[1], pl.Mem.Vec] = pl.load(x, [32, 0], [8, 64])
        y = pl.store(e, [16, 0], y)
        y = pl.store(f, [32, 0], y)
        return y
