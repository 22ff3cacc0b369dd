# Reads do not wait for each other; the next write waits for all of them.
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
        x = pl.create_tensor([64, 64], dtype=pl.FP32)
        y = pl.create_tensor([64, 64], dtype=pl.FP32)
        x1 = self.fill(x)
        y1 = self.fill(y)
        x2 = self.add(b, x1)
        y2 = self.add(b, y1)
        b1 = self.fill(b)
        return b1
