# There is one batch dimension at most.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[2, 4, 256, 512], pl.INT8, pl.NZ]):
        return
