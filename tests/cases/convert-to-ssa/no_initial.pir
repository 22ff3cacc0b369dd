# assemble makes a new tensor: without iterations there is none.
import pypto.language as pl


@pl.program
class Carry:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[32, 32], pl.FP32], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        for i in pl.range(n):
            z = pl.assemble(out, x, [0, 0])
        return z
