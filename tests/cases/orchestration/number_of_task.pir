# The row that a kernel found is not known when the next task is launched.
import pypto.language as pl

@pl.program
class Found:
    @pl.function(type=pl.FunctionType.InCore)
    def find(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tuple[pl.Tensor[[64, 64], pl.FP32], pl.Scalar[pl.INDEX]]:
        row: pl.Scalar[pl.INDEX] = 0
        for i in pl.range(8):
            y = pl.store(pl.load(x, [i * 8, 0], [8, 64]), [i * 8, 0], y)
            row = i * 8
        return y, row

    @pl.function(type=pl.FunctionType.InCore)
    def use(self, o: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 64], pl.FP32], z: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        z = pl.store(pl.load(x, [o, 0], [8, 64]), [o, 0], z)
        return z

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]], z: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        y, row = self.find(x, y)
        z = self.use(row, y, z)
        return y, z
