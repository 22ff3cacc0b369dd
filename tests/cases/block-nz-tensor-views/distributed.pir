# Nobody loads boxes from another rank.
import pypto.language as pl


@pl.program
class Weights:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, w: pld.DistributedTensor[[512, 1024], pl.INT8, pl.NZ]):
        return
