import pypto.language as pl

@pl.program
class T:
    @pl.function(type=pl.FunctionType.AIV)
    def k(src: pl.Tensor[[16, 32], pl.BF16], out: pl.Out[pl.Tensor[[16, 32], pl.BF16]]):
        m: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 1024)
        x: pl.Tile[[16, 32], pl.BF16, pl.MemRef(m, 0, 1024), pl.Mem.Vec] = pl.tile.load(src, [0, 0], [16, 32], [16, 32])
        y: pl.Tile[[16, 32], pl.BF16, pl.MemRef(m, 0, 1024), pl.Mem.Vec] = pl.tile.add(x, x)
        o: pl.Tensor[[16, 32], pl.BF16] = pl.tile.store(y, [0, 0], out)
        return o
