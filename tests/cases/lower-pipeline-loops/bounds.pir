# A step that twice is more than an index can be.
import pypto.language as pl


@pl.program
class Step:
    @pl.function(type=pl.FunctionType.AIV)
    def k(self, y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        for i in pl.pipeline(-9223372036854775807, 9223372036854775807, 9223372036854775807, stage=2):
            part: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec] = pl.tile.full([1, 64], dtype=pl.FP32, value=0.0)
            pl.tile.store(part, [i, 0], y)
