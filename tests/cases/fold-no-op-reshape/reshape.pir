# pypto.program: Rows
# A vector is declared as one row: the reshape of a whole one is a copy of the name, of a part it is not.
import pypto.language as pl


@pl.program
class Rows:
    @pl.function(type=pl.FunctionType.AIV)
    def scale(x: pl.Tensor[[64], pl.FP32, pl.MemRef("mem_ddr_0", pl.const(0, pl.INT64), 256)], y: pl.Out[pl.Tensor[[2, 64], pl.FP32, pl.MemRef("mem_ddr_1", pl.const(0, pl.INT64), 512)]]):
        mem_vec_2: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 256)
        mem_vec_3: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 256)
        whole: pl.Tile[[64], pl.FP32, pl.MemRef(mem_vec_2, pl.const(0, pl.INT64), 256), pl.Mem.Vec] = pl.tile.load(x, [0], [64], [64], target_memory=pl.Mem.Vec)
        whole_row: pl.Tile[[1, 64], pl.FP32, pl.MemRef(mem_vec_2, pl.const(0, pl.INT64), 256), pl.Mem.Vec] = pl.tile.reshape(whole, [1, 64])
        part: pl.Tile[[64], pl.FP32, pl.MemRef(mem_vec_3, pl.const(256, pl.INT64), 256), pl.Mem.Vec, pl.TileView(valid_shape=[40])] = pl.tile.load(x, [0], [64], [40], target_memory=pl.Mem.Vec)
        part_row: pl.Tile[[1, 64], pl.FP32, pl.MemRef(mem_vec_3, pl.const(256, pl.INT64), 256), pl.Mem.Vec, pl.TileView(valid_shape=[1, 40])] = pl.tile.reshape(part, [1, 64])
        halves: pl.Tile[[2, 32], pl.FP32, pl.MemRef(mem_vec_2, pl.const(0, pl.INT64), 256), pl.Mem.Vec] = pl.tile.reshape(whole_row, [2, 32])
        y1: pl.Tensor[[2, 64], pl.FP32] = pl.tile.store(whole_row, [0, 0], y)
        y2: pl.Tensor[[2, 64], pl.FP32] = pl.tile.store(part_row, [1, 0], y1)
        y3: pl.Tensor[[2, 64], pl.FP32] = pl.tile.store(halves, [0, 0], y2)
