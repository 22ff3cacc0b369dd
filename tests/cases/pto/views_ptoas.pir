import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class T:
    @pl.function(type=pl.FunctionType.AIV)
    def windows_unplaced(x: pl.Tensor[[32, 64], pl.FP32], rows: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[32, 64], pl.FP32]]):
        big: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 8192)
        sum: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 8192)
        row: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 128)
        t: pl.Tile[[32, 64], pl.FP32, pl.MemRef(big, -1, 8192), pl.Mem.Vec] = pl.tile.load(x, [0, 0], [32, 64], [32, 64], target_memory=pl.Mem.Vec)
        top: pl.Tile[[16, 64], pl.FP32, pl.MemRef(big, -1, 4096), pl.Mem.Vec] = pl.tile.slice(t, [16, 64], [0, 0])
        part: pl.Tile[[16, 32], pl.FP32, pl.MemRef(big, -1, 4096), pl.Mem.Vec, pl.TileView(valid_shape=[rows, 32])] = pl.tile.slice(t, [16, 32], [16, 0], [rows, 32])
        s: pl.Tile[[32, 64], pl.FP32, pl.MemRef(sum, -1, 8192), pl.Mem.Vec] = pl.tile.create([32, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        s1: pl.Tile[[32, 64], pl.FP32, pl.MemRef(sum, -1, 8192), pl.Mem.Vec] = pl.tile.assemble(s, top, [16, 0])
        v: pl.Tile[[1, 32], pl.FP32, pl.MemRef(row, -1, 128), pl.Mem.Vec] = pl.tile.create([1, 32], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        c: pl.Tile[[32, 1], pl.FP32, pl.MemRef(row, -1, 128), pl.Mem.Vec] = pl.tile.reshape(v, [32, 1])
        m: pl.Tile[[32, 64], pl.FP32, pl.MemRef(sum, -1, 8192), pl.Mem.Vec] = pl.tile.row_expand_mul(s1, c)
        n: pl.Tile[[32, 64], pl.FP32, pl.MemRef(sum, -1, 8192), pl.Mem.Vec, pl.TileView(valid_shape=[rows, 64])] = pl.tile.set_validshape(m, rows, 64)
        o: pl.Tensor[[32, 64], pl.FP32] = pl.tile.store(n, [0, 0], out)
        return o
