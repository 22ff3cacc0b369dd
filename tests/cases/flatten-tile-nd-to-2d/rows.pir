# More rows than can be counted.
import pypto.language as pl


@pl.program
class Pages:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[4, 16, 16], pl.FP32]):
        z = pl.tile.create([4000000000, 4000000000, 16], dtype=pl.FP32, target_memory=pl.Mem.Vec)
