# Two stages of a pipeline in buffers of their own would not fit: they share one, and a hint says so.
import pypto.language as pl


@pl.program
class Stages:
    @pl.function(type=pl.FunctionType.AIV)
    def kernel(x: pl.Tensor[[128, 256], pl.FP32], y: pl.Out[pl.Tensor[[128, 256], pl.FP32]]) -> pl.Tensor[[128, 256], pl.FP32]:
        first: pl.Tile[[96, 256], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [96, 256], [96, 256], attrs={"pipeline_membership": "0:0"})
        z: pl.Tensor[[128, 256], pl.FP32] = pl.tile.store(first, [0, 0], y)
        second: pl.Tile[[96, 256], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [16, 0], [96, 256], [96, 256], attrs={"pipeline_membership": "0:1"})
        w: pl.Tensor[[128, 256], pl.FP32] = pl.tile.store(second, [16, 0], z)
        return w
