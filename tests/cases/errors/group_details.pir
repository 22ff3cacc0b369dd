# What a group's parts say of their launch would be ignored.
import pypto.language as pl


@pl.program
class G:
    @pl.function(type=pl.FunctionType.AIV)
    def k(self, x: pl.Tensor[[32, 32], pl.FP32], y: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        t = pl.load(x, [0, 0], [32, 32])
        y = pl.store(t, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Group)
    def g(self, x: pl.Tensor[[32, 32], pl.FP32], y: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        y, tid = pl.submit(self.k, x, y, allow_early_resolve=True)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[32, 32], pl.FP32], y: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        y = self.g(x, y)
        return y
