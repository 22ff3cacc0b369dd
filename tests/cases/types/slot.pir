import pypto.language as pl

pair = pl.MemRef(slots=2)

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(self, x: pl.Tensor[[64, 128], pl.FP32]):
        t: pl.Tile[[64, 128], pl.FP32, pair[2], pl.Mem.Vec] = pl.load(x, [0, 0], [64, 128])
        return
