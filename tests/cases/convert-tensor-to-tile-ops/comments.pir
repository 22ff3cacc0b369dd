# What stays one statement keeps its comments: a slice loaded where it is wanted, a call with new outputs.  What is
# converted, as a fill loop, loses them.
import pypto.language as pl


@pl.program
class Comments:
    @pl.function(type=pl.FunctionType.InCore)
    def product(self, x: pl.Tensor[[64, 64], pl.BF16], y: pl.Tensor[[64, 32], pl.BF16]) -> pl.Tensor[[16, 32], pl.FP32]:
        # the upper rows
        # of x
        upper: pl.Tensor[[16, 64], pl.BF16] = pl.tensor.slice(x, [16, 64], [0, 0])
        z: pl.Tensor[[16, 32], pl.FP32] = pl.tensor.matmul(upper, y, out_dtype=pl.FP32)
        return z

    @pl.function(type=pl.FunctionType.InCore)
    def clear(self, z: pl.Out[pl.Tensor[[64], pl.FP32]]) -> pl.Tensor[[64], pl.FP32]:
        # all of it
        for i in pl.range(64):
            # one by one
            pl.tensor.write(z, [i], 0.0)
        return z

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[64, 64], pl.BF16], y: pl.Tensor[[64, 32], pl.BF16], z: pl.Out[pl.Tensor[[64], pl.FP32]]) -> tuple[pl.Tensor[[16, 32], pl.FP32], pl.Tensor[[64], pl.FP32]]:
        # x times y
        p: pl.Tensor[[16, 32], pl.FP32] = self.product(x, y)
        z_1: pl.Tensor[[64], pl.FP32] = self.clear(z)
        return p, z_1
