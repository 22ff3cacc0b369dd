# A scalar parameter: y = factor * x + y, in place.
import pypto.language as pl


@pl.program
class Axpy:
    @pl.function(type=pl.FunctionType.InCore)
    def axpy_kernel(
        self,
        factor: pl.Scalar[pl.FP32],
        x: pl.Tensor[[128, 128], pl.FP32],
        y: pl.InOut[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        x_tile = pl.load(x, [0, 0], [128, 128])
        y_tile = pl.load(y, [0, 0], [128, 128])
        scaled = pl.mul(x_tile, factor)
        total = pl.add(scaled, y_tile)
        y = pl.store(total, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        factor: pl.Scalar[pl.FP32],
        x: pl.Tensor[[128, 128], pl.FP32],
        y: pl.InOut[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        y = self.axpy_kernel(factor, x, y)
        return y
