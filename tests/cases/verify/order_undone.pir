# The copies of the unrolled body assign t again, so the SSA form that ConvertToSSA gave is gone.
import pypto.language as pl


@pl.program
class Undone:
    @pl.function
    def f(self, x: pl.Tensor[[16, 16], pl.FP32]) -> pl.Tensor[[16, 16], pl.FP32]:
        for i in pl.unroll(2):
            t: pl.Tensor[[16, 16], pl.FP32] = pl.add(x, x)
        return x
