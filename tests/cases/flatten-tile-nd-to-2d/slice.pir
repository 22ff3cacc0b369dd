# A window of three dimensions.
import pypto.language as pl


@pl.program
class Refused:
    @pl.function(type=pl.FunctionType.AIV)
    def k(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[4, 8, 32], pl.FP32], t: pl.Tile[[2, 8, 32], pl.FP32, pl.Mem.Vec]):
        u: pl.Tile[[1, 8, 32], pl.FP32, pl.Mem.Vec] = pl.tile.slice(t, [1, 8, 32], [0, 0, 0])
