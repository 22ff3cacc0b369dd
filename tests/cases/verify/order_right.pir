# y is assigned twice; ConvertToSSA comes before the pass that needs SSA form.
import pypto.language as pl


@pl.program
class Order:
    @pl.function
    def f(self, x: pl.Tensor[[16, 16], pl.FP32]) -> pl.Tensor[[16, 16], pl.FP32]:
        y: pl.Tensor[[16, 16], pl.FP32] = pl.add(x, x)
        y = pl.add(y, x)
        return y
