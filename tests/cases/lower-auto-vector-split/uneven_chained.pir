import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore, attrs={"split_aiv": True})
    def kernel(self, acc: pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[13, 64])], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
            h: pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[7, 64])] = pl.tile.aiv_shard(acc)
            o1: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(h, [lane * 8, 0], out)
            o2: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(h, [lane * 8, 0], o1)
        return out
