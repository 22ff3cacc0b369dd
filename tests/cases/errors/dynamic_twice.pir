import pypto.language as pl

M = pl.dynamic('M')

@pl.program
class P:
    @pl.function
    def f(self, x: pl.Tensor[[M], pl.FP32], y: pl.Tensor[[M], pl.FP32]):
        return x
    @pl.function
    def main(self, x: pl.Tensor[[4], pl.FP32], y: pl.Tensor[[8], pl.FP32]):
        return self.f(x, y)
