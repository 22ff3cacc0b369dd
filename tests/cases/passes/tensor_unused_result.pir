# A call whose result nobody takes gets its output, too.
import pypto.language as pl

@pl.program
class Unused:
    @pl.function(type=pl.FunctionType.InCore)
    def twice(self, x: pl.Tensor[[16, 32], pl.FP32]) -> pl.Tensor[[16, 32], pl.FP32]:
        z: pl.Tensor[[16, 32], pl.FP32] = pl.tensor.add(x, x)
        return z
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[16, 32], pl.FP32]) -> pl.Tensor[[16, 32], pl.FP32]:
        self.twice(a)
        r: pl.Tensor[[16, 32], pl.FP32] = self.twice(a)
        return r
