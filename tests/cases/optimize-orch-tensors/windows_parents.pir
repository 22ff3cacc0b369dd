# Which tensor a window is part of: other writers, twice the same one, slices, results of loops.
import pypto.language as pl


@pl.program
class Parents:
    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def stripe(self, x: pl.Tensor[[16, 64], pl.FP32], row: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        t: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(x, [0, 0], [16, 64], [16, 64])
        y_1: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(t, [row, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def stripes(self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]], z: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> tuple[pl.Tensor[[64, 64], pl.FP32], pl.Tensor[[64, 64], pl.FP32]]:
        t: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(x, [0, 0], [16, 64], [16, 64])
        y_1: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(t, [16, 0], y)
        z_1: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(t, [32, 0], z)
        return y_1, z_1

    @pl.function(type=pl.FunctionType.InCore)
    def full(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        t: pl.Tile[[64, 64], pl.FP32] = pl.tile.load(x, [0, 0], [64, 64], [64, 64])
        y_1: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(t, [0, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def one_after_the_other(self, a: pl.Tensor[[16, 64], pl.FP32], b: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        b_1: pl.Tensor[[64, 64], pl.FP32] = self.stripe(a, 0, b)
        b_2: pl.Tensor[[64, 64], pl.FP32] = self.stripe(a, 16, b)
        return b

    @pl.function(type=pl.FunctionType.Orchestration)
    def next_to_a_full_one(self, a: pl.Tensor[[16, 64], pl.FP32], c: pl.Tensor[[64, 64], pl.FP32], b: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        b_1: pl.Tensor[[64, 64], pl.FP32] = self.full(c, b)
        b_2: pl.Tensor[[64, 64], pl.FP32] = self.stripe(a, 16, b_1)
        return b_2

    @pl.function(type=pl.FunctionType.Orchestration)
    def twice_the_same(self, a: pl.Tensor[[16, 64], pl.FP32], b: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        r: pl.Tuple[pl.Tensor[[64, 64], pl.FP32], pl.Tensor[[64, 64], pl.FP32]] = self.stripes(a, b, b)
        b_1: pl.Tensor[[64, 64], pl.FP32] = r[0]
        return b_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def a_slice_of_what_another_writes(self, a: pl.Tensor[[16, 64], pl.FP32], c: pl.Tensor[[64, 64], pl.FP32], b: pl.Out[pl.Tensor[[128, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        upper: pl.Tensor[[64, 64], pl.FP32] = pl.tensor.slice(b, [64, 64], [0, 0])
        lower: pl.Tensor[[64, 64], pl.FP32] = pl.tensor.slice(b, [64, 64], [64, 0])
        l_1: pl.Tensor[[64, 64], pl.FP32] = self.full(c, lower)
        u_1: pl.Tensor[[64, 64], pl.FP32] = self.stripe(a, 16, upper)
        return u_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def behind_a_loop(self, a: pl.Tensor[[16, 64], pl.FP32], b: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        for i, (b_i,) in pl.range(2, init_values=(b,)):
            b_1: pl.Tensor[[64, 64], pl.FP32] = self.stripe(a, i * 16, b_i)
            b_2: pl.Tensor[[64, 64], pl.FP32] = pl.yield_(b_1)
        b_3: pl.Tensor[[64, 64], pl.FP32] = self.stripe(a, 48, b_2)
        return b_3
