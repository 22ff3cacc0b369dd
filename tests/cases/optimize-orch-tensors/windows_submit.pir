# Submits: outputs are narrowed, inputs alone are not; the task is passed on.
import pypto.language as pl


@pl.program
class Submits:
    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def stripe(self, x: pl.Tensor[[64, 64], pl.FP32], row: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        t: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(x, [row, 0], [16, 64], [16, 64])
        y_1: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(t, [row, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def part(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        t: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(x, [16, 0], [16, 64], [16, 64])
        y_1: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(t, [0, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[64, 64], pl.FP32], b: pl.Out[pl.Tensor[[64, 64], pl.FP32]], c: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> tuple[pl.Tensor[[64, 64], pl.FP32], pl.Tensor[[16, 64], pl.FP32]]:
        with pl.manual_scope():
            r: pl.Tuple[pl.Tensor[[64, 64], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.stripe, a, 16, b)
            b_1: pl.Tensor[[64, 64], pl.FP32] = r[0]
            task: pl.Scalar[pl.TASK_ID] = r[1]
            s: pl.Tuple[pl.Tensor[[16, 64], pl.FP32], pl.Scalar[pl.TASK_ID]] = pl.submit(self.part, b_1, c, deps=[task])
            c_1: pl.Tensor[[16, 64], pl.FP32] = s[0]
        return b_1, c_1
