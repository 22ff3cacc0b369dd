%once
import pypto.language as pl

@pl.program
class Bench:
    @pl.function
    def main(self, x: pl.Tensor[[16, 64], pl.FP32]) -> pl.Tensor[[16, 64], pl.FP32]:
        y = x
%each 4
        with pl.at(level=pl.Level.CORE_GROUP):
            a{k} = pl.add(y, x)
            b{k} = pl.mul(a{k}, 0.5)
            y = pl.sub(b{k}, a{k})
%once
        return y
