# Loops that write their output bit by bit: one dense box, a piece per iteration where there are gaps, nothing where two
# dimensions move; inputs that the loop sweeps.
import pypto.language as pl


@pl.program
class Loops:
    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def dense(self, x: pl.Tensor[[16, 512], pl.FP32], y: pl.Out[pl.Tensor[[16, 512], pl.FP32]], first: pl.Scalar[pl.INDEX]) -> pl.Tensor[[16, 512], pl.FP32]:
        for i, (y_i,) in pl.range(first, first + 4, init_values=(y,)):
            col: pl.Scalar[pl.INDEX] = i * 64
            t: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(x, [0, col], [16, 64], [16, 64])
            y_1: pl.Tensor[[16, 512], pl.FP32] = pl.tile.store(t, [0, col], y_i)
            y_2: pl.Tensor[[16, 512], pl.FP32] = pl.yield_(y_1)
        return y_2

    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def inner(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.InOut[pl.Tensor[[64, 64], pl.FP32]], row: pl.Scalar[pl.INDEX]) -> pl.Tensor[[64, 64], pl.FP32]:
        for i, (y_i,) in pl.range(2, init_values=(y,)):
            for k, (y_k,) in pl.range(2, init_values=(y_i,)):
                at: pl.Scalar[pl.INDEX] = row + i * 16 + k * 8
                old: pl.Tile[[8, 64], pl.FP32] = pl.tile.load(y_k, [at, 0], [8, 64], [8, 64])
                t: pl.Tile[[8, 64], pl.FP32] = pl.tile.load(x, [at, 0], [8, 64], [8, 64])
                new: pl.Tile[[8, 64], pl.FP32] = pl.tile.add(old, t)
                y_1: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(new, [at, 0], y_k)
                y_2: pl.Tensor[[64, 64], pl.FP32] = pl.yield_(y_1)
            y_3: pl.Tensor[[64, 64], pl.FP32] = pl.yield_(y_2)
        return y_3

    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def gaps(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[64, 64], pl.FP32]:
        for i, (y_i,) in pl.range(3, init_values=(y,)):
            at: pl.Scalar[pl.INDEX] = n + i * 16
            t: pl.Tile[[8, 64], pl.FP32] = pl.tile.load(x, [0, 0], [8, 64], [8, 64])
            y_1: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(t, [at, 0], y_i)
            y_2: pl.Tensor[[64, 64], pl.FP32] = pl.yield_(y_1)
        return y_2

    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def diagonal(self, x: pl.Tensor[[8, 8], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        for i, (y_i,) in pl.range(4, init_values=(y,)):
            t: pl.Tile[[8, 8], pl.FP32] = pl.tile.load(x, [0, 0], [8, 8], [8, 8])
            y_1: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(t, [i * 8, i * 8], y_i)
            y_2: pl.Tensor[[64, 64], pl.FP32] = pl.yield_(y_1)
        return y_2

    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def two_carried(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]], z: pl.Out[pl.Tensor[[64, 64], pl.FP32]], row: pl.Scalar[pl.INDEX]) -> tuple[pl.Tensor[[64, 64], pl.FP32], pl.Tensor[[64, 64], pl.FP32]]:
        for i, (y_i, z_i) in pl.range(2, init_values=(y, z)):
            t: pl.Tile[[8, 64], pl.FP32] = pl.tile.load(x, [row + i * 8, 0], [8, 64], [8, 64])
            y_1: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(t, [row + i * 8, 0], y_i)
            z_1: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(t, [row + i * 16, 0], z_i)
            y_2, z_2 = pl.yield_(y_1, z_1)
        return y_2, z_2

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[16, 512], pl.FP32], b: pl.Tensor[[64, 64], pl.FP32], c: pl.Out[pl.Tensor[[16, 512], pl.FP32]], d: pl.InOut[pl.Tensor[[64, 64], pl.FP32]], e: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> tuple[pl.Tensor[[16, 512], pl.FP32], pl.Tensor[[64, 64], pl.FP32], pl.Tensor[[64, 64], pl.FP32]]:
        c_1: pl.Tensor[[16, 512], pl.FP32] = self.dense(a, c, 4)
        d_1: pl.Tensor[[64, 64], pl.FP32] = self.inner(b, d, 32)
        e_1: pl.Tensor[[64, 64], pl.FP32] = self.gaps(b, e, 8)
        return c_1, d_1, e_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def pieces_in_a_loop(self, b: pl.Tensor[[64, 64], pl.FP32], e: pl.Out[pl.Tensor[[64, 64], pl.FP32]], small: pl.Tensor[[8, 8], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        for i, (e_i,) in pl.range(4, init_values=(e,)):
            r: pl.Tensor[[64, 64], pl.FP32] = self.gaps(b, e_i, i)
            e_1: pl.Tensor[[64, 64], pl.FP32] = pl.yield_(r)
        e_2: pl.Tensor[[64, 64], pl.FP32] = self.diagonal(small, e_1)
        return e_2

    @pl.function(type=pl.FunctionType.Orchestration)
    def both(self, b: pl.Tensor[[64, 64], pl.FP32], e: pl.Out[pl.Tensor[[64, 64], pl.FP32]], f: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> tuple[pl.Tensor[[64, 64], pl.FP32], pl.Tensor[[64, 64], pl.FP32]]:
        r: pl.Tuple[pl.Tensor[[64, 64], pl.FP32], pl.Tensor[[64, 64], pl.FP32]] = self.two_carried(b, e, f, 4)
        e_1: pl.Tensor[[64, 64], pl.FP32] = r[0]
        f_1: pl.Tensor[[64, 64], pl.FP32] = r[1]
        return e_1, f_1
