# Only the first value of the loop variable is a multiple of 32.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[512, 1024], pl.INT8, pl.NZ]):
        for k in pl.range(0, 512, 16):
            t = pl.tile.load(w, [0, k], [256, 512], [256, 512], target_memory=pl.Mem.Mat)
