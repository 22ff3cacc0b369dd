import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore, attrs={"split_aiv": True})
    def part(self, acc: pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[11, 64])], bias: pl.Tensor[[16, 64], pl.FP32], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
            half: pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[6, 64])] = pl.tile.aiv_shard(acc)
            twice: pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[6, 64])] = pl.tile.muls(half, 2.0)
            joined: pl.Tile[[16, 64], pl.FP32, pl.Mem.Mat, pl.TileView(valid_shape=[12, 64])] = pl.tile.aic_gather(twice)
            # the author says that all of it is valid
            full: pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec] = pl.tile.set_validshape(twice, 8, 64)
            more: pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec] = pl.tile.adds(full, 1.0)
            for i in pl.range(0, 4, 1):
                half_2: pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[6, 64])] = pl.tile.aiv_shard(acc)
                o: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(half_2, [lane * 8, 0], out)
            o_2: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(more, [lane * 8, 0], out)
        return out
    @pl.function(type=pl.FunctionType.InCore, attrs={"split_aiv": True})
    def odd(self, acc: pl.Tile[[15, 64], pl.FP32, pl.Mem.Acc], out: pl.Out[pl.Tensor[[15, 64], pl.FP32]]) -> pl.Tensor[[15, 64], pl.FP32]:
        for lane in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
            half: pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec] = pl.tile.aiv_shard(acc)
            twice: pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec] = pl.tile.muls(half, 2.0)
            tmp: pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec] = pl.tile.create([8, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)
            most: pl.Tile[[8, 1], pl.FP32, pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major)] = pl.tile.row_max(twice, tmp)
            less: pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec] = pl.tile.row_expand_sub(twice, most)
            o: pl.Tensor[[15, 64], pl.FP32] = pl.tile.store(less, [lane * 8, 0], out)
        return out
