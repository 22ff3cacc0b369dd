# Boxes are valid as a whole.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[512, 1024], pl.INT8, pl.TensorView(valid_shape=[512, 1000], stride=[], layout=pl.TensorLayout.NZ)]):
        return
