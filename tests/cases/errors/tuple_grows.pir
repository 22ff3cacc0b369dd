import pypto.language as pl

A0 = (1, 2, 3, 4)
A1 = (A0, A0, A0, A0, A0, A0, A0, A0)
A2 = (A1, A1, A1, A1, A1, A1, A1, A1)
A3 = (A2, A2, A2, A2, A2, A2, A2, A2)
A4 = (A3, A3, A3, A3, A3, A3, A3, A3)
A5 = (A4, A4, A4, A4, A4, A4, A4, A4)
A6 = (A5, A5, A5, A5, A5, A5, A5, A5)

@pl.program
class Grows:
    @pl.function(type=pl.FunctionType.InCore)
    def main(self, a: pl.Tensor[[64, 64], pl.FP32], b: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        t = pl.load(a, [0, 0], [64, 64])
        return pl.store(t, [0, 0], b)
