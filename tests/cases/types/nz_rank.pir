import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(self, v: pl.Tensor[[4, 4, 16, 16], pl.FP16, pl.NZ]):
        return
