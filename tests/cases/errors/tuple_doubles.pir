import pypto.language as pl

@pl.program
class Doubles:
    @pl.function(type=pl.FunctionType.InCore)
    def main(self, a: pl.Tensor[[64, 64], pl.FP32], b: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.load(a, [0, 0], [64, 64])
        a0 = (t, t, t, t, t, t, t, t)
        a1 = (a0, a0, a0, a0, a0, a0, a0, a0)
        a2 = (a1, a1, a1, a1, a1, a1, a1, a1)
        a3 = (a2, a2, a2, a2, a2, a2, a2, a2)
        a4 = (a3, a3, a3, a3, a3, a3, a3, a3)
        a5 = (a4, a4, a4, a4, a4, a4, a4, a4)
        return pl.store(t, [0, 0], b)
