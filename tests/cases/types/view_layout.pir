import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(self, v: pl.Tensor[[16, 64], pl.FP16, pl.TensorView(stride=[64, 1])]):
        return
