import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def rows(self, acc: pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc], scale: pl.Tensor[[16], pl.FP32], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        x: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        # the first half of the elements is the first half of the first axis again
        wide: pl.Tile[[8, 128], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(x, [8, 128])
        # and of the second
        flat: pl.Tile[[1, 1024], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(wide, [1, 1024])
        bits: pl.Tile[[1, 2048], pl.FP16, pl.Mem.Vec] = pl.tile.reinterpret_view(flat, dtype=pl.FP16)
        again: pl.Tile[[1, 1024], pl.FP32, pl.Mem.Vec] = pl.tile.reinterpret_view(bits, [1, 1024], dtype=pl.FP32)
        back: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(again, [16, 64])
        # a vector is whole until it has two axes
        s: pl.Tile[[16], pl.FP32, pl.Mem.Vec] = pl.tile.load(scale, [0], [16], [16], target_memory=pl.Mem.Vec)
        column: pl.Tile[[16, 1], pl.FP32, pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major)] = pl.tile.reshape(s, [16, 1])
        scaled: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.row_expand_mul(back, column)
        out1: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(scaled, [0, 0], out)
        return out1
    @pl.function(type=pl.FunctionType.InCore)
    def columns(self, acc: pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.LEFT_RIGHT})
        x: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.move(acc, target_memory=pl.Mem.Vec)
        y: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.reshape(x, [16, 64])
        out1: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(y, [0, 0], out)
        return out1
