# Too large for Acc: one loop per piece of the result, each with its own accumulator and narrowed loads.
import pypto.language as pl

@pl.program
class Sum:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(left: pl.Tensor[[272, 256], pl.BF16], right: pl.Tensor[[256, 240], pl.BF16], row: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[512, 240], pl.FP32]]) -> pl.Tensor[[512, 240], pl.FP32]:
        sum_0: pl.Tile[[272, 240], pl.FP32, pl.Mem.Acc] = pl.tile.create([272, 240], dtype=pl.FP32, target_memory=pl.Mem.Acc)
        for part, (carried,) in pl.pipeline(4, stage=2, init_values=(sum_0,)):
            k: pl.Scalar[pl.INDEX] = part * 64
            l_mat: pl.Tile[[272, 64], pl.BF16, pl.Mem.Mat] = pl.tile.load(left, [0, k], [272, 64], [272, 64], target_memory=pl.Mem.Mat)
            r_mat: pl.Tile[[64, 240], pl.BF16, pl.Mem.Mat] = pl.tile.load(right, [k, 0], [64, 240], [64, 240], target_memory=pl.Mem.Mat)
            if part > 0:
                more: pl.Tile[[272, 240], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_acc(carried, l_mat, r_mat)
                step: pl.Tile[[272, 240], pl.FP32, pl.Mem.Acc] = pl.yield_(more)
            else:
                first: pl.Tile[[272, 240], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(l_mat, r_mat)
                step: pl.Tile[[272, 240], pl.FP32, pl.Mem.Acc] = pl.yield_(first)
            total: pl.Tile[[272, 240], pl.FP32, pl.Mem.Acc] = pl.yield_(step)
        done: pl.Tensor[[512, 240], pl.FP32] = pl.tile.store(total, [row, 0], out)
        return done
