# Each piece loads its own columns of the bias; the second bias is read twice, so its product stays.
import pypto.language as pl

@pl.program
class Biased:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(x: pl.Tensor[[256, 64], pl.BF16], y: pl.Tensor[[64, 384], pl.BF16], bias: pl.Tensor[[1, 400], pl.FP32], out: pl.Out[pl.Tensor[[256, 384], pl.FP32]]) -> pl.Tensor[[256, 384], pl.FP32]:
        bias_mat: pl.Tile[[1, 384], pl.FP32, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)] = pl.tile.load(bias, [0, 16], [1, 384], [1, 384], target_memory=pl.Mem.Mat)
        x_mat: pl.Tile[[256, 64], pl.BF16, pl.Mem.Mat] = pl.tile.load(x, [0, 0], [256, 64], [256, 64], target_memory=pl.Mem.Mat)
        y_mat: pl.Tile[[64, 384], pl.BF16, pl.Mem.Mat] = pl.tile.load(y, [0, 0], [64, 384], [64, 384], target_memory=pl.Mem.Mat)
        sum_0: pl.Tile[[256, 384], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_bias(x_mat, y_mat, bias_mat)
        done: pl.Tensor[[256, 384], pl.FP32] = pl.tile.store(sum_0, [0, 0], out)
        return done
    @pl.function(type=pl.FunctionType.InCore)
    def twice(x: pl.Tensor[[256, 64], pl.BF16], y: pl.Tensor[[64, 384], pl.BF16], bias: pl.Tensor[[1, 384], pl.FP32], out: pl.Out[pl.Tensor[[512, 384], pl.FP32]]) -> pl.Tensor[[512, 384], pl.FP32]:
        x_mat: pl.Tile[[256, 64], pl.BF16, pl.Mem.Mat] = pl.tile.load(x, [0, 0], [256, 64], [256, 64], target_memory=pl.Mem.Mat)
        y_mat: pl.Tile[[64, 384], pl.BF16, pl.Mem.Mat] = pl.tile.load(y, [0, 0], [64, 384], [64, 384], target_memory=pl.Mem.Mat)
        bias_mat: pl.Tile[[1, 384], pl.FP32, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)] = pl.tile.load(bias, [0, 0], [1, 384], [1, 384], target_memory=pl.Mem.Mat)
        sum_0: pl.Tile[[256, 384], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_bias(x_mat, y_mat, bias_mat)
        out_1: pl.Tensor[[512, 384], pl.FP32] = pl.tile.store(sum_0, [0, 0], out)
        sum_1: pl.Tile[[256, 384], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_bias(x_mat, y_mat, bias_mat)
        out_2: pl.Tensor[[512, 384], pl.FP32] = pl.tile.store(sum_1, [256, 0], out_1)
        return out_2
