import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class T:
    @pl.function(type=pl.FunctionType.AIV)
    def k(out: pl.InOut[pl.Tensor[[16, 16], pl.BF16]]):
        m: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 512)
        a: pl.Tile[[16, 16], pl.BF16, pl.MemRef(m, 0, 512), pl.Mem.Vec] = pl.tile.create([16, 16], dtype=pl.BF16, target_memory=pl.Mem.Vec)
        pl.tile.store(a, [0, 0], out, atomic=pl.AtomicType.Add)
