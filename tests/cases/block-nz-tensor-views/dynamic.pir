# The boxes must be known.
import pypto.language as pl

N = pl.dynamic("N")


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[N, 512], pl.INT8, pl.NZ]):
        return
