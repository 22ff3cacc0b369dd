# A gather along the last dimension reads as many rows as the index has; how many the input has does not matter.
import pypto.language as pl

N = pl.dynamic("N")


@pl.program
class GatherRows:
    @pl.function(type=pl.FunctionType.InCore)
    def pick(self, x: pl.Tensor[[N, 64], pl.FP32], at: pl.Tensor[[4, 16], pl.INT32]) -> pl.Tensor[[4, 16], pl.FP32]:
        y: pl.Tensor[[4, 16], pl.FP32] = pl.tensor.gather(x, at, dim=-1)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[N, 64], pl.FP32], at: pl.Tensor[[4, 16], pl.INT32]) -> pl.Tensor[[4, 16], pl.FP32]:
        y: pl.Tensor[[4, 16], pl.FP32] = self.pick(x, at)
        return y
