# A multiple of 16, but less than zero in the first block.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[512, 1024], pl.INT8, pl.NZ]):
        b: pl.Scalar[pl.INDEX] = pl.tile.get_block_idx()
        r: pl.Scalar[pl.INDEX] = b * 256 - 256
        t = pl.tile.load(w, [r, 0], [256, 512], [256, 512], target_memory=pl.Mem.Mat)
