import pypto.language as pl

@pl.program
class Prog:
    @pl.function
    def main(self, x: pl.Tensor[[4], pl.FP32]):
        a, b = self.later(x)
        return a

    @pl.function
    def later(self, x: pl.Tensor[[4], pl.FP32]):
        return x, x
