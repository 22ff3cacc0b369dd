# A loop's result has the base name of a task in a branch: its id has no variable outside, so no edge.
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
        if n > 0:
            c__ssa_v1 = self.add(a, b)
        x = pl.create_tensor([64, 64], dtype=pl.FP32)
        for i, (c__iter_v2,) in pl.range(4, init_values=(x,)):
            c__ssa_v3 = self.add(a, c__iter_v2)
            c__rv_v4 = pl.yield_(c__ssa_v3)
        d = self.add(c__rv_v4, b)
        return d
