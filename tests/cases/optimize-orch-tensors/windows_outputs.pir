# Several outputs, what is passed on beside them, an output that is read in the same place, one returned as itself.
import pypto.language as pl


@pl.program
class Outputs:
    @pl.function(type=pl.FunctionType.AIV, attrs={"windowize": True})
    def two(self, x: pl.Tensor[[64, 64], pl.FP32], row: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]], whole: pl.Out[pl.Tensor[[16, 64], pl.FP32]], z: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]) -> tuple[pl.Tensor[[64, 64], pl.FP32], pl.Tensor[[16, 64], pl.FP32], pl.Tensor[[64, 64], pl.FP32]]:
        t: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(x, [row, 0], [16, 64], [16, 64])
        old: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(z, [row, 0], [16, 64], [16, 64])
        sum: pl.Tile[[16, 64], pl.FP32] = pl.tile.add(t, old)
        y_1: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(t, [row, 0], y)
        whole_1: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(t, [0, 0], whole)
        z_1: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(sum, [row, 0], z)
        return y_1, whole_1, z_1

    @pl.function(type=pl.FunctionType.AIV, attrs={"windowize": True})
    def returns_itself(self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        t: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(x, [0, 0], [16, 64], [16, 64])
        y_1: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(t, [16, 0], y)
        return y

    @pl.function(type=pl.FunctionType.AIV, attrs={"windowize": True})
    def reads_elsewhere(self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        t: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(y, [0, 0], [16, 64], [16, 64])
        y_1: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(t, [16, 0], y)
        return y_1

    @pl.function(type=pl.FunctionType.AIV, attrs={"windowize": True})
    def reads_back(self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> tuple[pl.Tensor[[64, 64], pl.FP32], pl.Tensor[[16, 64], pl.FP32]]:
        t: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(x, [0, 0], [16, 64], [16, 64])
        y_1: pl.Tensor[[64, 64], pl.FP32] = pl.tile.store(t, [16, 0], y)
        u: pl.Tile[[16, 64], pl.FP32] = pl.tile.load(y_1, [0, 0], [16, 64], [16, 64])
        z_1: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(u, [0, 0], z)
        return y_1, z_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[64, 64], pl.FP32], small: pl.Tensor[[16, 64], pl.FP32], b: pl.Out[pl.Tensor[[64, 64], pl.FP32]], c: pl.Out[pl.Tensor[[16, 64], pl.FP32]], d: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]) -> tuple[pl.Tensor[[64, 64], pl.FP32], pl.Tensor[[16, 64], pl.FP32], pl.Tensor[[64, 64], pl.FP32]]:
        r: pl.Tuple[pl.Tensor[[64, 64], pl.FP32], pl.Tensor[[16, 64], pl.FP32], pl.Tensor[[64, 64], pl.FP32]] = self.two(a, 32, b, c, d)
        b_1: pl.Tensor[[64, 64], pl.FP32] = r[0]
        c_1: pl.Tensor[[16, 64], pl.FP32] = r[1]
        d_1: pl.Tensor[[64, 64], pl.FP32] = r[2]
        return b_1, c_1, d_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def itself(self, small: pl.Tensor[[16, 64], pl.FP32], b: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        b_1: pl.Tensor[[64, 64], pl.FP32] = self.returns_itself(small, b)
        return b_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def elsewhere(self, small: pl.Tensor[[16, 64], pl.FP32], b: pl.InOut[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        b_1: pl.Tensor[[64, 64], pl.FP32] = self.reads_elsewhere(small, b)
        return b_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def back(self, small: pl.Tensor[[16, 64], pl.FP32], b: pl.Out[pl.Tensor[[64, 64], pl.FP32]], c: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        r: pl.Tuple[pl.Tensor[[64, 64], pl.FP32], pl.Tensor[[16, 64], pl.FP32]] = self.reads_back(small, b, c)
        b_1: pl.Tensor[[64, 64], pl.FP32] = r[0]
        return b_1
