import pypto.language as pl

@pl.program
class WideExtent:
    @pl.function(type=pl.FunctionType.InCore)
    def copy(self, a: pl.Tensor[[32, 48], pl.FP32], b: pl.Out[pl.Tensor[[32, 48], pl.FP32]]) -> pl.Tensor[[32, 48], pl.FP32]:
        t: pl.Tile[[32, pl.const(48, pl.INT64)], pl.FP32] = pl.tile.load(a, [0, 0], [32, pl.const(48, pl.INT64)], [32, pl.const(48, pl.INT64)])
        c: pl.Tensor[[32, 48], pl.FP32] = pl.tile.store(t, [0, 0], b)
        return c
