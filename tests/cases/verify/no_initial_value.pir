import pypto.language as pl


@pl.program
class Uninitialised:
    @pl.function
    def main(self, n: pl.Scalar[pl.INDEX], x: pl.Tensor[[16], pl.FP32]) -> pl.Tensor[[16], pl.FP32]:
        for i in pl.range(n):
            y = pl.mul(x, 2.0)
        return y
