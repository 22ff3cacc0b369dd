import pypto.language as pl

@pl.program
class P:
    # all that is split crosses with 11 of 16 rows: cores have 6 and 5
    @pl.function(type=pl.FunctionType.InCore, attrs={"split": pl.SplitMode.UP_DOWN})
    def in_the_middle(self, acc: pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[11, 64])], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        x: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[11, 64])] = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[11, 64])] = pl.tile.muls(x, 2.0)
        for i in pl.range(3):
            z: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[11, 64])] = pl.tile.add(x, y)
            o: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(z, [0, 0], out)
        n: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[7, 64])] = pl.tile.set_validshape(y, 7, 64)
        o_2: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(n, [0, 0], out)
        return o_2
    # a load has all 16 rows
    @pl.function(type=pl.FunctionType.InCore, attrs={"split": pl.SplitMode.UP_DOWN})
    def beside_a_load(self, acc: pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[7, 64])], a: pl.Tensor[[16, 64], pl.FP32], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        x: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[7, 64])] = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        w: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(a, [0, 0], [16, 64], [16, 64], target_memory=pl.Mem.Vec)
        o: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(x, [0, 0], out)
        o_2: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(w, [0, 0], out)
        return o_2
    # so has what is filled up
    @pl.function(type=pl.FunctionType.InCore, attrs={"split": pl.SplitMode.UP_DOWN})
    def filled(self, acc: pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[7, 64])], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        x: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[7, 64])] = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.set_validshape(x, 16, 64)
        o: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(y, [0, 0], out)
        return o
    # what goes back has its halves side by side
    @pl.function(type=pl.FunctionType.InCore, attrs={"split": pl.SplitMode.UP_DOWN})
    def back(self, acc: pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc, pl.TileView(valid_shape=[7, 64])], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        x: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[7, 64])] = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[7, 64])] = pl.tile.exp(x)
        m: pl.Tile[[16, 64], pl.FP32, pl.Mem.Mat, pl.TileView(valid_shape=[7, 64])] = pl.tile.move(y, target_memory=pl.Mem.Mat)
        return out
