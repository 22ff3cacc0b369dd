# Packed strides for row-major and column-major views; strides that are there stay, and a tensor without a view has none.
import pypto.language as pl


@pl.program
class Layouts:
    @pl.function(type=pl.FunctionType.AIV)
    def k(
        self,
        n: pl.Scalar[pl.INDEX],
        rows: pl.Tensor[[4, 8, 16], pl.FP32, pl.TensorView(valid_shape=[4, 8, 10], layout=pl.TensorLayout.ND)],
        columns: pl.Tensor[[4, 8, 16], pl.FP32, pl.TensorView(valid_shape=[4, 8, 10], layout=pl.TensorLayout.DN)],
        wide: pl.Tensor[[8, 16], pl.FP32, pl.TensorView(stride=[32, 1], layout=pl.TensorLayout.ND)],
        plain: pl.Tensor[[8, 16], pl.FP32],
    ):
        part: pl.Tensor[[8, 16], pl.FP32, pl.TensorView(valid_shape=[8, n], layout=pl.TensorLayout.ND)] = pl.tensor.slice(plain, [8, 16], [0, 0], [8, n])
