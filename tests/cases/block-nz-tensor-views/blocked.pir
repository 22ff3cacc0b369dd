# Shapes and windows are counted in boxes; the tile stays a matrix.  Offsets are divided as a whole, where they are
# surely multiples and not negative: a block's share, a loop's variable, sums and products of these.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[4, 512, 1024], pl.INT8, pl.NZ], v: pl.Tensor[[256, 512], pl.FP32, pl.NZ], x: pl.Tensor[[64, 128], pl.FP32], e: pl.Scalar[pl.INDEX]):
        a: pl.Tile[[64, 128], pl.FP32, pl.Mem.Mat] = pl.tile.load(x, [0, 0], [64, 128], [64, 128], target_memory=pl.Mem.Mat)
        b: pl.Tile[[256, 512], pl.INT8, pl.Mem.Mat] = pl.tile.load(w, [e, 256, 512], [1, 256, 512], [1, 256, 512], target_memory=pl.Mem.Mat)
        block: pl.Scalar[pl.INDEX] = pl.tile.get_block_idx()
        n: pl.Scalar[pl.INDEX] = block * 64
        c: pl.Tile[[64, 256], pl.FP32, pl.Mem.Mat] = pl.tile.load(v, [n + 16, 256], [64, 256], [64, 256], target_memory=pl.Mem.Mat)
        for k in pl.range(0, 512, 128):
            d: pl.Tile[[32, 128], pl.FP32, pl.Mem.Mat] = pl.tile.load(v, [n, k], [32, 128], [32, 128], target_memory=pl.Mem.Mat)

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, w: pl.Tensor[[4, 512, 1024], pl.INT8, pl.NZ], v: pl.Tensor[[256, 512], pl.FP32, pl.NZ], x: pl.Tensor[[64, 128], pl.FP32], e: pl.Scalar[pl.INDEX]):
        self.kernel(w, v, x, e)
