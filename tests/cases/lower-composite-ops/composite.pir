@pl.program
class Waves:
    @pl.function(type=pl.FunctionType.InCore)
    def wave(a: pl.Tensor[[8, 32], pl.FP32], y: pl.Out[pl.Tensor[[8, 32], pl.FP32]]) -> pl.Tensor[[8, 32], pl.FP32]:
        t: pl.Tile[[8, 32], pl.FP32, pl.Mem.Vec] = pl.tile.load(a, [0, 0], [8, 32])
        s: pl.Tile[[8, 32], pl.FP32, pl.Mem.Vec] = pl.tile.sin(t)
        c: pl.Tile[[8, 32], pl.FP32, pl.Mem.Vec] = pl.tile.cos(s)
        y1: pl.Tensor[[8, 32], pl.FP32] = pl.tile.store(c, [0, 0], y)
        return y1

    @pl.function(type=pl.FunctionType.InCore)
    def share(w: pl.InOut[pld.DistributedTensor[[3, 5], pl.FP16]], sig: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]) -> pld.DistributedTensor[[3, 5], pl.FP16]:
        pld.tensor.barrier(sig)
        sum: pld.DistributedTensor[[3, 5], pl.FP16] = pld.tensor.allreduce(w, sig, op=pld.ReduceOp.Max)
        return pld.tensor.broadcast(sum, sig, root=2)

    @pl.function(type=pl.FunctionType.InCore)
    def scatter(w: pl.InOut[pld.DistributedTensor[[4, 16], pl.FP32]], sig: pl.InOut[pld.DistributedTensor[[4, 1], pl.INT32]]) -> pld.DistributedTensor[[4, 16], pl.FP32]:
        r: pld.DistributedTensor[[4, 16], pl.FP32] = pld.tensor.reduce_scatter(w, sig)
        return r
