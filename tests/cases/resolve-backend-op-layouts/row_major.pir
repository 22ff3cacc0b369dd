# Column vectors are read as one row; a result gets its column back; row-major tiles stay as they are.
import pypto.language as pl


@pl.program
class RowMajor:
    @pl.function(type=pl.FunctionType.AIV)
    def k(self, x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]):
        t: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [16, 32], [16, 32], target_memory=pl.Mem.Vec)
        tmp: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.create([16, 32], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        most: pl.Tile[[16, 1], pl.FP32, pl.Mem.Vec] = pl.tile.row_max(t, tmp)
        sum: pl.Tile[[16, 1], pl.FP32, pl.Mem.Vec] = pl.tile.row_sum(t, tmp)
        both: pl.Tile[[16, 1], pl.FP32, pl.Mem.Vec] = pl.tile.add(most, sum)
        half: pl.Tile[[16, 1], pl.FP32, pl.Mem.Vec] = pl.tile.muls(both, 0.5)
        twice: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.add(t, t)
        out: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.row_expand_mul(twice, half)
        pl.tile.store(out, [0, 0], y)
