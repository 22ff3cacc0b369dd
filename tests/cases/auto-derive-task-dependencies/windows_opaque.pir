# A window with a valid shape, a view otherwise indexed and a slice of one: they may meet everything.
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
        top = pl.tensor.slice(b, [32, 64], [0, 0], [16, 64])
        turned = pl.tensor.reshape(b, [128, 32])
        cut = pl.tensor.slice(turned, [64, 32], [64, 0])
        part = pl.tensor.reshape(cut, [32, 64])
        upper = pl.tensor.slice(a, [32, 64], [0, 0])
        top1 = self.half(upper, top)
        part1 = self.half(upper, part)
        low = pl.tensor.slice(b, [32, 64], [32, 0])
        low1 = self.half(upper, low)
        return b
