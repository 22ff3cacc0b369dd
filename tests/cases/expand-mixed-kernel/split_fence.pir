import pypto.language as pl

# The vector core reads what the cube core stored, in a loop; one branch pushes.
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, a: pl.Tensor[[32, 32], pl.FP16], flag: pl.Scalar[pl.BOOL], scratch: pl.Out[pl.Tensor[[32, 32], pl.FP32]], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]]) -> pl.Tensor[[32, 32], pl.FP32]:
        pl.func_attr({"split": pl.SplitMode.UP_DOWN, "slot_num": 3})
        x: pl.Tile[[32, 32], pl.FP16, pl.Mem.Mat] = pl.tile.load(a, [0, 0], [32, 32], [32, 32], target_memory=pl.Mem.Mat)
        xl: pl.Tile[[32, 32], pl.FP16, pl.Mem.Left] = pl.tile.move(x, target_memory=pl.Mem.Left)
        xr: pl.Tile[[32, 32], pl.FP16, pl.Mem.Right] = pl.tile.move(x, target_memory=pl.Mem.Right)
        z: pl.Tile[[32, 32], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(xl, xr)
        kept: pl.Tensor[[32, 32], pl.FP32] = pl.tile.store(z, [0, 0], scratch)
        for i, (o,) in pl.range(2, init_values=(out,)):
            part: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.load(kept, [i * 16, 0], [16, 32], [16, 32], target_memory=pl.Mem.Vec)
            e: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.exp(part)
            o1: pl.Tensor[[32, 32], pl.FP32] = pl.tile.store(e, [i * 16, 0], o)
            o2: pl.Tensor[[32, 32], pl.FP32] = pl.yield_(o1)
        if flag:
            half: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.aiv_shard(z, split=1)
            more: pl.Tile[[16, 32], pl.FP32, pl.Mem.Vec] = pl.tile.exp(half)
            o3: pl.Tensor[[32, 32], pl.FP32] = pl.tile.store(more, [0, 0], o2)
            o4: pl.Tensor[[32, 32], pl.FP32] = pl.yield_(o3)
        else:
            o4: pl.Tensor[[32, 32], pl.FP32] = pl.yield_(o2)
        return o4
