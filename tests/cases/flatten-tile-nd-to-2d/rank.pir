# The source has fewer dimensions than the target.
import pypto.language as pl


@pl.program
class Refused:
    @pl.function(type=pl.FunctionType.AIV)
    def k(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[4, 8, 32], pl.FP32], t: pl.Tile[[2, 8, 32], pl.FP32, pl.Mem.Vec]):
        s: pl.Tile[[8, 32], pl.FP32, pl.Mem.Vec] = pl.tile.full([8, 32], dtype=pl.FP32, value=1.0)
        u: pl.Tile[[2, 8, 32], pl.FP32, pl.Mem.Vec] = pl.tile.assemble(t, s, [1, 0, 0])
