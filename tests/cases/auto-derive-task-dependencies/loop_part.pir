# A loop whose last task does not wait for another use of the carried buffer stays with the runtime.
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
        low = pl.tensor.slice(b, [32, 64], [32, 0])
        top = pl.tensor.slice(b, [32, 64], [0, 0])
        upper = pl.tensor.slice(a, [32, 64], [0, 0])
        for i, (x__iter_v1,) in pl.parallel(4, init_values=(top,)):
            low1 = self.half(upper, low)
            x__ssa_v1 = self.half(upper, x__iter_v1)
            x__rv_v2 = pl.yield_(x__ssa_v1)
        b1 = self.fill(b)
        return b1
