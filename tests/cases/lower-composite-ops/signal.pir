@pl.program
class Wide:
    @pl.function(type=pl.FunctionType.InCore)
    def meet(sig: pl.InOut[pld.DistributedTensor[[6, 4], pl.INT32]]) -> pld.DistributedTensor[[6, 4], pl.INT32]:
        s: pld.DistributedTensor[[6, 4], pl.INT32] = pld.tensor.barrier(sig)
        return s
