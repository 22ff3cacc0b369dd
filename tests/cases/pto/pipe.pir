import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class T:
    @pl.function(type=pl.FunctionType.AIC)
    def cube_half(a: pl.Tensor[[32, 32], pl.FP16], b: pl.Tensor[[32, 32], pl.FP16], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]], first: pl.Scalar[pl.BOOL], __gm_pipe_buffer: pl.Tensor[[2048], pl.FP32]):
        ma: pl.Ptr = pl.tile.alloc(pl.Mem.Mat, 2048)
        mb: pl.Ptr = pl.tile.alloc(pl.Mem.Mat, 2048)
        la: pl.Ptr = pl.tile.alloc(pl.Mem.Left, 2048)
        rb: pl.Ptr = pl.tile.alloc(pl.Mem.Right, 2048)
        ac: pl.Ptr = pl.tile.alloc(pl.Mem.Acc, 4096)
        back: pl.Scalar[pl.INT32] = pl.system.reserve_buffer(name="back", size=8192, base=4096)
        there: pl.Scalar[pl.INT32] = pl.system.import_peer_buffer(name="there", peer_func="vector_half")
        pl.system.aic_initialize_pipe(there, pl.const(0, pl.INT32), dir_mask=1, slot_size=4096, id=1)
        pl.system.aic_initialize_pipe(pl.const(0, pl.INT32), back, dir_mask=2, slot_size=2048, id=2, slot_num=4)
        ta: pl.Tile[[32, 32], pl.FP16, pl.MemRef(ma, 0, 2048), pl.Mem.Mat] = pl.tile.load(a, [0, 0], [32, 32], [32, 32], target_memory=pl.Mem.Mat)
        tb: pl.Tile[[32, 32], pl.FP16, pl.MemRef(mb, 2048, 2048), pl.Mem.Mat] = pl.tile.load(b, [0, 0], [32, 32], [32, 32], target_memory=pl.Mem.Mat)
        left: pl.Tile[[32, 32], pl.FP16, pl.MemRef(la, 0, 2048), pl.Mem.Left] = pl.tile.move(ta, target_memory=pl.Mem.Left)
        right: pl.Tile[[32, 32], pl.FP16, pl.MemRef(rb, 0, 2048), pl.Mem.Right] = pl.tile.move(tb, target_memory=pl.Mem.Right)
        acc: pl.Tile[[32, 32], pl.FP32, pl.MemRef(ac, 0, 4096), pl.Mem.Acc] = pl.tile.matmul(left, right)
        acc2: pl.Tile[[32, 32], pl.FP32, pl.MemRef(ac, 0, 4096), pl.Mem.Acc] = pl.tile.matmul_acc(acc, left, right, first)
        pl.tile.tpush_to_aiv(acc2, split=0, id=1)
        p: pl.Tile[[32, 32], pl.FP16, pl.Mem.Mat] = pl.tile.tpop_from_aiv(split=0, id=2)
        pl.system.tfree_to_aiv(p, split=0, id=2)
    @pl.function(type=pl.FunctionType.AIV)
    def vector_half(a: pl.Tensor[[32, 32], pl.FP16], b: pl.Tensor[[32, 32], pl.FP16], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]], first: pl.Scalar[pl.BOOL], __gm_pipe_buffer: pl.Tensor[[2048], pl.FP32]):
        mv: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 4096)
        there: pl.Scalar[pl.INT32] = pl.system.reserve_buffer(name="there", size=32768, base=0)
        back: pl.Scalar[pl.INT32] = pl.system.import_peer_buffer(name="back", peer_func="cube_half")
        pl.system.aiv_initialize_pipe(there, pl.const(0, pl.INT32), dir_mask=1, slot_size=4096, id=1)
        pl.system.aiv_initialize_pipe(pl.const(0, pl.INT32), back, dir_mask=2, slot_size=2048, id=2, slot_num=4)
        t: pl.Tile[[32, 32], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[20, 32])] = pl.tile.tpop_from_aic(split=0, id=1)
        u: pl.Tile[[32, 32], pl.FP32, pl.MemRef(mv, 32768, 4096), pl.Mem.Vec, pl.TileView(valid_shape=[20, 32])] = pl.tile.abs(t)
        pl.system.tfree_to_aic(t, split=0, id=1)
        h: pl.Tile[[32, 32], pl.FP16, pl.MemRef(mv, 32768, 2048), pl.Mem.Vec, pl.TileView(valid_shape=[20, 32])] = pl.tile.cast(u, target_type=pl.FP16, mode="rint")
        pl.tile.tpush_to_aic(h, split=1, id=2)
        o: pl.Tensor[[32, 32], pl.FP32] = pl.tile.store(u, [0, 0], out)
        return o
    @pl.function(type=pl.FunctionType.Group)
    def both(a: pl.Tensor[[32, 32], pl.FP16], b: pl.Tensor[[32, 32], pl.FP16], out: pl.Out[pl.Tensor[[32, 32], pl.FP32]], first: pl.Scalar[pl.BOOL], __gm_pipe_buffer: pl.Tensor[[2048], pl.FP32]):
        self.cube_half(a, b, out, first, __gm_pipe_buffer)
        o: pl.Tensor[[32, 32], pl.FP32] = self.vector_half(a, b, out, first, __gm_pipe_buffer)
        return o
