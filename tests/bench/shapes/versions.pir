%once
import pypto.language as pl

@pl.program
class Bench:
    @pl.function
    def main(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16, 64], pl.FP32]) -> pl.Tensor[[16, 64], pl.FP32]:
        y = x
        s = pl.mul(x, 2.0)
%each 8
        for i in pl.range(n):
            y = pl.add(y, s)
            if i > {k%100}:
                s = pl.mul(s, 0.5)
            else:
                s = pl.add(s, y)
        t{k} = pl.exp(y)
        y = pl.sub(t{k}, s)
%once
        return y
