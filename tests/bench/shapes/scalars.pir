%once
import pypto.language as pl

@pl.program
class Bench:
    @pl.function
    def main(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[4096, 64], pl.FP32], z: pl.Tensor[[16, 64], pl.FP32]) -> pl.Tensor[[16, 64], pl.FP32]:
%each 9
        a{k} = (n + {k%7+1}) * 2 - n * 2
        b{k} = a{k} // 2 + n
        for i in pl.range(0, 8):
            if i < 8:
                c = pl.slice(x, [16, 64], [i * 16 + (b{k} - b{k}), 0])
                z = pl.add(z, c)
            else:
                z = pl.mul(z, 3.0)
        if pl.min(n, n + 1) > n:
            z = pl.exp(z)
%once
        return z
