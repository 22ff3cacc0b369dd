# A kernel that gets a part of a tensor knows the strides of the whole, in its argument as in its result.
import pypto.language as pl


@pl.program
class Parts:
    @pl.function(type=pl.FunctionType.InCore)
    def copy(self, x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]) -> pl.Tensor[[16, 32], pl.FP32]:
        t: pl.Tile[[16, 32], pl.FP32] = pl.tile.load(x, [0, 0], [16, 32], [16, 32])
        y_1: pl.Tensor[[16, 32], pl.FP32] = pl.tile.store(t, [0, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[64, 128], pl.FP32], b: pl.Out[pl.Tensor[[64, 256], pl.FP32]]) -> pl.Tensor[[64, 256], pl.FP32]:
        part: pl.Tensor[[16, 32], pl.FP32] = pl.tensor.slice(a, [16, 32], [16, 32])
        new: pl.Tensor[[16, 32], pl.FP32] = pl.tensor.create([16, 32], dtype=pl.FP32)
        r: pl.Tensor[[16, 32], pl.FP32] = self.copy(part, new)
        b_1: pl.Tensor[[64, 256], pl.FP32] = pl.tensor.assemble(b, r, [0, 64])
        return b_1
