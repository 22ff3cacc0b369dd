# A loop yields as many values as it carries.
import pypto.language as pl


@pl.program
class Sum:
    @pl.function(type=pl.FunctionType.AIV)
    def kernel(self, a: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec], b: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec]):
        for i, (x, y) in pl.pipeline(0, 4, 1, stage=2, init_values=(a, b)):
            z: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec] = pl.tile.add(x, y)
            p = pl.yield_(z)
