# What the branch gives is not needed: of the other branch an empty scope is left.
import pypto.language as pl


@pl.program
class Scopes:
    @pl.function(type=pl.FunctionType.InCore)
    def put(self, x: pl.Tensor[[8, 8], pl.FP32], y: pl.Out[pl.Tensor[[8, 8], pl.FP32]]) -> pl.Tensor[[8, 8], pl.FP32]:
        t = pl.load(x, [0, 0], [8, 8])
        y = pl.store(t, [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[8, 8], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[8, 8], pl.FP32]]) -> pl.Tensor[[8, 8], pl.FP32]:
        flat = pl.reshape(y, [8, 8])
        if n > 4:
            flat = self.put(x, flat)
        return y
