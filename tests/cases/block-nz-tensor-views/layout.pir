# The tile has its boxes as the tensor has them.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pl.Tensor[[512, 1024], pl.INT8, pl.NZ]):
        t: pl.Tile[[256, 512], pl.INT8, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.col_major)] = pl.tile.load(w, [0, 0], [256, 512], [256, 512], target_memory=pl.Mem.Mat)
