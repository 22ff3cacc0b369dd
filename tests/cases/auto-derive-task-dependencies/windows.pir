# Windows of one buffer that do not meet: no edge between them; a whole write waits for both.
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
        top = pl.tensor.slice(b, [32, 64], [0, 0])
        low = pl.tensor.slice(b, [32, 64], [32, 0])
        upper = pl.tensor.slice(a, [32, 64], [0, 0])
        top1 = self.half(upper, top)
        low1 = self.half(upper, low)
        inner = pl.tensor.slice(low1, [16, 64], [16, 0])
        across = pl.tensor.slice(b, [32, 64], [16, 0])
        across1 = self.half(upper, across)
        b1 = self.fill(b)
        return b1
