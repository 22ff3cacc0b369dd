import pypto.language as pl

@pl.program
class PipelineFrees:
    @pl.function(type=pl.FunctionType.InCore)
    def stores(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32], y: pl.Tensor[[16, 64], pl.FP32], w: pl.Tensor[[64, 64], pl.FP32], z: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        a = pl.tile.load(y, [0, 0], [16, 64], target_memory=pl.Mem.Mat)
        b = pl.tile.load(w, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        for i in pl.pipeline(4, stage=2):
            c = pl.tile.matmul(a, b)
            s = pl.tile.move(c, target_memory=pl.Mem.Vec, blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.none_box)
            z = pl.tile.store(s, [0, 0], z)
        return z
