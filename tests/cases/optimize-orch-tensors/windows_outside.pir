# The tile is only partly valid: its box reaches out of the output, so the call stays; where there is room, the other is narrowed.
import pypto.language as pl


@pl.program
class Padded:
    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def row(self, x: pl.Tensor[[4, 64], pl.FP32], out: pl.Out[pl.Tensor[[4, 64], pl.FP32]]) -> pl.Tensor[[4, 64], pl.FP32]:
        t: pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[4, 64])] = pl.tile.load(x, [0, 0], [8, 64], [4, 64])
        out_1: pl.Tensor[[4, 64], pl.FP32] = pl.tile.store(t, [0, 0], out)
        return out_1

    @pl.function(type=pl.FunctionType.InCore, attrs={"windowize": True})
    def rows(self, at: pl.Scalar[pl.INDEX], x: pl.Tensor[[4, 64], pl.FP32], out: pl.Out[pl.Tensor[[20, 64], pl.FP32]]) -> pl.Tensor[[20, 64], pl.FP32]:
        t: pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[4, 64])] = pl.tile.load(x, [0, 0], [8, 64], [4, 64])
        out_1: pl.Tensor[[20, 64], pl.FP32] = pl.tile.store(t, [at, 0], out)
        return out_1

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[4, 64], pl.FP32], b: pl.Out[pl.Tensor[[4, 64], pl.FP32]], c: pl.Out[pl.Tensor[[20, 64], pl.FP32]], d: pl.Out[pl.Tensor[[20, 64], pl.FP32]]) -> tuple[pl.Tensor[[4, 64], pl.FP32], pl.Tensor[[20, 64], pl.FP32], pl.Tensor[[20, 64], pl.FP32]]:
        b_1: pl.Tensor[[4, 64], pl.FP32] = self.row(a, b)
        c_1: pl.Tensor[[20, 64], pl.FP32] = self.rows(8, a, c)
        d_1: pl.Tensor[[20, 64], pl.FP32] = self.rows(16, a, d)
        return b_1, c_1, d_1
