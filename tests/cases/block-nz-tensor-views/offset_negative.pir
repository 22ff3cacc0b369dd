# A negative offset would be taken for zero.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[512, 1024], pl.INT8, pl.NZ]):
        t = pl.tile.load(w, [-16, 0], [256, 512], [256, 512], target_memory=pl.Mem.Mat)
