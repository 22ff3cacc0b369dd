# A carried tensor: one run waits for the run before, the next task for the result.
# pypto.program: Auto
import pypto.language as pl


@pl.program
class Auto:
    @pl.function(type=pl.FunctionType.AIV)
    def fill(out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        return out

    @pl.function(type=pl.FunctionType.AIV)
    def add(a: pl.Tensor[[64, 64], pl.FP32], out: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        return out

    @pl.function(type=pl.FunctionType.AIV)
    def half(a: pl.Tensor[[32, 64], pl.FP32], out: pl.InOut[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[64, 64], pl.FP32], b: pl.InOut[pl.Tensor[[64, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[64, 64], pl.FP32]:
        b1 = self.fill(b)
        for i, (x__iter_v1,) in pl.range(4, init_values=(b1,)):
            x__ssa_v1 = self.add(a, x__iter_v1)
            x__rv_v2 = pl.yield_(x__ssa_v1)
        a1 = self.add(x__rv_v2, a)
        for j, (x__iter_v3,) in pl.range(4, init_values=(x__rv_v2,)):
            x__ssa_v4 = self.add(a1, x__iter_v3)
            x__rv_v5 = pl.yield_(x__ssa_v4)
        return x__rv_v5
