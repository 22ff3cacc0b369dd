# Jumps, numbers that change places, and names that C++ keeps for itself, where tasks are launched.
import pypto.language as pl

@pl.program
class Jumps:
    @pl.function(type=pl.FunctionType.InCore)
    def step(self, i: pl.Scalar[pl.INDEX], k: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 32], pl.FP32], y: pl.Out[pl.Tensor[[64, 32], pl.FP32]]) -> pl.Tensor[[64, 32], pl.FP32]:
        y = pl.store(pl.load(x, [i, 0], [8, 32]), [k, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, new: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 32], pl.FP32], default: pl.Out[pl.Tensor[[64, 32], pl.FP32]]):
        if new == 0:
            return default
        double: pl.Scalar[pl.INDEX] = 0
        next: pl.Scalar[pl.INDEX] = 1
        for int in pl.range(10):
            if int == 1:
                continue
            if double > new:
                double = double + 40
                break
            default = self.step(int, double * 2, x, default)
            this = double
            double = next
            next = this + next
        default = self.step(double, next, x, default)
        return default
