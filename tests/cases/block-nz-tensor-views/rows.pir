# A box has 16 rows.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[200, 512], pl.INT8, pl.NZ]):
        return
