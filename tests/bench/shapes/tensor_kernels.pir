%once
import pypto.language as pl

@pl.program
class Bench:
    @pl.function
    def main(self, x: pl.Tensor[[4096, 64], pl.FP32], z: pl.Out[pl.Tensor[[4096, 64], pl.FP32]]) -> pl.Tensor[[4096, 64], pl.FP32]:
%each 11
        with pl.at(level=pl.Level.CORE_GROUP):
            a = pl.slice(x, [16, 64], [{k%256*16}, 0])
            b = pl.mul(a, 0.5)
            c = pl.exp(b)
            d = pl.row_max(c)
            e = pl.sub(c, d)
            f = pl.cast(e, pl.BF16)
            g = pl.reshape(e, [64, 16])
            h = pl.reshape(g, [16, 64])
            j = pl.add(h, a)
            z = pl.assemble(z, j, [{k%256*16}, 0])
%once
        return z
