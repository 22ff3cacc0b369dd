# A box of FP32 has eight columns.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[256, 76], pl.FP32, pl.NZ]):
        return
