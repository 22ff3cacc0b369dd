import pypto.language as pl

@pl.program
class Offset:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[64, 16], pl.FP32], sizes: pl.Tensor[[4], pl.INT64]) -> pl.Tensor[[8, 16], pl.FP32]:
        start: pl.Scalar[pl.INT64] = pl.tensor.read(sizes, [0])
        y: pl.Tensor[[8, 16], pl.FP32] = pl.tensor.slice(x, [8, 16], [start, 0])
        return y
