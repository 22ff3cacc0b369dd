import pypto.language as pl

@pl.program
class T:
    @pl.function(type=pl.FunctionType.AIC)
    def k(out: pl.Out[pl.Tensor[[16, 16], pl.INT8]]):
        m: pl.Ptr = pl.tile.alloc(pl.Mem.Acc, 1024)
        a: pl.Tile[[16, 16], pl.INT32, pl.MemRef(m, 0, 1024), pl.Mem.Acc] = pl.tile.create([16, 16], dtype=pl.INT32, target_memory=pl.Mem.Acc)
        o: pl.Tensor[[16, 16], pl.INT8] = pl.tile.store(a, [0, 0], out)
        return o
