# Inner regions are made first and stand first in the membership; a product into Acc notes none.
import pypto.language as pl


@pl.program
class Nested:
    @pl.function(type=pl.FunctionType.AIC)
    def product(self, a: pl.Tensor[[64, 64], pl.FP16], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        for i in pl.pipeline(4, stage=2):
            for j in pl.pipeline(2, stage=2):
                a_l: pl.Tile[[16, 16], pl.FP16, pl.Mem.Mat] = pl.tile.load(a, [i * 16, j * 16], [16, 16], [16, 16], target_memory=pl.Mem.Mat)
                a_r: pl.Tile[[16, 16], pl.FP16, pl.Mem.Mat] = pl.tile.load(a, [j * 16, i * 16], [16, 16], [16, 16], target_memory=pl.Mem.Mat)
                left: pl.Tile[[16, 16], pl.FP16, pl.Mem.Left] = pl.tile.move(a_l, target_memory=pl.Mem.Left)
                right: pl.Tile[[16, 16], pl.FP16, pl.Mem.Right] = pl.tile.move(a_r, target_memory=pl.Mem.Right)
                acc: pl.Tile[[16, 16], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(left, right)
                pl.tile.store(acc, [i * 16, j * 16], y)
