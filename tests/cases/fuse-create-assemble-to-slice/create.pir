# Buffers that are filled by a kernel and copied once become parts of their target; copied atomically, twice, or into what is
# made later, they stay.
import pypto.language as pl


@pl.program
class Parts:
    @pl.function(type=pl.FunctionType.InCore)
    def fill(self, v: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]) -> pl.Tensor[[16, 32], pl.FP32]:
        t: pl.Tile[[16, 32], pl.FP32] = pl.tile.full([16, 32], dtype=pl.FP32, value=1.0)
        y_1: pl.Tensor[[16, 32], pl.FP32] = pl.tile.store(t, [0, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def each(self, b: pl.Out[pl.Tensor[[4, 64, 32], pl.FP32]]) -> pl.Tensor[[4, 64, 32], pl.FP32]:
        for i, (b_1,) in pl.range(4, init_values=(b,)):
            new: pl.Tensor[[16, 32], pl.FP32] = pl.tensor.create([16, 32], dtype=pl.FP32)
            r: pl.Tensor[[16, 32], pl.FP32] = self.fill(i, new)
            b_2: pl.Tensor[[4, 64, 32], pl.FP32] = pl.tensor.assemble(b_1, r, [i, 16, 0])
            b_3 = pl.yield_(b_2)
        return b_3

    @pl.function(type=pl.FunctionType.Orchestration)
    def added(self, b: pl.Out[pl.Tensor[[64, 32], pl.FP32]]) -> pl.Tensor[[64, 32], pl.FP32]:
        new: pl.Tensor[[16, 32], pl.FP32] = pl.tensor.create([16, 32], dtype=pl.FP32)
        r: pl.Tensor[[16, 32], pl.FP32] = self.fill(0, new)
        b_1: pl.Tensor[[64, 32], pl.FP32] = pl.tensor.assemble(b, r, [0, 0], atomic=pl.AtomicType.Add)
        return b_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def twice(self, b: pl.Out[pl.Tensor[[64, 32], pl.FP32]]) -> pl.Tensor[[64, 32], pl.FP32]:
        new: pl.Tensor[[16, 32], pl.FP32] = pl.tensor.create([16, 32], dtype=pl.FP32)
        r: pl.Tensor[[16, 32], pl.FP32] = self.fill(0, new)
        b_1: pl.Tensor[[64, 32], pl.FP32] = pl.tensor.assemble(b, r, [0, 0])
        b_2: pl.Tensor[[64, 32], pl.FP32] = pl.tensor.assemble(b_1, r, [16, 0])
        return b_2

    @pl.function(type=pl.FunctionType.Orchestration)
    def late(self, n: pl.Scalar[pl.INDEX], b: pl.Out[pl.Tensor[[64, 32], pl.FP32]]) -> pl.Tensor[[64, 32], pl.FP32]:
        one: pl.Tensor[[16, 32], pl.FP32] = pl.tensor.create([16, 32], dtype=pl.FP32)
        two: pl.Tensor[[16, 32], pl.FP32] = pl.tensor.create([16, 32], dtype=pl.FP32)
        r: pl.Tensor[[16, 32], pl.FP32] = self.fill(0, one)
        row: pl.Scalar[pl.INDEX] = n * 16
        made: pl.Tensor[[64, 32], pl.FP32] = pl.tensor.create([64, 32], dtype=pl.FP32)
        made_1: pl.Tensor[[64, 32], pl.FP32] = pl.tensor.assemble(made, r, [0, 0])
        q: pl.Tensor[[16, 32], pl.FP32] = self.fill(1, two)
        b_1: pl.Tensor[[64, 32], pl.FP32] = pl.tensor.assemble(b, q, [row, 0])
        return b_1
