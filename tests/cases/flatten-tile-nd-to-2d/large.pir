# Too large for Mat, and the window of the first operand is none of its tensor.
import pypto.language as pl


@pl.program
class Pages:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[512, 128], pl.BF16], y: pl.Tensor[[64, 128, 128], pl.BF16]):
        a: pl.Tile[[64, 128, 128], pl.BF16, pl.Mem.Mat] = pl.tile.load(x, [0, 0, 0], [64, 128, 128], [64, 128, 128], target_memory=pl.Mem.Mat)
        b: pl.Tile[[64, 128, 128], pl.BF16, pl.Mem.Mat] = pl.tile.load(y, [0, 0, 0], [64, 128, 128], [64, 128, 128], target_memory=pl.Mem.Mat)
        z = pl.tile.batch_matmul(a, b)
