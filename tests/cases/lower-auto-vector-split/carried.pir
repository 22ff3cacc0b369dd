import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def sum_of_products(self, a: pl.Tensor[[32, 64], pl.FP16], b: pl.Tensor[[64, 128], pl.FP16], n: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[32, 128], pl.FP32]]) -> pl.Tensor[[32, 128], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN})
        zero: pl.Tile[[32, 128], pl.FP32, pl.Mem.Vec] = pl.tile.full([32, 128], dtype=pl.FP32, value=0.0)
        buffer: pl.Tile[[32, 128], pl.FP32, pl.Mem.Vec] = pl.tile.create([32, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        scratch: pl.Tile[[32, 128], pl.FP32, pl.Mem.Vec] = pl.tile.create([32, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        for i, (total, kept) in pl.range(n, init_values=(zero, buffer)):
            x: pl.Tile[[32, 64], pl.FP16, pl.Mem.Mat] = pl.tile.load(a, [0, 0], [32, 64], [32, 64], target_memory=pl.Mem.Mat)
            y: pl.Tile[[64, 128], pl.FP16, pl.Mem.Mat] = pl.tile.load(b, [0, 0], [64, 128], [64, 128], target_memory=pl.Mem.Mat)
            left: pl.Tile[[32, 64], pl.FP16, pl.Mem.Left] = pl.tile.move(x, target_memory=pl.Mem.Left)
            right: pl.Tile[[64, 128], pl.FP16, pl.Mem.Right] = pl.tile.move(y, target_memory=pl.Mem.Right)
            product: pl.Tile[[32, 128], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(left, right)
            here: pl.Tile[[32, 128], pl.FP32, pl.Mem.Vec] = pl.tile.move(product, target_memory=pl.Mem.Vec)
            if i == 0:
                first: pl.Tile[[32, 128], pl.FP32, pl.Mem.Vec] = pl.tile.muls(here, 2.0)
                term: pl.Tile[[32, 128], pl.FP32, pl.Mem.Vec] = pl.yield_(first)
            else:
                term: pl.Tile[[32, 128], pl.FP32, pl.Mem.Vec] = pl.yield_(here)
            sum: pl.Tile[[32, 128], pl.FP32, pl.Mem.Vec] = pl.tile.add(total, term)
            row: pl.Tile[[32, 1], pl.FP32, pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major)] = pl.tile.row_max(sum, scratch)
            less: pl.Tile[[32, 128], pl.FP32, pl.Mem.Vec] = pl.tile.row_expand_sub(sum, row)
            last, rest = pl.yield_(sum, less)
        both: pl.Tile[[32, 128], pl.FP32, pl.Mem.Vec] = pl.tile.add(last, rest)
        out1: pl.Tensor[[32, 128], pl.FP32] = pl.tile.store(both, [0, 0], out)
        return out1
