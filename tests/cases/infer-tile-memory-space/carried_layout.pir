import pypto.language as pl
@pl.program
class CarriedLayout:
    @pl.function
    def main(self, x: pl.Tensor[[64, 64], pl.FP32], w: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX], z: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            acc = pl.matmul(x, w)
            s = pl.add(acc, x)
            for i in pl.range(n):
                s = pl.add(s, 1.0)
            z = pl.assemble(z, s, [0, 0])
        return z
