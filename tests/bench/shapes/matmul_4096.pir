%once
import pypto.language as pl

@pl.program
class Bench:
    @pl.function
    def main(self, x: pl.Tensor[[4096, 4096], pl.BF16], y: pl.Tensor[[4096, 4096], pl.BF16], z: pl.Out[pl.Tensor[[4096, 4096], pl.FP32]]) -> pl.Tensor[[4096, 4096], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            p = pl.matmul(x, y)
            z = pl.assemble(z, p, [0, 0])
        return z
