# A window at an offset that only the run knows, or a view indexed otherwise, may meet every other.
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
        any_rows = pl.tensor.slice(b, [32, 64], [n, 0])
        upper = pl.tensor.slice(a, [32, 64], [0, 0])
        top1 = self.half(upper, top)
        any1 = self.half(upper, any_rows)
        return b
