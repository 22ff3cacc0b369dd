# A view would be of rows that are not there.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[512, 1024], pl.INT8, pl.NZ]):
        v = pl.tensor.view(w, [1024, 512])
