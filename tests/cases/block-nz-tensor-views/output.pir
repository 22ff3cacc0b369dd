# A tensor in NZ order is only read.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Out[pl.Tensor[[512, 1024], pl.INT8, pl.NZ]]):
        return
