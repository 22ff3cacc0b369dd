import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[4294967296, 4294967296, 8], pl.FP32], out: pl.Out[pl.Tensor[[4294967296, 4294967296, 8], pl.FP32]]):
        t = pl.load(x, [0, 0, 0], [4294967296, 4294967296, 8])
        out = pl.store(t, [0, 0, 0], out)
        return out
