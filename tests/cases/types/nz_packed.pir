import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(self, v: pl.Tensor[[16, 16], pl.INT4, pl.NZ]):
        return
