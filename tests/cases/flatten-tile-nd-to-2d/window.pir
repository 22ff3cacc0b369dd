# A window of more dimensions than the tensor is no matrix of it.
import pypto.language as pl


@pl.program
class Pages:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 16], pl.FP32]):
        z: pl.Tile[[2, 16, 16], pl.FP32, pl.Mem.Mat] = pl.tile.load(x, [0, 0, 0], [2, 16, 16], [2, 16, 16], target_memory=pl.Mem.Mat)
