# What only a task in a branch waits for is not over when the loop is: the function stays as it is.
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
        for i, (c__iter_v1,) in pl.parallel(4, init_values=(x,)):
            y1 = self.add(b, y)
            if n > i:
                z = self.add(y1, c__iter_v1)
            c__ssa_v2 = self.add(a, c__iter_v1)
            c__rv_v3 = pl.yield_(c__ssa_v2)
        b1 = self.fill(b)
        return b1
