# pypto.program: Dims
import pypto.language as pl

M = pl.dynamic("M")

@pl.program
class Dims:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(x: pl.Tensor[[M, 64], pl.FP32]) -> pl.Tensor[[M, 64], pl.FP32]:
        m: pl.Scalar[pl.INDEX] = pl.tensor.dim(x, 0)
        n: pl.Scalar[pl.INDEX] = m + 1
        return x
