import pypto.language as pl
import pypto.language.distributed as pld

@pl.program
class T:
    @pl.function(type=pl.FunctionType.AIV)
    def exchange(data: pl.InOut[pld.DistributedTensor[[32, 64], pl.BF16]], signal: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]], peer: pl.Scalar[pl.INT32], ctx: pld.CommCtx, ctx1: pld.CommCtx):
        m: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 2048)
        me: pl.Scalar[pl.INT32] = pld.system.rank(ctx)
        all: pl.Scalar[pl.INT32] = pld.system.nranks(ctx)
        t: pl.Tile[[16, 64], pl.BF16, pl.MemRef(m, 0, 2048), pl.Mem.Vec] = pld.tile.remote_load(data, peer, [16, 0], [16, 64])
        pld.tile.remote_store(t, data, me, [peer * 8, 0], atomic=pl.AtomicType.Add)
        pl.system.fence()
        pld.system.notify(signal, peer, [me, 0], 1, op=pld.NotifyOp.Set)
        pld.system.wait(signal, [peer, 0], all, cmp=pld.WaitCmp.Ge)
        pl.system.cacheinvalid(data, [16, 64], [0, 0])
