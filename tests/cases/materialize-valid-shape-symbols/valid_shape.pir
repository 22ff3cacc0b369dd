# The extent that only a valid_shape names becomes a leading argument.
import pypto.language as pl

VALID = pl.dynamic("VALID")


@pl.program
class ValidShape:
    @pl.function(type=pl.FunctionType.AIV)
    def kernel(
        self,
        x: pl.Tensor[[16, 64], pl.FP32, pl.TensorView(valid_shape=[16, VALID], layout=pl.TensorLayout.ND)],
        out: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    ) -> pl.Tensor[[16, 64], pl.FP32]:
        return out

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]
    ) -> pl.Tensor[[16, 64], pl.FP32]:
        part: pl.Tensor[[16, 64], pl.FP32, pl.TensorView(valid_shape=[16, n], layout=pl.TensorLayout.ND)] = pl.tensor.slice(x, [16, 64], [0, 0], [16, n])
        out_1: pl.Tensor[[16, 64], pl.FP32] = self.kernel(part, out)
        return out_1
