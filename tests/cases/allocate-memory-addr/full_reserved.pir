# What system.reserve_buffer takes is missing for tiles.
import pypto.language as pl


@pl.program
class Reserved:
    @pl.function(type=pl.FunctionType.AIV)
    def kernel(self, x: pl.Tensor[[64, 512], pl.FP32], y: pl.Out[pl.Tensor[[64, 512], pl.FP32]]) -> pl.Tensor[[64, 512], pl.FP32]:
        ring = pl.system.reserve_buffer(name="ring", size=131072, base=0)
        a: pl.Tile[[32, 512], pl.FP32, pl.Mem.Vec] = pl.tile.load(x, [0, 0], [32, 512])
        y = pl.store(a, [0, 0], y)
        return y
