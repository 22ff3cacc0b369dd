import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIV)
    def kernel(self, a: pl.Tensor[[16, 64], pl.FP32], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        x: pl.Tile[[15, 64], pl.FP32, pl.Mem.Vec] = pl.tile.create([15, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        pl.tile.tpush_to_aic(x, split=1)
