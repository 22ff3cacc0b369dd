# pypto.program: Extents
import pypto.language as pl

rows = pl.dynamic("rows")

@pl.program
class Extents:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[64, 16], pl.FP32], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[rows, 16], pl.FP32]:
        rows_inline0: pl.Scalar[pl.INDEX] = n * 2
        y: pl.Tensor[[rows, 16], pl.FP32] = pl.tensor.slice(x, [rows_inline0, 16], [0, 0])
        return y
