# Rows have no stride.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[512, 1024], pl.INT8, pl.TensorView(stride=[1024, 1], layout=pl.TensorLayout.NZ)]):
        return
