# A kernel that stores one stripe: its output and its input shrink to that stripe, and so do the calls.  In a loop
# stripes must not overlap; a call alone in its block, or in a `while`, stays as it is.
import pypto.language as pl


@pl.program
class OneStore:
    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def stripe(self, x: pl.Tensor[[256, 64], pl.FP32], row: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[256, 64], pl.FP32]]) -> pl.Tensor[[256, 64], pl.FP32]:
        t: pl.Tile[[32, 64], pl.FP32] = pl.tile.load(x, [row, 0], [32, 64], [32, 64])
        y_1: pl.Tensor[[256, 64], pl.FP32] = pl.tile.store(t, [row, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def once(self, a: pl.Tensor[[256, 64], pl.FP32], b: pl.Out[pl.Tensor[[256, 64], pl.FP32]]) -> pl.Tensor[[256, 64], pl.FP32]:
        r: pl.Tensor[[256, 64], pl.FP32] = self.stripe(a, 64, b)
        return r

    @pl.function(type=pl.FunctionType.Orchestration)
    def apart(self, a: pl.Tensor[[256, 64], pl.FP32], b: pl.Out[pl.Tensor[[256, 64], pl.FP32]]) -> pl.Tensor[[256, 64], pl.FP32]:
        for i, (b_i,) in pl.range(8, init_values=(b,)):
            at: pl.Scalar[pl.INDEX] = i * 32
            r: pl.Tensor[[256, 64], pl.FP32] = self.stripe(a, at, b_i)
            b_1: pl.Tensor[[256, 64], pl.FP32] = pl.yield_(r)
        return b_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def overlapping(self, a: pl.Tensor[[256, 64], pl.FP32], b: pl.Out[pl.Tensor[[256, 64], pl.FP32]]) -> pl.Tensor[[256, 64], pl.FP32]:
        for i, (b_i,) in pl.range(8, init_values=(b,)):
            at: pl.Scalar[pl.INDEX] = i * 16
            r: pl.Tensor[[256, 64], pl.FP32] = self.stripe(a, at, b_i)
            b_1: pl.Tensor[[256, 64], pl.FP32] = pl.yield_(r)
        return b_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def parallel(self, a: pl.Tensor[[256, 64], pl.FP32], b: pl.Out[pl.Tensor[[256, 64], pl.FP32]]) -> pl.Tensor[[256, 64], pl.FP32]:
        for i, (b_i,) in pl.parallel(8, init_values=(b,)):
            r: pl.Tensor[[256, 64], pl.FP32] = self.stripe(a, i * 16, b_i)
            b_1: pl.Tensor[[256, 64], pl.FP32] = pl.yield_(r)
        return b_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def one_dimension_of_two_loops(self, a: pl.Tensor[[256, 64], pl.FP32], b: pl.Out[pl.Tensor[[256, 64], pl.FP32]]) -> pl.Tensor[[256, 64], pl.FP32]:
        for i, (b_i,) in pl.range(2, init_values=(b,)):
            for k, (b_k,) in pl.range(2, init_values=(b_i,)):
                r: pl.Tensor[[256, 64], pl.FP32] = self.stripe(a, i * 128 + k * 32, b_k)
                b_1: pl.Tensor[[256, 64], pl.FP32] = pl.yield_(r)
            b_2: pl.Tensor[[256, 64], pl.FP32] = pl.yield_(b_1)
        return b_2

    @pl.function(type=pl.FunctionType.Orchestration)
    def created_inside(self, a: pl.Tensor[[256, 64], pl.FP32], b: pl.Tensor[[256, 64], pl.FP32]) -> pl.Tensor[[256, 64], pl.FP32]:
        for i, (b_i,) in pl.range(8, init_values=(b,)):
            new: pl.Tensor[[256, 64], pl.FP32] = pl.tensor.create([256, 64], dtype=pl.FP32)
            r: pl.Tensor[[256, 64], pl.FP32] = self.stripe(a, i * 16, new)
            b_1: pl.Tensor[[256, 64], pl.FP32] = pl.yield_(r)
        return b_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def alone(self, a: pl.Tensor[[256, 64], pl.FP32], b: pl.Out[pl.Tensor[[256, 64], pl.FP32]]) -> pl.Tensor[[256, 64], pl.FP32]:
        for i in pl.parallel(8):
            r: pl.Tensor[[256, 64], pl.FP32] = self.stripe(a, i * 32, b)
        return b

    @pl.function(type=pl.FunctionType.Orchestration)
    def in_while(self, a: pl.Tensor[[256, 64], pl.FP32], b: pl.Out[pl.Tensor[[256, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[256, 64], pl.FP32]:
        for (i, b_i) in pl.while_(init_values=(0, b)):
            pl.cond(i < n)
            r: pl.Tensor[[256, 64], pl.FP32] = self.stripe(a, 64, b_i)
            i_1, b_1 = pl.yield_(i + 1, r)
        return b_1
