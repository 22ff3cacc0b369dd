# A multiple of eight need not be one of 16.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[512, 1024], pl.INT8, pl.NZ], n: pl.Scalar[pl.INDEX]):
        r: pl.Scalar[pl.INDEX] = n * 8
        t = pl.tile.load(w, [r, 0], [256, 512], [256, 512], target_memory=pl.Mem.Mat)
