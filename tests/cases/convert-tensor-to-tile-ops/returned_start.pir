# A loop that only assembles stores into its output instead; the tile that it starts from stays where it is returned, too.
import pypto.language as pl


@pl.program
class ReturnedStart:
    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, x: pl.Tensor[[8, 32], pl.FP32]) -> tuple[pl.Tensor[[32, 32], pl.FP32], pl.Tensor[[32, 32], pl.FP32]]:
        start: pl.Tensor[[32, 32], pl.FP32] = pl.tensor.full([32, 32], 1.0, dtype=pl.FP32)
        for i, (y,) in pl.range(4, init_values=(start,)):
            part: pl.Tensor[[8, 32], pl.FP32] = pl.tensor.slice(x, [8, 32], [0, 0])
            y_1: pl.Tensor[[32, 32], pl.FP32] = pl.tensor.assemble(y, part, [i * 8, 0])
            y_2: pl.Tensor[[32, 32], pl.FP32] = pl.yield_(y_1)
        return y_2, start

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[8, 32], pl.FP32]) -> tuple[pl.Tensor[[32, 32], pl.FP32], pl.Tensor[[32, 32], pl.FP32]]:
        r: pl.Tuple[pl.Tensor[[32, 32], pl.FP32], pl.Tensor[[32, 32], pl.FP32]] = self.fill(x)
        a: pl.Tensor[[32, 32], pl.FP32] = r[0]
        b: pl.Tensor[[32, 32], pl.FP32] = r[1]
        return a, b
