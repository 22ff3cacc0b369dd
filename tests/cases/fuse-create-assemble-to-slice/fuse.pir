# A buffer copied once into its place becomes a view of it; one copied twice stays.
import pypto.language as pl


@pl.program
class Fuse:
    @pl.function(type=pl.FunctionType.AIV)
    def row(self, x: pl.Tensor[[4, 8], pl.FP32], y: pl.Out[pl.Tensor[[1, 8], pl.FP32]]) -> pl.Tensor[[1, 8], pl.FP32]:
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self, x: pl.Tensor[[4, 8], pl.FP32], out: pl.Out[pl.Tensor[[4, 8], pl.FP32]], last: pl.Out[pl.Tensor[[2, 1, 8], pl.FP32]]
    ) -> pl.Tensor[[4, 8], pl.FP32]:
        for r, (out_1,) in pl.range(4, init_values=(out,)):
            part: pl.Tensor[[1, 8], pl.FP32] = pl.tensor.create([1, 8], dtype=pl.FP32)
            part_1: pl.Tensor[[1, 8], pl.FP32] = self.row(x, part)
            out_2: pl.Tensor[[4, 8], pl.FP32] = pl.tensor.assemble(out_1, part_1, [r, 0])
            out_3 = pl.yield_(out_2)
        deep: pl.Tensor[[1, 8], pl.FP32] = pl.tensor.create([1, 8], dtype=pl.FP32)
        deep_1: pl.Tensor[[1, 8], pl.FP32] = self.row(x, deep)
        last_1: pl.Tensor[[2, 1, 8], pl.FP32] = pl.tensor.assemble(last, deep_1, [1, 0, 0])
        twice: pl.Tensor[[1, 8], pl.FP32] = pl.tensor.create([1, 8], dtype=pl.FP32)
        twice_1: pl.Tensor[[1, 8], pl.FP32] = self.row(x, twice)
        out_4: pl.Tensor[[4, 8], pl.FP32] = pl.tensor.assemble(out_3, twice_1, [0, 0])
        out_5: pl.Tensor[[4, 8], pl.FP32] = pl.tensor.assemble(out_4, twice_1, [1, 0])
        return out_5
