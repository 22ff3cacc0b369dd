# Two column windows of one accumulator, worked on in turns: what is accumulated in a window is there in the whole.
import pypto.language as pl


@pl.program
class Windows:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[32, 64], pl.FP16], w: pl.Tensor[[64, 96], pl.FP16], y: pl.Out[pl.Tensor[[32, 96], pl.FP32]]) -> pl.Tensor[[32, 96], pl.FP32]:
        total: pl.Tile[[32, 96], pl.FP32, pl.Mem.Acc] = pl.tile.create([32, 96], dtype=pl.FP32, target_memory=pl.Mem.Acc)
        for k in pl.range(0, 64, 16):
            for j in pl.range(3):
                rows = pl.tile.load(x, [0, k], [32, 16], target_memory=pl.Mem.Mat)
                columns = pl.tile.load(w, [k, j * 32], [16, 32], target_memory=pl.Mem.Mat)
                left = pl.tile.move(rows, target_memory=pl.Mem.Left)
                right = pl.tile.move(columns, target_memory=pl.Mem.Right)
                window = pl.tile.slice(total, [32, 32], [0, j * 32])
                window = pl.tile.matmul_acc(window, left, right, k == 0)
        y = pl.tile.store(total, [0, 0], y)
        return y
