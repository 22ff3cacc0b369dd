# The window takes whole boxes: rows.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[512, 1024], pl.INT8, pl.NZ]):
        t = pl.tile.load(w, [0, 0], [250, 512], [250, 512], target_memory=pl.Mem.Mat)
