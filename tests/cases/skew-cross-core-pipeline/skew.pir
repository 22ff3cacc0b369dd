# Sending runs ahead of receiving, unless what was sent is needed again afterwards.
import pypto.language as pl


@pl.program
class Skew:
    @pl.function(type=pl.FunctionType.AIV)
    def ahead(self, x: pl.Tensor[[96, 16], pl.FP32], y: pl.Out[pl.Tensor[[96, 16], pl.FP32]]) -> pl.Tensor[[96, 16], pl.FP32]:
        for k, (sum_y,) in pl.pipeline(2, 8, stage=4, init_values=(y,)):
            row: pl.Scalar[pl.INDEX] = k * 16
            part: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [row, 0], [16, 16], [16, 16], target_memory=pl.Mem.Vec)
            pl.tile.tpush_to_aic(part, split=0)
            got: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aic(split=0)
            twice: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.add(got, got)
            next_y: pl.Tensor[[96, 16], pl.FP32] = pl.tile.store(twice, [row, 0], sum_y)
            last_y: pl.Tensor[[96, 16], pl.FP32] = pl.yield_(next_y)
        return last_y

    @pl.function(type=pl.FunctionType.AIV)
    def in_order(self, x: pl.Tensor[[96, 16], pl.FP32], y: pl.Out[pl.Tensor[[96, 16], pl.FP32]]):
        for k in pl.pipeline(6, stage=2):
            part: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [k * 16, 0], [16, 16], [16, 16], target_memory=pl.Mem.Vec)
            pl.tile.tpush_to_aic(part, split=0)
            got: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aic(split=0)
            both: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.add(got, part)
            pl.tile.store(both, [k * 16, 0], y)
