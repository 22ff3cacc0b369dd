# Values that get their first value in a loop begin with what has the same origin: what is written in place, or an
# earlier result of the same function.
import pypto.language as pl


@pl.program
class Carry:
    @pl.function(type=pl.FunctionType.InCore)
    def k(self, x: pl.Tensor[[32, 32], pl.FP32]) -> pl.Tensor[[32, 32], pl.FP32]:
        y = pl.add(x, 1.0)
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def two(self, x: pl.Tensor[[32, 32], pl.FP32]) -> tuple[pl.Tensor[[32, 32], pl.FP32], pl.Tensor[[32, 32], pl.FP32]]:
        y = pl.add(x, 1.0)
        z = pl.add(x, 2.0)
        return y, z

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[32, 32], pl.FP32]) -> pl.Tensor[[32, 32], pl.FP32]:
        y = self.k(x)
        a, b = self.two(y)
        for i in pl.range(n):
            z = self.k(y)
            c, d = self.two(z)
        return self.k(pl.add(pl.add(z, c), d))

    @pl.function(type=pl.FunctionType.InCore)
    def put(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[32, 32], pl.FP32], out: pl.Out[pl.Tensor[[128, 32], pl.FP32]]) -> pl.Tensor[[128, 32], pl.FP32]:
        t = pl.load(x, [0, 0], [32, 32])
        for i in pl.range(n):
            done = pl.store(t, [i * 32, 0], out)
        return done
