import pypto.language as pl
@pl.program
class P:
    @pl.function
    def k(self, x: pl.Tensor[[64, 64], pl.FP32]):
        pass
