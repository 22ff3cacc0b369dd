# Without a place it is not known to be an operand.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[512, 1024], pl.INT8, pl.NZ]):
        t = pl.tile.load(w, [0, 0], [256, 512], [256, 512])
