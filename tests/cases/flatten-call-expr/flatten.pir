import pypto.language as pl


@pl.program
class Flat:
    @pl.function
    def main(self, x: pl.Tensor[[16, 16], pl.FP32], i: pl.Scalar[pl.INDEX]) -> pl.Tensor[[16, 16], pl.FP32]:
        y = pl.add(pl.mul(x, 2.0), pl.exp(pl.neg(x)))
        if pl.read(y, [i, 0]) > 0.0:
            y = pl.sub(y, pl.abs(y))
        return pl.mul(y, y)
