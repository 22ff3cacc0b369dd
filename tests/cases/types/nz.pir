import pypto.language as pl

@pl.program
class P:
    @pl.function
    def f(self, w: pl.Tensor[[64, 120], pl.FP16, pl.NZ]):
        return
