import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.AIC)
    def cube(self, a: pl.Tensor[[17, 64], pl.FP16], b: pl.Tensor[[64, 64], pl.FP16], out: pl.Out[pl.Tensor[[17, 64], pl.FP32]]):
        peer: pl.Scalar[pl.INT32] = pl.system.import_peer_buffer(name="slots", peer_func="vector")
        pl.system.aic_initialize_pipe(peer, pl.const(0, pl.INT32), dir_mask=1, slot_size=4352, slot_num=2)
        x: pl.Tile[[17, 64], pl.FP16, pl.Mem.Mat] = pl.tile.load(a, [0, 0], [17, 64], [17, 64], target_memory=pl.Mem.Mat)
        y: pl.Tile[[64, 64], pl.FP16, pl.Mem.Mat] = pl.tile.load(b, [0, 0], [64, 64], [64, 64], target_memory=pl.Mem.Mat)
        for i in pl.range(4):
            left: pl.Tile[[17, 64], pl.FP16, pl.Mem.Left] = pl.tile.move(x, target_memory=pl.Mem.Left)
            right: pl.Tile[[64, 64], pl.FP16, pl.Mem.Right] = pl.tile.move(y, target_memory=pl.Mem.Right)
            z: pl.Tile[[17, 64], pl.FP32, pl.Mem.Acc] = pl.tile.matmul(left, right)
            pl.tile.tpush_to_aiv(z, split=1)
    @pl.function(type=pl.FunctionType.AIV)
    def vector(self, a: pl.Tensor[[17, 64], pl.FP16], b: pl.Tensor[[64, 64], pl.FP16], out: pl.Out[pl.Tensor[[17, 64], pl.FP32]]):
        slots: pl.Scalar[pl.INT32] = pl.system.reserve_buffer(name="slots", size=8704, base=-1)
        pl.system.aiv_initialize_pipe(slots, pl.const(0, pl.INT32), dir_mask=1, slot_size=4352, slot_num=2)
        zero: pl.Tile[[17, 64], pl.FP32, pl.Mem.Vec] = pl.tile.create([17, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        for i, (sum,) in pl.range(4, init_values=(zero,)):
            z: pl.Tile[[17, 64], pl.FP32, pl.Mem.Vec] = pl.tile.tpop_from_aic(split=1)
            total: pl.Tile[[17, 64], pl.FP32, pl.Mem.Vec] = pl.tile.add(sum, z)
            pl.system.tfree_to_aic(z)
            last: pl.Tile[[17, 64], pl.FP32, pl.Mem.Vec] = pl.yield_(total)
        o: pl.Tensor[[17, 64], pl.FP32] = pl.tile.store(last, [0, 0], out)
    @pl.function(type=pl.FunctionType.AIV, attrs={"split": pl.SplitMode.LEFT_RIGHT})
    def alone(self, a: pl.Tensor[[16, 64], pl.FP32], n: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        x: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(a, [0, 0], [16, 64], [16, 64], target_memory=pl.Mem.Vec)
        # what both cores share stays; what reaches into the second part is cut
        shared: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[16, 20])] = pl.tile.set_validshape(x, 16, 20)
        most: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[16, 60])] = pl.tile.set_validshape(x, 16, 60)
        sum: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[16, 60])] = pl.tile.adds(most, 1.0)
        part: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[16, n])] = pl.tile.load(a, [0, 0], [16, 64], [16, n], target_memory=pl.Mem.Vec)
        row: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec] = pl.tile.load(a, [3, 0], [1, 64], [1, 64], target_memory=pl.Mem.Vec)
        narrow: pl.Tile[[16, 1], pl.FP32, pl.Mem.Vec] = pl.tile.load(a, [0, 0], [16, 1], [16, 1], target_memory=pl.Mem.Vec)
        while n > 0:
            o_1: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(shared, [0, 0], out)
        o_2: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(part, [0, 0], out)
        o_3: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(row, [3, 0], out)
        o_4: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(narrow, [0, 0], out)
        o: pl.Tensor[[16, 64], pl.FP32] = pl.tile.store(sum, [0, 0], out)
        return o
