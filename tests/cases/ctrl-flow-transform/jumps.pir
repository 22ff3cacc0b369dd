import pypto.language as pl


@pl.program
class Jumps:
    @pl.function(type=pl.FunctionType.InCore)
    def count(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[64], pl.INT32]) -> pl.Scalar[pl.INDEX]:
        c: pl.Scalar[pl.INDEX] = 0
        for i in pl.range(n):
            if i == 7:
                continue
            c = c + i
        while c > 0:
            c = c - 3
            if c == 5:
                break
        return c
