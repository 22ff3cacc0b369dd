# Two sizes that nothing says are the same.
import pypto.language as pl

N = pl.dynamic("N")
M = pl.dynamic("M")


@pl.program
class Sizes:
    @pl.function
    def main(self, a: pl.Tensor[[N, 64], pl.FP32], b: pl.Tensor[[M, 64], pl.FP32]) -> pl.Tensor[[N, 64], pl.FP32]:
        for i, (x,) in pl.range(4, init_values=(a,)):
            x = pl.yield_(b)
        return x
