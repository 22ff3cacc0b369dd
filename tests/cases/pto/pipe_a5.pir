import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class T:
    @pl.function(type=pl.FunctionType.AIV)
    def odd(rows: pl.Scalar[pl.INDEX]):
        m: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 4096)
        buf: pl.Scalar[pl.INT32] = pl.system.reserve_buffer(name="there", size=16384, base=0)
        pl.system.aiv_initialize_pipe(buf, pl.const(0, pl.INT32), dir_mask=1, slot_size=4096, slot_num=4, local_slot_num=2)
        t: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[rows, 64])] = pl.tile.tpop_from_aic(split=3)
        u: pl.Tile[[16, 64], pl.FP32, pl.MemRef(m, 16384, 4096), pl.Mem.Vec, pl.TileView(valid_shape=[rows, 64])] = pl.tile.exp(t)
        pl.system.tfree_to_aic(t, split=3)
