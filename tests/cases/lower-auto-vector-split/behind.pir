import pypto.language as pl

@pl.program
class P:
    # what is gathered is as much as was sharded, also where it is used behind its region
    @pl.function(type=pl.FunctionType.InCore, attrs={"split_aiv": True})
    def twice(self, acc: pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[7, 64])], right: pl.Tile[[64, 64], pl.FP32, pl.Mem.Right], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
            half = pl.tile.aiv_shard(acc)
            e = pl.tile.exp(half)
            whole = pl.tile.aic_gather(e)
        left = pl.tile.move(whole, target_memory=pl.Mem.Left)
        product = pl.tile.matmul(left, right)
        for lane_2 in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
            half_2 = pl.tile.aiv_shard(product)
            o = pl.tile.store(half_2, [lane_2 * 8, 0], out)
        return out
