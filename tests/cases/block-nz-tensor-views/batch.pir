# Pages do not lie one below the other.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[4, 256, 512], pl.INT8, pl.NZ]):
        t: pl.Tile[[512, 512], pl.INT8, pl.Mem.Mat] = pl.tile.load(w, [0, 0, 0], [2, 256, 512], [2, 256, 512], target_memory=pl.Mem.Mat)
