# Half bytes have no place in a box of 32 bytes.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[256, 512], pl.FP4, pl.NZ]):
        return
