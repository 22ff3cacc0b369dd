# A window is invalidated after it is written, and all memory after a wait; a plain tensor needs nothing.
import pypto.language as pl
import pypto.language.distributed as pld


@pl.program
class CommFence:
    @pl.function(type=pl.FunctionType.AIV)
    def kernel(
        self,
        data: pld.DistributedTensor[[16, 16], pl.FP32],
        signal: pld.DistributedTensor[[4, 1], pl.INT32],
        out: pl.Out[pl.Tensor[[16, 16], pl.FP32]],
    ) -> pl.Tensor[[16, 16], pl.FP32]:
        t: pl.Tile[[16, 16], pl.FP32] = pl.tile.load(out, [0, 0], [16, 16], [16, 16], target_memory=pl.Mem.Vec)
        data_1: pld.DistributedTensor[[16, 16], pl.FP32] = pl.tile.store(t, [0, 0], data)
        pld.system.wait(signal, [0, 0], expected=1, cmp=pld.WaitCmp.Ge)
        out_1: pl.Tensor[[16, 16], pl.FP32] = pl.tile.store(t, [0, 0], out)
        return out
