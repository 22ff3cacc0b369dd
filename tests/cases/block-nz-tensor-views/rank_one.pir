# A row is no matrix.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[512], pl.INT8, pl.NZ]):
        return
