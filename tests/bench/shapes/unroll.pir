%once
import pypto.language as pl

@pl.program
class Bench:
    @pl.function
    def main(self, x: pl.Tensor[[4096, 64], pl.FP32]) -> pl.Tensor[[16, 64], pl.FP32]:
        y = pl.slice(x, [16, 64], [0, 0])
%each 4
        for i in pl.unroll(4):
            s = pl.slice(x, [16, 64], [i * 16, 0])
            t = pl.mul(s, 0.5)
            y = pl.add(y, t)
%once
        return y
