import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class T:
    @pl.function(type=pl.FunctionType.AIC)
    def rows(x: pl.Tensor[[256, 64], pl.FP16], idx: pl.Tensor[[1, 32], pl.INT32], scratch: pl.Tensor[[32, 64], pl.FP16], r: pl.Scalar[pl.INDEX]):
        m: pl.Ptr = pl.tile.alloc(pl.Mem.Mat, 4096)
        a: pl.Tile[[32, 64], pl.FP16, pl.MemRef(m, 0, 4096), pl.Mem.Mat] = pl.tile.create([32, 64], dtype=pl.FP16, target_memory=pl.Mem.Mat)
        b: pl.Tile[[32, 64], pl.FP16, pl.MemRef(m, 0, 4096), pl.Mem.Mat] = pl.tile.gather_row(a, x, [3, 0], [r, 0], [1, 64])
