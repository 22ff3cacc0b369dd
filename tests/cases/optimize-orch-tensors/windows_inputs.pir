# Inputs alone: one box read twice, the box around several, one at a place that a table tells, and what is left whole.
import pypto.language as pl


@pl.program
class Inputs:
    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def twice(self, x: pl.Tensor[[64, 128], pl.FP32], row: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        t: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(x, [row, 32], [16, 64], [16, 64])
        u: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(x, [row, 32], [16, 64], [16, 64])
        s: pl.Tile[[16, 64], pl.FP32] = pl.tile.add(t, u)
        y_1: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(s, [0, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def around(self, x: pl.Tensor[[64, 128], pl.FP32], row: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[8, 32], pl.FP32]]) -> pl.Tensor[[8, 32], pl.FP32]:
        sum: pl.Tile[[8, 32], pl.FP32] = pl.tile.load(x, [row, 0], [8, 32], [8, 32])
        for i, (sum_i,) in pl.range(3, init_values=(sum,)):
            at: pl.Scalar[pl.INDEX] = row + i * 8
            t: pl.Tile[[8, 32], pl.FP32] = pl.tile.load(x, [at, 16], [8, 32], [8, 32])
            sum_1: pl.Tile[[8, 32], pl.FP32] = pl.tile.add(sum_i, t)
            sum_2: pl.Tile[[8, 32], pl.FP32] = pl.yield_(sum_1)
        y_1: pl.Tensor[[8, 32], pl.FP32] = pl.tile.store(sum_2, [0, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def by_table(self, x: pl.Tensor[[64, 128], pl.FP32], table: pl.Tensor[[4], pl.INDEX], k: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[8, 32], pl.FP32]]) -> pl.Tensor[[8, 32], pl.FP32]:
        at: pl.Scalar[pl.INDEX] = pl.tensor.read(table, [k])
        t: pl.Tile[[8, 32], pl.FP32] = pl.tile.load(x, [at, 0], [8, 32], [8, 32])
        u: pl.Tile[[8, 32], pl.FP32] = pl.tile.load(x, [at + 8, 0], [8, 32], [8, 32])
        s: pl.Tile[[8, 32], pl.FP32] = pl.tile.add(t, u)
        y_1: pl.Tensor[[8, 32], pl.FP32] = pl.tile.store(s, [0, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def by_block(self, x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[8, 32], pl.FP32]]) -> pl.Tensor[[8, 32], pl.FP32]:
        at: pl.Scalar[pl.INDEX] = pl.tile.get_block_idx()
        t: pl.Tile[[8, 32], pl.FP32] = pl.tile.load(x, [at * 8, 0], [8, 32], [8, 32])
        u: pl.Tile[[8, 32], pl.FP32] = pl.tile.load(x, [at * 8, 32], [8, 32], [8, 32])
        s: pl.Tile[[8, 32], pl.FP32] = pl.tile.add(t, u)
        y_1: pl.Tensor[[8, 32], pl.FP32] = pl.tile.store(s, [0, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def partly(self, x: pl.Tensor[[64, 128], pl.FP32], y: pl.Out[pl.Tensor[[8, 32], pl.FP32]]) -> pl.Tensor[[8, 32], pl.FP32]:
        t: pl.Tile[[8, 32], pl.FP32, pl.TileView(valid_shape=[4, 32])] = pl.tile.load(x, [8, 0], [8, 32], [4, 32])
        y_1: pl.Tensor[[8, 32], pl.FP32] = pl.tile.store(t, [0, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[64, 128], pl.FP32], table: pl.Tensor[[4], pl.INDEX], b: pl.Out[pl.Tensor[[16, 64], pl.FP32]], c: pl.Out[pl.Tensor[[8, 32], pl.FP32]], d: pl.Out[pl.Tensor[[8, 32], pl.FP32]], e: pl.Out[pl.Tensor[[8, 32], pl.FP32]]) -> tuple[pl.Tensor[[16, 64], pl.FP32], pl.Tensor[[8, 32], pl.FP32], pl.Tensor[[8, 32], pl.FP32]]:
        b_1: pl.Tensor[[16, 64], pl.FP32] = self.twice(a, 16, b)
        c_1: pl.Tensor[[8, 32], pl.FP32] = self.around(a, 8, c)
        d_1: pl.Tensor[[8, 32], pl.FP32] = self.by_table(a, table, 2, d)
        e_1: pl.Tensor[[8, 32], pl.FP32] = self.by_block(a, e)
        e_2: pl.Tensor[[8, 32], pl.FP32] = self.partly(a, e_1)
        return b_1, c_1, e_2

    @pl.function(type=pl.FunctionType.Orchestration)
    def assembled(self, a: pl.Tensor[[64, 128], pl.FP32], b: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        new: pl.Tensor[[16, 64], pl.FP32] = pl.tensor.create([16, 64], dtype=pl.FP32)
        r: pl.Tensor[[16, 64], pl.FP32] = self.twice(a, 16, new)
        b_1: pl.Tensor[[64, 64], pl.FP32] = pl.tensor.assemble(b, r, [16, 0])
        return b_1
