import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(self, x: pl.Tensor[[64, 128], pl.FP32]):
        t: pl.Tile[[64, 64], pl.FP32] = pl.load(x, [0, 0], [64, 128])
        return
