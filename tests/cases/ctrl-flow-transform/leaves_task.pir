# A break that leads out of a task.
import pypto.language as pl

@pl.program
class Leaves:
    @pl.function
    def main(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 32], pl.FP32], y: pl.Out[pl.Tensor[[8, 32], pl.FP32]]):
        for i in pl.range(8):
            with pl.at(level=pl.Level.CORE_GROUP):
                if i == n:
                    t = pl.load(x, [0, 0], [8, 32])
                    y = pl.store(t, [0, 0], y)
                    break
        return y
