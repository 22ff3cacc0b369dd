# Parts of pages in the matrix unit's memory.
import pypto.language as pl


@pl.program
class Refused:
    @pl.function(type=pl.FunctionType.AIV)
    def k(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[4, 8, 32], pl.FP32], t: pl.Tile[[2, 8, 32], pl.FP32, pl.Mem.Vec]):
        u: pl.Tile[[2, 4, 32], pl.FP32, pl.Mem.Mat] = pl.tile.load(x, [0, 0, 0], [2, 4, 32], [2, 4, 32], target_memory=pl.Mem.Mat)
