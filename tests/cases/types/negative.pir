import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(self, v: pl.Tensor[[-4], pl.FP32]):
        return
