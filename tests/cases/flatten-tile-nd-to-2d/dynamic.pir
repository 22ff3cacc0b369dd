# How many pages is not known.
import pypto.language as pl


@pl.program
class Refused:
    @pl.function(type=pl.FunctionType.AIV)
    def k(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[4, 8, 32], pl.FP32], t: pl.Tile[[2, 8, 32], pl.FP32, pl.Mem.Vec]):
        u: pl.Tile[[n, 8, 32], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0, 0], [n, 8, 32], [n, 8, 32], target_memory=pl.Mem.Vec)
