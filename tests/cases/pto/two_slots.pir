import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class T:
    @pl.function(type=pl.FunctionType.AIV)
    def k(x: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        two: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 8192)
        for i in pl.range(0, 4, 1):
            t: pl.Tile[[16, 64], pl.FP32, pl.MemRef(two, 0, 4096, slots=2)[0], pl.Mem.Vec] = pl.tile.load(x, [i * 16, 0], [16, 64], [16, 64], target_memory=pl.Mem.Vec)
            u: pl.Tile[[16, 64], pl.FP32, pl.MemRef(two, 4096, 4096, slots=2)[1], pl.Mem.Vec] = pl.tile.exp(t)
            pl.tile.store(u, [i * 16, 0], out)
