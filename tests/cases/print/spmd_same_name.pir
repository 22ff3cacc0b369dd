# pypto.program: Same
import pypto.language as pl

@pl.program
class Same:
    @pl.function
    def f(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        row: pl.Scalar[pl.INDEX] = 0
        for row in pl.spmd(64, name_hint="rows_spmd"):
            r: pl.Tensor[[1, 64], pl.FP32] = pl.tensor.slice(x, [1, 64], [row, 0])
            y: pl.Tensor[[64, 64], pl.FP32] = pl.tensor.assemble(y, r, [row, 0])
        return y
