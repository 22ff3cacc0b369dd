# Two returns of two things: which one comes back would have to be chosen while the kernel runs.
import pypto.language as pl

@pl.program
class Returns:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[8, 32], pl.FP32], a: pl.Out[pl.Tensor[[8, 32], pl.FP32]], b: pl.Out[pl.Tensor[[8, 32], pl.FP32]]):
        if n == 0:
            return a
        return b
