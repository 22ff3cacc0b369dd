# A kernel that goes on from its input in a loop writes into it where every call outside loops allows it: the input is
# used by that call alone (attributes of the call do not matter, what an `if` gives is never sure), the output is new.
import pypto.language as pl


@pl.program
class Standalone:
    @pl.function(type=pl.FunctionType.InCore)
    def add_up(self, acc: pl.Tensor[[16, 32], pl.FP32], x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]) -> pl.Tensor[[16, 32], pl.FP32]:
        t: pl.Tile[[16, 32], pl.FP32] = pl.tile.load(acc, [0, 0], [16, 32], [16, 32])
        for i, (t_i,) in pl.range(4, init_values=(t,)):
            u: pl.Tile[[16, 32], pl.FP32] = pl.tile.load(x, [0, 0], [16, 32], [16, 32])
            t_1: pl.Tile[[16, 32], pl.FP32] = pl.tile.add(t_i, u)
            t_2: pl.Tile[[16, 32], pl.FP32] = pl.yield_(t_1)
        y_1: pl.Tensor[[16, 32], pl.FP32] = pl.tile.store(t_2, [0, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.InCore)
    def sum_up(self, acc: pl.Tensor[[16, 32], pl.FP32], x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]) -> pl.Tensor[[16, 32], pl.FP32]:
        t: pl.Tile[[16, 32], pl.FP32] = pl.tile.load(acc, [0, 0], [16, 32], [16, 32])
        for i, (t_i,) in pl.range(4, init_values=(t,)):
            u: pl.Tile[[16, 32], pl.FP32] = pl.tile.load(x, [0, 0], [16, 32], [16, 32])
            t_1: pl.Tile[[16, 32], pl.FP32] = pl.tile.add(t_i, u)
            t_2: pl.Tile[[16, 32], pl.FP32] = pl.yield_(t_1)
        y_1: pl.Tensor[[16, 32], pl.FP32] = pl.tile.store(t_2, [0, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def dumped(self, a: pl.Tensor[[16, 32], pl.FP32], b: pl.Tensor[[16, 32], pl.FP32]) -> pl.Tensor[[16, 32], pl.FP32]:
        new: pl.Tensor[[16, 32], pl.FP32] = pl.tensor.create([16, 32], dtype=pl.FP32)
        d: pl.Tensor[[16, 32], pl.FP32] = self.add_up(a, b, new, attrs={"dump_vars": [a]})
        return d

    @pl.function(type=pl.FunctionType.Orchestration)
    def unused_result(self, a: pl.Tensor[[16, 32], pl.FP32], b: pl.Tensor[[16, 32], pl.FP32]):
        new: pl.Tensor[[16, 32], pl.FP32] = pl.tensor.create([16, 32], dtype=pl.FP32)
        self.add_up(a, b, new)

    @pl.function(type=pl.FunctionType.Orchestration)
    def one_of_two(self, a: pl.Tensor[[16, 32], pl.FP32], b: pl.Tensor[[16, 32], pl.FP32], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[16, 32], pl.FP32]:
        if n > 0:
            c = pl.yield_(a)
        else:
            c = pl.yield_(b)
        new: pl.Tensor[[16, 32], pl.FP32] = pl.tensor.create([16, 32], dtype=pl.FP32)
        d: pl.Tensor[[16, 32], pl.FP32] = self.sum_up(c, b, new)
        return d
