# Core functions return their outputs in the order of their parameters, and callers' items follow; a body that is only a return
# stays, as does one that returns fewer values than it has outputs.
import pypto.language as pl


@pl.program
class Orders:
    @pl.function(type=pl.FunctionType.InCore)
    def swapped(self, x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]], z: pl.Out[pl.Tensor[[16, 32], pl.FP16]]) -> tuple[pl.Tensor[[16, 32], pl.FP16], pl.Tensor[[16, 32], pl.FP32]]:
        t: pl.Tile[[16, 32], pl.FP32] = pl.tile.load(x, [0, 0], [16, 32], [16, 32])
        h: pl.Tile[[16, 32], pl.FP16] = pl.tile.cast(t, target_type=pl.FP16, mode='round')
        y_1: pl.Tensor[[16, 32], pl.FP32] = pl.tile.store(t, [0, 0], y)
        for i, (z_1,) in pl.range(2, init_values=(z,)):
            z_2: pl.Tensor[[16, 32], pl.FP16] = pl.tile.store(h, [0, 0], z_1)
            z_3 = pl.yield_(z_2)
        return z_3, y_1

    @pl.function(type=pl.FunctionType.InCore)
    def only(self, y: pl.Out[pl.Tensor[[16, 32], pl.FP32]], z: pl.Out[pl.Tensor[[16, 32], pl.FP16]]) -> tuple[pl.Tensor[[16, 32], pl.FP16], pl.Tensor[[16, 32], pl.FP32]]:
        return z, y

    @pl.function(type=pl.FunctionType.InCore)
    def fewer(self, x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]], z: pl.Out[pl.Tensor[[16, 32], pl.FP32]]) -> pl.Tensor[[16, 32], pl.FP32]:
        t: pl.Tile[[16, 32], pl.FP32] = pl.tile.load(x, [0, 0], [16, 32], [16, 32])
        y_1: pl.Tensor[[16, 32], pl.FP32] = pl.tile.store(t, [0, 0], y)
        z_1: pl.Tensor[[16, 32], pl.FP32] = pl.tile.store(t, [0, 0], z)
        return z_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[16, 32], pl.FP32], b: pl.Out[pl.Tensor[[16, 32], pl.FP32]], c: pl.Out[pl.Tensor[[16, 32], pl.FP16]], d: pl.Out[pl.Tensor[[16, 32], pl.FP32]]) -> tuple[pl.Tensor[[16, 32], pl.FP32], pl.Tensor[[16, 32], pl.FP16]]:
        both: pl.Tuple[pl.Tensor[[16, 32], pl.FP16], pl.Tensor[[16, 32], pl.FP32]] = self.swapped(a, b, c)
        c_1: pl.Tensor[[16, 32], pl.FP16] = both[0]
        b_1: pl.Tensor[[16, 32], pl.FP32] = both[1]
        same: pl.Tuple[pl.Tensor[[16, 32], pl.FP16], pl.Tensor[[16, 32], pl.FP32]] = self.only(b_1, c_1)
        c_2: pl.Tensor[[16, 32], pl.FP16] = same[0]
        b_2: pl.Tensor[[16, 32], pl.FP32] = same[1]
        d_1: pl.Tensor[[16, 32], pl.FP32] = self.fewer(a, b_2, d)
        return d_1, c_2
