%once
import pypto.language as pl

@pl.program
class Bench:
    @pl.function(type=pl.FunctionType.Inline)
    def step(self, a: pl.Tensor[[16, 64], pl.FP32]) -> pl.Tensor[[16, 64], pl.FP32]:
        b = pl.mul(a, 0.5)
        c = pl.add(b, a)
        return c

    @pl.function
    def main(self, x: pl.Tensor[[16, 64], pl.FP32]) -> pl.Tensor[[16, 64], pl.FP32]:
        y = x
%each 1
        y = self.step(y)
%once
        return y
