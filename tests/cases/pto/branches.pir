import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class T:
    @pl.function(type=pl.FunctionType.AIV)
    def choose(x: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        ma: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 4096)
        mb: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 4096)
        a: pl.Tile[[16, 64], pl.FP32, pl.MemRef(ma, 0, 4096), pl.Mem.Vec] = pl.tile.load(x, [0, 0], [16, 64], [16, 64], target_memory=pl.Mem.Vec)
        for i, (acc, k) in pl.range(0, n, 1, init_values=(a, n)):
            if i < k - 2:
                b: pl.Tile[[16, 64], pl.FP32, pl.MemRef(mb, 4096, 4096), pl.Mem.Vec, pl.TileView(valid_shape=[k, 64])] = pl.tile.exp(acc)
                r, m = pl.yield_(b, k + 1)
            else:
                c: pl.Tile[[16, 64], pl.FP32, pl.MemRef(mb, 4096, 4096), pl.Mem.Vec, pl.TileView(valid_shape=[k, 64])] = pl.tile.adds(acc, pl.const(1.0, pl.FP32))
                r, m = pl.yield_(c, k)
            d: pl.Tile[[16, 64], pl.FP32, pl.MemRef(ma, 0, 4096), pl.Mem.Vec] = pl.tile.abs(r)
            last, count = pl.yield_(d, m)
        o: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(last, [0, 0], out)
        return o
