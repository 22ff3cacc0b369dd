# Products with a bias that keeps them whole.
import pypto.language as pl


@pl.program
class Biased:
    @pl.function(type=pl.FunctionType.InCore)
    def vec(self, x: pl.Tile[[64, 64], pl.BF16, pl.Mem.Vec], y: pl.Tile[[64, 64], pl.BF16, pl.Mem.Mat], b: pl.Tile[[1, 64], pl.FP32, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)]):
        p: pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_bias(x, y, b)

    @pl.function(type=pl.FunctionType.InCore)
    def uneven(self, x: pl.Tile[[40, 64], pl.BF16, pl.Mem.Mat], y: pl.Tile[[64, 64], pl.BF16, pl.Mem.Mat], b: pl.Tile[[1, 64], pl.FP32, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)]):
        p: pl.Tile[[40, 64], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_bias(x, y, b)

    @pl.function(type=pl.FunctionType.InCore)
    def flat(self, x: pl.Tile[[64, 64], pl.BF16, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)], y: pl.Tile[[64, 64], pl.BF16, pl.Mem.Mat], b: pl.Tile[[1, 64], pl.FP32, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)]):
        p: pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_bias(x, y, b)

    @pl.function(type=pl.FunctionType.InCore)
    def resident(self, x: pl.Tile[[256, 64], pl.BF16, pl.Mem.Mat], y: pl.Tile[[64, 256], pl.BF16, pl.Mem.Mat], b: pl.Tile[[1, 256], pl.FP32, pl.Mem.Bias]):
        p: pl.Tile[[256, 256], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_bias(x, y, b)

    @pl.function(type=pl.FunctionType.InCore)
    def given(self, x: pl.Tile[[256, 64], pl.BF16, pl.Mem.Mat], y: pl.Tile[[64, 384], pl.BF16, pl.Mem.Mat], b: pl.Tile[[1, 384], pl.FP32, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)]):
        p: pl.Tile[[256, 384], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_bias(x, y, b)

    @pl.function(type=pl.FunctionType.InCore)
    def changing(
        self,
        x: pl.Tile[[256, 64], pl.BF16, pl.Mem.Mat],
        y: pl.Tile[[64, 384], pl.BF16, pl.Mem.Mat],
        out: pl.InOut[pl.Tensor[[256, 384], pl.FP32]],
    ) -> pl.Tensor[[256, 384], pl.FP32]:
        b: pl.Tile[[1, 384], pl.FP32, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)] = pl.tile.load(out, [0, 0], [1, 384], [1, 384], target_memory=pl.Mem.Mat)
        p: pl.Tile[[256, 384], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_bias(x, y, b)
        done: pl.Tensor[[256, 384], pl.FP32] = pl.tile.store(p, [0, 0], out)
        return done
