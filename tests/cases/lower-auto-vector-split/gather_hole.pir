import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore, attrs={"split_aiv": True})
    def kernel(self, acc: pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc], b: pl.Tensor[[16, 64], pl.FP32], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
            h: pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[5, 64])] = pl.tile.load(b, [lane * 8, 0], [8, 64], [5, 64], target_memory=pl.Mem.Vec)
            g: pl.Tile[[16, 64], pl.FP32, pl.Mem.Mat, pl.TileView(valid_shape=[10, 64])] = pl.tile.aic_gather(h)
        return out
